/**
 * @file Elementwise maps of functions with rare, expensive arguments, such as the sine of very large angles, for software
 * adapters. They execute both sides of every condition, and the body of a loop once even where no invocation needs it. So
 * an invocation computes many elements by the common form of the expression, a round of them at a time, and notes those
 * that need the complete expression; a loop over these comes last.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import type { CommonForm } from './lib/math/commonForm.ts';
import { components } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

/** The maximum number of rounds of an invocation. */
export const maxRounds = 16;
/**
 * The invocations that run in parallel. Larger workgroups execute the loop over rare elements for each such group, also for
 * those without work.
 */
export const commonWorkgroup = 4;

interface Options {
  readonly expression: string;
  /** WGSL types of the operands, and of the result. */
  readonly types: readonly string[];
  readonly result: string;
  /** Operands are read at the index of the result, or hold a single value. */
  readonly layouts: readonly string[];
  /** Elements of a step. */
  readonly width: 1 | 4;
  /** Steps of a round. */
  readonly steps: number;
}

/** The kernel. `names` are those of the operands. */
export function commonElementwise(
  { expression, types, result, layouts, width, steps }: Options,
  { expression: common, isRare, functions }: CommonForm,
  names: readonly string[],
): string {
  const parameters = names.map((name, i) => `${name}: ${types[i]}`).join(', ');
  const at = (index: string) =>
    names.map((name, i) => `${name}_values[${layouts[i] === 'scalar' ? '0' : index}]`);
  /** `name` of the operands of an element, of which vectors have several. */
  const called = (name: string, component: string) => {
    const operands = names.map((own, i) =>
      width === 4 && layouts[i] === 'full' ? `${own}_value.${component}` : `${own}_value`,
    );
    return `${name}(${operands.join(', ')})`;
  };
  const lanes = components.slice(0, width);
  const loads = at('i').map((value, i) => `let ${names[i]}_value = ${value};`);
  const computed = lanes.map((component) => called('apply', component)).join(', ');
  const step = (index: number) => `{
      let i = first + ${index}u;
      ${loads.join('\n      ')}
      out[i] = ${width === 4 ? `vec4<${result}>(${computed})` : computed};
      ${lanes
        .map((component, lane) => {
          const bit = 2 ** (width * index + lane);
          return `bits |= select(0u, ${bit}u, ${called('is_rare', component)});`;
        })
        .join('\n      ')}
    }`;
  const component = width === 4 ? '[bit % 4u]' : '';
  const rarely = at('i').map((value, i) => (layouts[i] === 'full' ? `${value}${component}` : value));
  return wgsl`
${flatIndex}
${mathFunctions(expression, functions)}
fn apply(${parameters}) -> ${result} {
  return ${common};
}

fn is_rare(${parameters}) -> bool {
  return ${isRare};
}

fn apply_rarely(${parameters}) -> ${result} {
  return ${expression};
}

@compute @workgroup_size(${commonWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let start = (flat_group(group, groups) * params.rounds * ${commonWorkgroup}u + local) * ${steps}u;
  let last = params.count - ${steps}u;
  // A bit for each element of a round for which the common form isn't correct, and for each round with such elements.
  var rare: array<u32, ${maxRounds}>;
  var rare_rounds = 0u;
  for (var round = 0u; round < params.rounds; round++) {
    let at = start + round * ${commonWorkgroup * steps}u;
    if (at >= params.count) {
      break;
    }
    // The last one starts earlier instead of running past the end: some elements are computed twice.
    let first = min(at, last);
    var bits = 0u;
    ${Array.from({ length: steps }, (_, index) => step(index)).join('\n    ')}
    rare[round] = bits;
    rare_rounds |= select(0u, 1u << round, bits != 0u);
  }
  while (rare_rounds != 0u) {
    let round = firstTrailingBit(rare_rounds);
    let bits = rare[round];
    let bit = firstTrailingBit(bits);
    let i = min(start + round * ${commonWorkgroup * steps}u, last) + bit / ${width}u;
    out[i]${component} = apply_rarely(${rarely.join(', ')});
    let others = bits & (bits - 1u);
    rare[round] = others;
    rare_rounds &= select(0xffffffffu, rare_rounds - 1u, others == 0u);
  }
}
`;
}
