/** @file nonzero, booleanMask: asynchronous, since their shapes depend on values. Only a count is read back. */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, normalizeAxis, sameShape, sizeOf, stridesOf } from '../../core/shape.ts';
import { requireDType } from '../../core/dtype.ts';
import { disposing, outsideScopes, tidy } from '../../tensor/scope.ts';
import { requireTensor } from '../../tensor/requireTensor.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sub } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { notEqual } from '../elementwise/comparison.ts';
import { zeros } from '../creation/creation.ts';
import { cumsum } from '../reductions/cumsum.ts';
import { floorDiv, mod } from '../elementwise/division.ts';
import { gather } from './gather.ts';
import { range } from '../creation/range.ts';
import { unrecorded } from '../define/recorders.ts';
import { reshape } from '../arrangement/reshape.ts';
import { segmentSum } from './segments.ts';
import { slice } from '../arrangement/slice.ts';
import { stack } from '../arrangement/stack.ts';
import { where } from '../elementwise/where.ts';

export interface BooleanMaskOptions {
  /** The first axis that the mask covers. Default 0. */
  axis?: number;
}

const maskOptionNames: OptionNames<BooleanMaskOptions> = { axis: true };

/**
 * The indices of the elements of `x` that aren't 0, in row-major order; NaN isn't 0. Any dtype. Shapes: x of rank
 * r → [count, r], int32. Asynchronous: the shape depends on the values, so the count is read back. It has no gradient.
 * Errors: ValueError unless x is a tensor.
 */
export async function nonzero(x: Tensor): Promise<Tensor<'int32'>>;
export async function nonzero(x: Tensor, ...settings: unknown[]): Promise<Tensor<'int32'>> {
  optionsOf('nonzero', settings, {}, ['x']);
  requireTensor('nonzero', 'x', x);
  const positions = await positionsOf(x);
  return disposing(positions, () =>
    apart(() => {
      const strides = stridesOf(x.shape);
      const columns = x.shape.map((n, axis) => mod(floorDiv(positions, strides[axis] as number), n));
      const found =
        columns.length > 0 ? stack(columns, { axis: 1 }) : zeros([positions.size, 0], { dtype: 'int32' });
      // Positions are int32, and so are the columns.
      return found as Tensor<'int32'>;
    }),
  );
}

/**
 * The slices of `x` where `mask` is true, in order. Any dtype. Shapes: x [..outer, ..mask, ..inner], mask of bools →
 * [..outer, count, ..inner]. The gradient goes to the slices that were taken. Asynchronous, like `nonzero`.
 * Errors: ShapeError unless x has the shape of the mask from `axis` on; DTypeError unless the mask is of bools; ValueError.
 */
export async function booleanMask(x: Tensor, mask: Tensor, options?: BooleanMaskOptions): Promise<Tensor>;
export async function booleanMask(
  x: Tensor,
  mask: Tensor,
  ...settings: Positions<BooleanMaskOptions, ['axis']>
): Promise<Tensor>;
export async function booleanMask(x: Tensor, mask: Tensor, ...settings: unknown[]): Promise<Tensor> {
  const { axis = 0 }: BooleanMaskOptions = optionsOf('booleanMask', settings, maskOptionNames, ['x', 'mask']);
  requireTensor('booleanMask', 'x', x);
  requireTensor('booleanMask', 'mask', mask);
  requireDType('booleanMask', 'mask', mask.dtype, ['bool']);
  const first = x.shape.length === 0 ? 0 : normalizeAxis('booleanMask', axis, x.shape.length);
  const end = first + mask.shape.length;
  if (mask.shape.length === 0 || !sameShape(x.shape.slice(first, end), mask.shape)) {
    throw new ShapeError({
      op: 'booleanMask',
      rule: '`x` must have the shape of `mask` from `axis` on, and the mask at least one axis.',
      received: `x ${formatShape(x.shape)}, mask ${formatShape(mask.shape)} and axis ${first}`,
      hint: 'reshape the mask, or name the axis at which it begins.',
    });
  }
  const positions = await positionsOf(mask);
  return disposing(positions, () =>
    tidy(() => {
      const shape = [...x.shape.slice(0, first), sizeOf(mask.shape), ...x.shape.slice(end)];
      return gather(reshape(x, { shape }), positions, { axis: first, validateIndices: false });
    }),
  );
}

/** Returns the flat positions of the elements of `x` that aren't 0: a vector, int32. */
async function positionsOf(x: Tensor): Promise<Tensor> {
  const size = sizeOf(x.shape);
  if (size === 0) return zeros([0], { dtype: 'int32' });
  const [places, last] = apart(() => {
    const flat = reshape(x, { shape: [size] });
    const wide = flat.dtype === 'float16' ? cast(flat, 'float32') : flat;
    const isSet = x.dtype === 'bool' ? flat : notEqual(wide, 0);
    const counts = cumsum(cast(isSet, 'int32'));
    return [where(isSet, sub(counts, 1), -1), slice(counts, { begin: size - 1 })] as const;
  });
  try {
    const [count] = (await last.data()) as Int32Array & [number];
    return apart(() =>
      // Each segment gets exactly one position, so the sum just moves it.
      segmentSum(range(0, size, 1, { dtype: 'int32' }), places, {
        numSegments: count,
        validateIndices: false,
      }),
    );
  } finally {
    last.dispose();
    places.dispose();
  }
}

/** Tapes needn't record integer computations, and the caller's scope ends before these do. */
const apart = <T>(body: () => T): T => unrecorded(() => outsideScopes(() => tidy(body)));
