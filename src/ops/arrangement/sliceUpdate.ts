/** @file sliceUpdate */
import { requireSameDType } from '../define/define.ts';
import { ShapeError } from '../../core/errors.ts';
import { describe, formatShape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { ones } from '../creation/creation.ts';
import { pad } from './pad.ts';
import { where } from '../elementwise/where.ts';

export interface SliceUpdateOptions {
  /** Where the block begins, on each axis. */
  begin: readonly number[];
}

/**
 * `x` with the block from `begin` on replaced by `updates`. float32, int32, uint32, bool. Shapes: x, and updates of the same
 * rank, no larger → that of x. The gradient of x is zero in the block, that of the updates is the block.
 * Errors: ShapeError if the block extends beyond x, DTypeError unless both have the same dtype.
 */
export const sliceUpdate: CompositeOp<[x: Tensor, updates: Tensor], SliceUpdateOptions, Tensor, ['begin']> =
  /* @__PURE__ */ defineComposite({
    name: 'sliceUpdate',
    inputs: ['x', 'updates'],
    options: { begin: true },
    compose: ([x, updates], { begin }) => {
      requireSameDType('sliceUpdate', x, updates);
      const paddings = paddingsOf(x, updates, begin);
      // A mask, since multiplying by zeros wouldn't remove a NaN.
      const isInside = pad(ones(updates.shape, { dtype: 'bool' }), { paddings });
      return where(isInside, pad(updates, { paddings }), x);
    },
  });

/** Returns the paddings that place the block in x. */
function paddingsOf(x: Tensor, updates: Tensor, begin: unknown): [number, number][] {
  const starts: unknown[] = Array.isArray(begin) ? begin : [];
  const fits =
    starts.length === x.shape.length &&
    updates.shape.length === x.shape.length &&
    x.shape.every((n, i) => {
      const start = starts[i] as number;
      return Number.isInteger(start) && start >= 0 && start + (updates.shape[i] as number) <= n;
    });
  if (fits)
    return x.shape.map((n, i) => [
      starts[i] as number,
      n - (starts[i] as number) - (updates.shape[i] as number),
    ]);
  throw new ShapeError({
    op: 'sliceUpdate',
    rule: 'the block of `updates` at `begin` must lie in `x`, which has the same rank.',
    received: `begin: ${describe(begin)}, updates ${formatShape(updates.shape)} and x ${formatShape(x.shape)}`,
    hint: 'pass one start for each axis, 0 for those that are replaced from the beginning.',
  });
}
