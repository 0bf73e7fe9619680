/** @file repeat */
import { describe } from '../../core/describe.ts';
import { ShapeError } from '../../core/errors.ts';
import { normalizeAxis, requireInteger } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { gather } from '../indexing/gather.ts';
import { reshape } from './reshape.ts';

export interface RepeatOptions {
  /** How often each element is repeated; a list has one count for each element along `axis`. */
  repeats: number | readonly number[];
  /** Default null: x is flattened first. Negative axes count from the last. */
  axis?: number | null;
}

/**
 * Each element along `axis` repeated, like NumPy's repeat: [a, b] twice is [a, a, b, b]. Any dtype. The gradient is the sum
 * over the repetitions.
 * Errors: ShapeError for an axis that x lacks, and for counts that don't fit it; ValueError for negative counts.
 */
export const repeat: CompositeOp<[x: Tensor], RepeatOptions, Tensor, ['repeats', 'axis']> =
  /* @__PURE__ */ defineComposite({
    name: 'repeat',
    inputs: ['x'],
    options: { repeats: true, axis: true },
    compose: ([x], { repeats, axis = null }) => {
      const flat = axis === null ? reshape(x, { shape: [-1] }) : x;
      const along = axis === null ? 0 : normalizeAxis('repeat', axis, x.shape.length);
      const counts = countsFor(repeats, flat.shape[along] as number);
      return gather(flat, indicesFor(counts), { axis: along });
    },
  });

/** Each index i, counts[i] times. */
function indicesFor(counts: readonly number[]): Int32Array {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > maxRepeated) {
    throw new ShapeError({
      op: 'repeat',
      rule: `the axis of the result holds at most ${maxRepeated} elements.`,
      received: `${total} elements`,
      hint: 'take fewer repeats.',
    });
  }
  const indices = new Int32Array(total);
  let next = 0;
  counts.forEach((count, i) => {
    indices.fill(i, next, next + count);
    next += count;
  });
  return indices;
}

/** Indices are made on the host: at most 64 MiB of them. */
const maxRepeated = 2 ** 24;

/** Returns how often each of `n` elements is repeated. */
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
  return Array.from(counts, (count) => {
    requireInteger('repeat', 'repeats', count, 0);
    return count as number;
  });
}
