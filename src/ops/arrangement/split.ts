/** @file split */
import { ShapeError } from '../../core/errors.ts';
import { requireOutputs } from '../../core/outputs.ts';
import { describe, formatShape, normalizeAxis, type Shape } from '../../core/shape.ts';
import { copied } from '../../kernels/copies/copy.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { blockLayout, placeParts } from './slice.ts';

export interface SplitOptions {
  /** The number of equal parts, or the size of each part; one size may be -1: it is inferred. */
  numOrSizeSplits: number | readonly number[];
  /** Negative axes count from the last. Default 0. */
  axis?: number;
}

/**
 * `x` split into parts along `axis`. Any dtype. The gradient is the concatenation of the parts' gradients, zeros for parts
 * that nothing depends on.
 * Errors: ShapeError if the parts don't add up to the axis.
 */
export const split: Op<[x: Tensor], SplitOptions, Tensor[], 'first', ['numOrSizeSplits', 'axis']> =
  /* @__PURE__ */ defineOp({
    name: 'split',
    inputs: ['x'],
    options: { numOrSizeSplits: true, axis: true },
    save: { inputs: [] },
    infer: ([{ shape, dtype }], options) => {
      const { axis, sizes } = parts(shape, options);
      let next = 0;
      return sizes.map((size) => {
        const begin = shape.map((_, i) => (i === axis ? next : 0));
        next += size;
        const part = shape.map((n, i) => (i === axis ? size : n));
        return { shape: part, dtype, begin, layout: blockLayout(shape, begin) };
      });
    },
    forward: ([x], plan) => plan.map((part) => copied('split', x, part.layout, part)),
    takesNull: true,
    backward: (cotangents, { inputSpecs: [x], plan }) => [placeParts([{ cotangents, plan }], x)],
    joinedBackward: placeParts,
    cost: noFlops,
  });

function parts(shape: Shape, { numOrSizeSplits, axis = 0 }: SplitOptions): { axis: number; sizes: number[] } {
  const along = normalizeAxis('split', axis, shape.length);
  const count = Array.isArray(numOrSizeSplits) ? numOrSizeSplits.length : numOrSizeSplits;
  if (typeof count === 'number') requireOutputs('split', count);
  const sizes = sizesOf(shape[along] as number, numOrSizeSplits);
  if (sizes) return { axis: along, sizes };
  throw new ShapeError({
    op: 'split',
    rule: '`numOrSizeSplits` must be a count that divides the axis, or sizes that add up to it with at most one -1.',
    received: `numOrSizeSplits: ${describe(numOrSizeSplits)} for axis ${along} of shape ${formatShape(shape)}`,
    hint: 'choose a divisor of the axis, or let one size be -1 for what remains.',
  });
}

function sizesOf(n: number, given: unknown): number[] | null {
  if (Number.isInteger(given) && (given as number) > 0) {
    const count = given as number;
    return n % count === 0 ? new Array<number>(count).fill(n / count) : null;
  }
  if (!Array.isArray(given) || given.length === 0) return null;
  // Copied, since `every` skips holes.
  if (![...given].every((size) => Number.isInteger(size) && size >= -1)) return null;
  const open = given.filter((size) => size === -1).length;
  const sum = given.reduce((total, size) => total + Math.max(0, size), 0);
  if (open > 1 || (open === 0 ? sum !== n : sum > n)) return null;
  return given.map((size) => (size === -1 ? n - sum : size));
}
