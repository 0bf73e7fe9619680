/** @file repeat */
import { describe } from '../core/describe.ts';
import { ShapeError } from '../core/errors.ts';
import { normalizeAxis, requireInteger } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { gather } from './gather.ts';
import { reshape } from './reshape.ts';

/** Options of `repeat`. */
export interface RepeatOptions {
  /** How often each element is repeated; a list has one count for each element along `axis`. */
  repeats: number | readonly number[];
  /** Default null: x is flattened first. Negative axes count from the last. */
  axis?: number | null;
}

/**
 * Each element along `axis` repeated, as NumPy's repeat: [a, b] twice is [a, a, b, b]. Any dtype. The gradient is the sum
 * over the repetitions.
 * Errors: ShapeError for an axis that x lacks, and for counts that don't fit it; ValueError for negative counts.
 */
export const repeat: CompositeOp<[x: Tensor], RepeatOptions> = /* @__PURE__ */ defineComposite({
  name: 'repeat',
  inputs: ['x'],
  options: { repeats: true, axis: true },
  compose: ([x], { repeats, axis = null }) => {
    const flat = axis === null ? reshape(x, { shape: [-1] }) : x;
    const along = axis === null ? 0 : normalizeAxis('repeat', axis, x.shape.length);
    const counts = countsFor(repeats, flat.shape[along] as number);
    const indices = counts.flatMap((count, i) => new Array<number>(count).fill(i));
    return gather(flat, Int32Array.from(indices), { axis: along });
  },
});

/** How often each of `n` elements is repeated. */
function countsFor(repeats: unknown, n: number): number[] {
  const list = Array.isArray(repeats) && repeats.length !== 1 ? repeats : undefined;
  if (list && list.length !== n) {
    throw new ShapeError({
      op: 'repeat',
      rule: '`repeats` must be one count, or one for each element along the axis.',
      received: `repeats: ${describe(repeats)} for ${n} elements`,
      hint: `pass a number, or a list of ${n}.`,
    });
  }
  const counts: unknown[] = list ?? new Array(n).fill(Array.isArray(repeats) ? repeats[0] : repeats);
  if (n === 0 && !list) requireInteger('repeat', 'repeats', repeats, 0);
  return counts.map((count) => {
    requireInteger('repeat', 'repeats', count, 0);
    return count as number;
  });
}
