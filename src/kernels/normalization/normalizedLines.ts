/** @file What the kernels of layerNorm and rmsNorm share: the lines that they normalize, and the element types of their bindings. */
import type { LineOptions } from '../../../shaders/lib/lines.ts';
import { type Shape, sizeOf } from '../../core/shape.ts';
import type { Lines } from '../selection/lanes.ts';

/** Element types of bindings: of x, of parameters (one value per position of a line), and of moments (one per line). */
export function elementsOf({ order, width }: LineOptions) {
  const element = width === 4 ? 'vec4<f32>' : 'f32';
  return order === 'rows'
    ? { element, parameter: element, moment: 'f32' }
    : { element, parameter: 'f32', moment: element };
}

/** Returns the lines over adjacent axes; null for others. */
export function linesOver(shape: Shape, axes: readonly number[]): Lines | null {
  const first = axes[0] as number;
  const end = first + axes.length;
  if (axes.at(-1) !== end - 1) return null;
  const inner = sizeOf(shape.slice(end));
  return { count: sizeOf(shape.slice(0, first)) * inner, n: sizeOf(shape.slice(first, end)), inner };
}
