/**
 * @file Elementwise maps of one to four operands with broadcasting: unary, binary and ternary ops, comparisons,
 * selections and fused gradients are all instances of this one kernel.
 *
 * One invocation computes `steps` times `width` neighbouring elements of the output. Four are one vec4, loaded and stored as such; the
 * coordinates of operands that broadcast are then worked out once for the four.
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
  /** How many of them it computes. */
  steps: number;
};

export const elementwiseWorkgroup = 256;
export const operandNames = ['a', 'b', 'c', 'd'] as const;

/** Whether an operand is bound as an array of vectors. */
export function readsVectors(layout: OperandLayout, width: number): boolean {
  return width === 4 && (layout === 'full' || layout === 'strided');
}

export function elementwise(options: ElementwiseOptions): string {
  const { expression, types, result, layouts, rank, width, steps } = options;
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
  // Axes from the last to the first: each step takes the coordinate off the remaining index, the first takes what is left.
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const walk = axes.map((axis) => {
    const at = (field: string) => `params.${field}[${axis >> 2}][${axis & 3}]`;
    const outermost = axis === 0;
    return `{
    let coordinate = remaining${outermost ? '' : ` % ${at('shape')}`};
    ${outermost ? '' : `remaining /= ${at('shape')};`}
    ${walkers.map((name) => `${name}_offset += coordinate * ${at(`${name}_strides`)};`).join('\n    ')}
  }`;
  });
  return wgsl`
${flatIndex}
${mathFunctions(expression)}
fn apply(${parameters}) -> ${result} {
  return ${expression};
}

fn compute(i: u32) {
#if ${walkers.length > 0}
  var remaining = i;
  ${walkers.map((name) => `var ${name}_offset = 0u;`).join('\n  ')}
  ${walk.join('\n  ')}
#endif
  ${loads.join('\n  ')}
#if ${width === 4}
  out[i] = vec4<${result}>(${['x', 'y', 'z', 'w'].map(applied).join(', ')});
#else
  out[i] = ${applied('x')};
#endif
}

@compute @workgroup_size(${elementwiseWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${steps === 1}
  let i = flat_index(group, groups, local, ${elementwiseWorkgroup}u);
  if (i < params.count) {
    compute(i);
  }
#else
  // Neighbouring invocations stay on neighbouring elements at every step.
  var i = flat_group(group, groups) * ${elementwiseWorkgroup * steps}u + local;
  for (var step = 0u; step < ${steps}u; step++) {
    if (i < params.count) {
      compute(i);
    }
    i += ${elementwiseWorkgroup}u;
  }
#endif
}
`;
}
