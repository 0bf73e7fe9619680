/**
 * @file A chain of elementwise maps in one launch: what one map hands to the next stays in registers.
 *
 * An operand is written `i2` (input 2), `v3` (the value of step 3) or `c7` (the word 7 of the scalars, a constant);
 * `v3.x` is the one value of step 3. An input is read at the output's own index (`full`), as its only value (`scalar`) or
 * through strides (`strided`, `spread`: see elementwise).
 */
import { elementwiseWorkgroup, type OperandLayout, operandNames, readsVectors } from './elementwise.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type FusedElementwiseOptions = {
  /** WGSL expression of each step, of `a` to `d`, with scalars as `scalarWord` writes them. */
  expressions: readonly string[];
  /** Operands of each step, joined by spaces. */
  operands: readonly string[];
  /** WGSL types of the operands of each step, joined by spaces. */
  types: readonly string[];
  /** WGSL type of each step's value. */
  results: readonly string[];
  /** Steps whose values are written, in the order of the outputs. */
  outputs: readonly number[];
  /** Of each input. */
  layouts: readonly OperandLayout[];
  /** Axes of each input that is read through strides; 0 for the others. */
  ranks: readonly number[];
  inputTypes: readonly string[];
  width: 1 | 4;
  /** Elements, or vectors of them, an invocation computes. */
  repeats: number;
};

/** Words of scalars. */
export const fusedScalars = 16;
/** Inputs that are read through strides. */
export const fusedWalkers = 2;

/** Word `n` of the scalars, in WGSL. */
export function scalarWord(n: number): string {
  return `params.scalars_${n < 8 ? 'low' : 'high'}[${(n >> 2) & 1}][${n & 3}]`;
}

const components = ['x', 'y', 'z', 'w'] as const;

export function fusedElementwise(options: FusedElementwiseOptions): string {
  const { expressions, operands, types, results, outputs, layouts, ranks, inputTypes, width, repeats } =
    options;
  const applies = expressions.map((expression, step) => {
    const parameters = types[step]
      ?.split(' ')
      .filter(Boolean)
      .map((type, i) => `${operandNames[i]}: ${type}`);
    return `fn apply_${step}(${parameters?.join(', ')}) -> ${results[step]} {\n  return ${expression};\n}`;
  });
  const walkers = layouts.flatMap((layout, i) => (layout === 'strided' || layout === 'spread' ? [i] : []));
  const walks = walkers.map((input, k) => walk(input, k, ranks[input] as number));
  const loads = inputTypes.map((_, i) => {
    const at = { full: 'i', scalar: '0', strided: `offset_${i}`, spread: `offset_${i}` };
    return `let i${i} = in_${i}[${at[layouts[i] as OperandLayout]}];`;
  });
  const steps = expressions.map((_, step) => {
    const names = (operands[step] as string).split(' ').filter(Boolean);
    const kinds = (types[step] as string).split(' ').filter(Boolean);
    const applied = (component: string) => {
      const lanes = names.map((name, i) => lane(name, kinds[i] as string, component));
      return `apply_${step}(${lanes.join(', ')})`;
    };
    const value = width === 4 ? `vec4<${results[step]}>(${components.map(applied).join(', ')})` : applied('');
    return `let v${step} = ${value};`;
  });
  function lane(name: string, type: string, component: string): string {
    const at = Number(name.slice(1));
    if (name.startsWith('c')) return `bitcast<${type}>(${scalarWord(at)})`;
    if (name.endsWith('.x')) return width === 4 ? name : name.slice(0, -2);
    const isVector =
      width === 4 && (name.startsWith('v') || readsVectors(layouts[at] as OperandLayout, width));
    const value = isVector ? `${name}.${component}` : name;
    const from = name.startsWith('v') ? results[at] : inputTypes[at];
    return from === type ? value : `bitcast<${type}>(${value})`;
  }
  return wgsl`
${flatIndex}
${mathFunctions(expressions.join(' '))}
${applies.join('\n\n')}

fn compute(i: u32) {
  ${walks.join('\n  ')}
  ${loads.join('\n  ')}
  ${steps.join('\n  ')}
  ${outputs.map((step, i) => `out_${i}[i] = v${step};`).join('\n  ')}
}

@compute @workgroup_size(${elementwiseWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  var i = flat_group(group, groups) * ${elementwiseWorkgroup * repeats}u + local;
  for (var step = 0u; step < ${repeats}u; step++) {
    if (i < params.count) {
      compute(i);
    }
    i += ${elementwiseWorkgroup}u;
  }
}
`;
}

/** Works out where walker `k`, input `input`, reads. */
function walk(input: number, k: number, rank: number): string {
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const at = (field: string, axis: number) => `params.${field}_${k}[${axis >> 2}][${axis & 3}]`;
  const lines = axes.map((axis) =>
    axis === 0
      ? `offset_${input} += rest_${input} * ${at('strides', axis)};`
      : `offset_${input} += rest_${input} % ${at('shape', axis)} * ${at('strides', axis)};
  rest_${input} /= ${at('shape', axis)};`,
  );
  return [`var offset_${input} = 0u;`, `var rest_${input} = i;`, ...lines].join('\n  ');
}
