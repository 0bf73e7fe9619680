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
  /** Elements, or vectors of them, an invocation computes: neighbours, at most `count`. */
  repeats: number;
  /** Of each input: whether these neighbours differ in its last coordinate alone. */
  aligned: readonly boolean[];
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
  const {
    expressions,
    operands,
    types,
    results,
    outputs,
    layouts,
    ranks,
    inputTypes,
    width,
    repeats,
    aligned,
  } = options;
  const applies = expressions.map((expression, step) => {
    const parameters = types[step]
      ?.split(' ')
      .filter(Boolean)
      .map((type, i) => `${operandNames[i]}: ${type}`);
    return `fn apply_${step}(${parameters?.join(', ')}) -> ${results[step]} {\n  return ${expression};\n}`;
  });
  const walkers = layouts.flatMap((layout, i) => (layout === 'strided' || layout === 'spread' ? [i] : []));
  const walks = (from: string, together: boolean) =>
    walkers
      .map((input, k) => (aligned[input] === together ? walk(from, input, k, ranks[input] as number) : ''))
      .join('\n  ');
  const advances = walkers
    .map((input, k) =>
      aligned[input] ? `offset_${input} += ${walkWord('strides', k, (ranks[input] as number) - 1)};` : '',
    )
    .join('\n  ');
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
  const neighbour = (repeat: number) => `{
  let i = first + ${repeat}u;
  ${repeat > 0 ? advances : ''}
  ${walks('i', false)}
  ${loads.join('\n  ')}
  ${steps.join('\n  ')}
  ${outputs.map((step, i) => `out_${i}[i] = v${step};`).join('\n  ')}
  }`;
  return wgsl`
${flatIndex}
${mathFunctions(expressions.join(' '))}
${applies.join('\n\n')}

@compute @workgroup_size(${elementwiseWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let at = flat_index(group, groups, local, ${elementwiseWorkgroup}u) * ${repeats}u;
  if (at >= params.count) {
    return;
  }
  // The last one begins earlier, rather than to end beyond the end: some elements are computed twice.
  let first = min(at, params.count - ${repeats}u);
  ${walks('first', true)}
  ${Array.from({ length: repeats }, (_, repeat) => neighbour(repeat)).join('\n  ')}
}
`;
}

function walkWord(field: 'shape' | 'strides', k: number, axis: number): string {
  return `params.${field}_${k}[${axis >> 2}][${axis & 3}]`;
}

/** Works out where walker `k`, input `input`, reads element `from`. */
function walk(from: string, input: number, k: number, rank: number): string {
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const lines = axes.map((axis) =>
    axis === 0
      ? `offset_${input} += rest_${input} * ${walkWord('strides', k, axis)};`
      : `offset_${input} += rest_${input} % ${walkWord('shape', k, axis)} * ${walkWord('strides', k, axis)};
  rest_${input} /= ${walkWord('shape', k, axis)};`,
  );
  return [`var offset_${input} = 0u;`, `var rest_${input} = ${from};`, ...lines].join('\n  ');
}
