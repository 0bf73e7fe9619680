/**
 * @file Elementwise maps of one to four operands with broadcasting: unary, binary and ternary ops, comparisons,
 * selections and fused gradients are all instances of this one kernel.
 *
 * One invocation computes `width` neighbouring elements of the output.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';

/** How an operand is read: at the output's own index, as one value, or through strides. */
export type OperandLayout = 'full' | 'scalar' | 'strided';

export type ElementwiseOptions = {
  /** WGSL expression of `a`, `b`, `c`, `d` and the parameters `params.alpha`, `params.beta`. */
  expression: string;
  /** WGSL type of each operand. */
  types: readonly string[];
  /** WGSL type of the result. */
  result: string;
  layouts: readonly OperandLayout[];
  /** Axes that strided operands are read over, after merging; 0 where none is strided. */
  rank: number;
  /** Elements an invocation computes: 4 where all operands are full or scalar, otherwise 1. */
  width: 1 | 4;
};

export const elementwiseWorkgroup = 256;
export const operandNames = ['a', 'b', 'c', 'd'] as const;

export function elementwise({ expression, types, result, layouts, rank, width }: ElementwiseOptions): string {
  const names = operandNames.slice(0, types.length);
  const parameters = names.map((name, i) => `${name}: ${types[i]}`).join(', ');
  const vectors = width === 4;
  const lane = (name: string, i: number, component: string) =>
    layouts[i] === 'scalar' ? `${name}_scalar` : `${name}_vector.${component}`;
  const lanes = ['x', 'y', 'z', 'w'].map(
    (component) => `apply(${names.map((name, i) => lane(name, i, component)).join(', ')})`,
  );
  const loads = names.map((name, i) => {
    if (layouts[i] === 'scalar') return `let ${name}_scalar = ${name}_values[0]${vectors ? '.x' : ''};`;
    if (vectors) return `let ${name}_vector = ${name}_values[i];`;
    return `let ${name}_value = ${name}_values[${layouts[i] === 'strided' ? `${name}_offset` : 'i'}];`;
  });
  const strided = names.filter((_, i) => layouts[i] === 'strided');
  // Axes from the last to the first: each step takes the coordinate off the remaining index.
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const walk = axes.map((axis) => {
    const at = (field: string) => `params.${field}[${axis >> 2}][${axis & 3}]`;
    return `{
    let coordinate = remaining % ${at('shape')};
    remaining /= ${at('shape')};
    ${strided.map((name) => `${name}_offset += coordinate * ${at(`${name}_strides`)};`).join('\n    ')}
  }`;
  });
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
  let i = flat_index(group, groups, local, ${elementwiseWorkgroup}u);
  if (i >= params.count) {
    return;
  }
#if ${strided.length > 0}
  var remaining = i;
  ${strided.map((name) => `var ${name}_offset = 0u;`).join('\n  ')}
  ${walk.join('\n  ')}
#endif
  ${loads.join('\n  ')}
#if ${vectors}
  out[i] = vec4<${result}>(${lanes.join(', ')});
#else
  out[i] = apply(${names.map((name, i) => (layouts[i] === 'scalar' ? `${name}_scalar` : `${name}_value`)).join(', ')});
#endif
}
`;
}
