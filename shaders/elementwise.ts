/**
 * @file Elementwise ops of one to six operands with broadcasting: unary, binary and ternary ops, comparisons,
 * selections and fused gradients are all instances of this kernel.
 *
 * One invocation computes `steps` times `width` elements of the output. Four elements are loaded and stored as one vec4; the
 * coordinates of operands that broadcast are computed once for the four, and once for all steps if these are in one line.
 * Steps are adjacent, or interleaved: a workgroup apart, so that accesses are coalesced in each step, and all are loaded
 * before the first is used.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { groupOfLine } from './lib/lineGroups.ts';
import { commonForm, mathFunctions } from './lib/math.ts';
import { commonElementwise } from './commonElementwise.ts';

/**
 * How an operand is read: at the output's own index (`full`), as its only value (`scalar`), or through strides; if four
 * elements are computed at once, `strided` reads four adjacent values and `spread` one value for all four.
 */
export type OperandLayout = 'full' | 'scalar' | 'strided' | 'spread';

export type ElementwiseOptions = {
  /** WGSL expression of the operands, `a` to `f`, and the parameters `params.alpha`, `params.beta`. */
  expression: string;
  /** WGSL type of each operand. */
  types: readonly string[];
  /** WGSL type of the result. */
  result: string;
  layouts: readonly OperandLayout[];
  /** Axes of the operands that are read through strides, after merging; 0 if there are none. */
  rank: number;
  /** Elements, or vectors of elements, an invocation computes at a time. */
  width: 1 | 4;
  /**
   * How many of them it computes; at most `count`, or if they are interleaved, at most `count` per workgroup. Unrolled, since
   * a software adapter pays for each iteration of a loop.
   */
  steps: number;
  /** Whether the steps of an invocation are a workgroup apart. */
  interleaved: boolean;
  /** Whether elements are computed by the expression's common form first, and the others again (see commonElementwise). */
  common: boolean;
  /** Whether the steps of an invocation differ only in the coordinate along the last axis. */
  aligned: boolean;
  /**
   * Whether each line is divided into groups of `steps`, one per invocation (lib/lineGroups.ts). Implies `aligned`.
   */
  grouped: boolean;
};

export const elementwiseWorkgroup = 128;
export const operandNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** Returns whether an operand is bound as an array of vectors. */
export function readsVectors(layout: OperandLayout, width: number): boolean {
  return width === 4 && (layout === 'full' || layout === 'strided');
}

export function elementwise(options: ElementwiseOptions): string {
  const { expression, types, result, layouts, rank, width, steps, interleaved, common, aligned, grouped } =
    options;
  const names = operandNames.slice(0, types.length);
  const form = common ? commonForm(expression) : null;
  if (form) return commonElementwise(options, form, names);
  const parameters = names.map((name, i) => `${name}: ${types[i]}`).join(', ');
  const walkers = names.filter((_, i) => layouts[i] === 'strided' || layouts[i] === 'spread');
  const index = { full: 'i', scalar: '0', strided: '', spread: '' };
  const load = (name: string, i: number, suffix: string) => {
    const at = index[layouts[i] as OperandLayout] || `${name}_offset`;
    return `let ${name}_value${suffix} = ${name}_values[${at === 'i' ? `i${suffix}` : at}];`;
  };
  /** Whether all elements of an invocation read the same value of an operand. */
  const isHeld = (i: number) => aligned && layouts[i] === 'spread';
  const loads = (suffix: string) => names.flatMap((name, i) => (isHeld(i) ? [] : [load(name, i, suffix)]));
  const heldLoads = names.flatMap((name, i) => (isHeld(i) ? [load(name, i, '')] : [])).join('\n  ');
  const applied = (component: string, suffix: string) => {
    const lane = (name: string, i: number) =>
      readsVectors(layouts[i] as OperandLayout, width)
        ? `${name}_value${suffix}.${component}`
        : `${name}_value${suffix}`;
    return `apply(${names.map(lane).join(', ')})`;
  };
  const component = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  // Axes from the last to the first: each takes its coordinate off the remaining index; the first axis takes the rest.
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const walk = (from: string, over: readonly number[] = axes) => {
    const steps = over.map((axis) => {
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
  const store = (suffix: string) => {
    const lanes = ['x', 'y', 'z', 'w'].map((component) => applied(component, suffix)).join(', ');
    return `out[i${suffix}] = ${width === 4 ? `vec4<${result}>(${lanes})` : applied('x', suffix)};`;
  };
  const compute = `${loads('').join('\n  ')}
  ${store('')}`;
  const advance = walkers
    .filter((name) => !isHeld(names.indexOf(name)))
    .map((name) => `${name}_offset += ${component(`${name}_strides`, rank - 1)};`)
    .join('\n  ');
  const following = (step: number) => `{
  let i = first + ${step}u;
  ${aligned ? (step > 0 ? advance : '') : walk('i')}
  ${compute}
  }`;
  /** Loads the operands of one of several interleaved steps; offsets are named by the step. */
  const readStep = (step: number) => {
    const named = (text: string) => text.replaceAll(/\b(remaining|[a-f]_offset)\b/g, `$1_${step}`);
    return named([walk(`i_${step}`), ...loads(`_${step}`)].join('\n  '));
  };
  const numbers = Array.from({ length: steps }, (_, step) => step);
  const loaded = (step: number) => `let i_${step} = first + ${step * elementwiseWorkgroup}u;
  ${readStep(step)}`;
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
#elif ${interleaved}
  // The last workgroup starts earlier instead of running past the end: some elements are computed twice.
  let first = min(flat_group(group, groups) * ${steps * elementwiseWorkgroup}u, params.count - ${steps * elementwiseWorkgroup}u) + local;
  ${numbers.map(loaded).join('\n  ')}
  ${numbers.map((step) => store(`_${step}`)).join('\n  ')}
#elif ${grouped}
  ${groupOfLine(`flat_index(group, groups, local, ${elementwiseWorkgroup}u)`, 'column', component('shape', rank - 1), steps)}
  let first = line * ${component('shape', rank - 1)} + column;
  if (first >= params.count) {
    return;
  }
  ${walk('line', axes.slice(1))}
  ${walkers.map((name) => `${name}_offset += column * ${component(`${name}_strides`, rank - 1)};`).join('\n  ')}
  ${heldLoads}
  ${numbers.map(following).join('\n  ')}
#else
  let at = flat_index(group, groups, local, ${elementwiseWorkgroup}u) * ${steps}u;
  if (at >= params.count) {
    return;
  }
  // The last one starts earlier instead of running past the end: some elements are computed twice.
  let first = min(at, params.count - ${steps}u);
  ${aligned ? walk('first') : ''}
  ${heldLoads}
  ${numbers.map(following).join('\n  ')}
#endif
}
`;
}
