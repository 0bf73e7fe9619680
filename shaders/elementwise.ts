/**
 * @file Elementwise maps of one to four operands with broadcasting: unary, binary and ternary ops, comparisons,
 * selections and fused gradients are all instances of this one kernel.
 *
 * One invocation computes `steps` times `width` neighbouring elements of the output. Four are one vec4, loaded and stored
 * as such; the coordinates of operands that broadcast are worked out once for the four, and once for all steps where
 * these lie in one line.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';

/**
 * How an operand is read: at the output's own index (`full`), as its only value (`scalar`), or through strides; where
 * four elements are computed at once, `strided` reads four neighbours and `spread` one value for all four.
 */
export type OperandLayout = 'full' | 'scalar' | 'strided' | 'spread';

export type ElementwiseOptions = {
  /** WGSL expression of `a`, `b`, `c`, `d` and the parameters `params.alpha`, `params.beta`. */
  expression: string;
  /** WGSL type of each operand. */
  types: readonly string[];
  /** WGSL type of the result. */
  result: string;
  layouts: readonly OperandLayout[];
  /** Axes that operands are read over through strides, after merging; 0 where none is. */
  rank: number;
  /** Elements, or vectors of elements, an invocation computes at a time. */
  width: 1 | 4;
  /** How many neighbours it computes; at most `count`. Written out, since a software adapter pays for each turn of a loop. */
  steps: number;
  /** Whether the steps of an invocation differ in the coordinate along the last axis alone. */
  aligned: boolean;
};

export const elementwiseWorkgroup = 128;
export const operandNames = ['a', 'b', 'c', 'd'] as const;

/** Whether an operand is bound as an array of vectors. */
export function readsVectors(layout: OperandLayout, width: number): boolean {
  return width === 4 && (layout === 'full' || layout === 'strided');
}

export function elementwise(options: ElementwiseOptions): string {
  const { expression, types, result, layouts, rank, width, steps, aligned } = options;
  const names = operandNames.slice(0, types.length);
  const parameters = names.map((name, i) => `${name}: ${types[i]}`).join(', ');
  const walkers = names.filter((_, i) => layouts[i] === 'strided' || layouts[i] === 'spread');
  const index = { full: 'i', scalar: '0', strided: '', spread: '' };
  const loads = names.map((name, i) => {
    const at = index[layouts[i] as OperandLayout] || `${name}_offset`;
    return `let ${name}_value = ${name}_values[${at}];`;
  });
  const applied = (component: string) => {
    const lane = (name: string, i: number) =>
      readsVectors(layouts[i] as OperandLayout, width) ? `${name}_value.${component}` : `${name}_value`;
    return `apply(${names.map(lane).join(', ')})`;
  };
  const component = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  // Axes from the last to the first: each step takes the coordinate off the remaining index, the first takes what is left.
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const walk = (from: string) => {
    const steps = axes.map((axis) => {
      const outermost = axis === 0;
      return `{
    let coordinate = remaining${outermost ? '' : ` % ${component('shape', axis)}`};
    ${outermost ? '' : `remaining /= ${component('shape', axis)};`}
    ${walkers.map((name) => `${name}_offset += coordinate * ${component(`${name}_strides`, axis)};`).join('\n    ')}
  }`;
    });
    return walkers.length === 0
      ? ''
      : `var remaining = ${from};
  ${walkers.map((name) => `var ${name}_offset = 0u;`).join('\n  ')}
  ${steps.join('\n  ')}`;
  };
  const compute = `${loads.join('\n  ')}
  out[i] = ${
    width === 4 ? `vec4<${result}>(${['x', 'y', 'z', 'w'].map(applied).join(', ')})` : applied('x')
  };`;
  const advance = walkers
    .map((name) => `${name}_offset += ${component(`${name}_strides`, rank - 1)};`)
    .join('\n  ');
  const following = (step: number) => `{
  let i = first + ${step}u;
  ${aligned ? (step > 0 ? advance : '') : walk('i')}
  ${compute}
  }`;
  return wgsl`
${flatIndex}
${mathFunctions(expression)}
fn apply(${parameters}) -> ${result} {
  return ${expression};
}

@compute @workgroup_size(${elementwiseWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${steps === 1}
  let i = flat_index(group, groups, local, ${elementwiseWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  ${walk('i')}
  ${compute}
#else
  let at = flat_index(group, groups, local, ${elementwiseWorkgroup}u) * ${steps}u;
  if (at >= params.count) {
    return;
  }
  // The last one begins earlier, rather than to end beyond the end: some elements are computed twice.
  let first = min(at, params.count - ${steps}u);
  ${aligned ? walk('first') : ''}
  ${Array.from({ length: steps }, (_, step) => following(step)).join('\n  ')}
#endif
}
`;
}
