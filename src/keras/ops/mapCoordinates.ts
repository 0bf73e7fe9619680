/** @file mapCoordinates */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, requireFinite, requireOneOf } from '../../core/shape.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { mod } from '../../ops/elementwise/division.ts';
import { broughtInside, type FillMode, fillModes, isWithin } from '../../ops/images/fillModes.ts';
import { gatherNd } from '../../ops/indexing/gatherNd.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { floor } from '../../ops/elementwise/rounding.ts';
import { nearestPixel } from '../../ops/images/sampleImages.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { unstack } from '../../ops/arrangement/unstack.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export interface MapCoordinatesOptions {
  /** 0 for the nearest value, 1 for linear interpolation. */
  order: 0 | 1;
  /** What is outside of x: `fillValue`, the nearest value, or x repeated or mirrored. Default 'constant'. */
  fillMode?: FillMode;
  /** The value outside. Default 0. */
  fillValue?: number;
}

/**
 * The values of x at points between its elements. float32. Shapes: x of rank r, coordinates [r, ..points] in elements along
 * each axis → [..points]. Differentiable in both. Errors: ShapeError, DTypeError, ValueError.
 */
export const mapCoordinates: CompositeOp<
  [x: Tensor, coordinates: Tensor],
  MapCoordinatesOptions,
  Tensor,
  ['order', 'fillMode', 'fillValue']
> = /* @__PURE__ */ defineComposite({
  name: 'mapCoordinates',
  inputs: ['x', 'coordinates'],
  options: { order: true, fillMode: true, fillValue: true },
  compose: ([x, coordinates], { order, fillMode = 'constant', fillValue = 0 }) => {
    const op = 'mapCoordinates';
    if (order !== 0 && order !== 1) throw noOrder(order);
    requireOneOf(op, 'fillMode', fillMode, fillModes);
    requireFinite(op, 'fillValue', fillValue);
    if (coordinates.shape.length < 2 || coordinates.shape[0] !== x.shape.length)
      throw noCoordinates(x, coordinates);
    const places = unstack(coordinates, { axis: 0 });
    const read = (indices: readonly Tensor[]) => valueAt(x, indices, fillMode, fillValue);
    if (order === 0) return read(places.map(nearestPixel));
    return linear(places, [], read);
  },
});

/** Interpolates along one axis after another. */
function linear(
  [place, ...others]: readonly Tensor[],
  indices: readonly Tensor[],
  read: (indices: readonly Tensor[]) => Tensor,
): Tensor {
  if (!place) return read(indices);
  const low = floor(place);
  const below = linear(others, [...indices, low], read);
  const above = linear(others, [...indices, add(low, 1)], read);
  return add(below, mul(sub(above, below), sub(place, low)));
}

/** The element of x at integer coordinates, some of which may be outside. */
function valueAt(x: Tensor, indices: readonly Tensor[], fillMode: FillMode, fillValue: number): Tensor {
  const inside = indices.map((index, axis) =>
    cast(indexInside(index, x.shape[axis] as number, fillMode), 'int32'),
  );
  const found = gatherNd(x, stack(inside, { axis: -1 }), { validateIndices: false });
  if (fillMode !== 'constant') return found;
  const isInside = indices
    .map((index, axis) => isWithin(index, x.shape[axis] as number))
    .reduce((both, one) => logicalAnd(both, one));
  return where(isInside, found, fillValue);
}

/** An integer coordinate, mapped to one inside. Repeated as in SciPy: the last element is followed by the first. */
function indexInside(index: Tensor, size: number, fillMode: FillMode): Tensor {
  if (fillMode === 'wrap') return mod(index, size);
  return clip(broughtInside(index, size, fillMode), { min: 0, max: size - 1 });
}

const noOrder = (order: unknown) =>
  new ValueError({
    op: 'mapCoordinates',
    rule: '`order` is 0 for the nearest value, or 1 for linear interpolation.',
    received: `order: ${describe(order)}`,
    hint: 'pass { order: 1 }.',
  });

const noCoordinates = (x: Tensor, coordinates: Tensor) =>
  new ShapeError({
    op: 'mapCoordinates',
    rule: '`coordinates` must have a first axis with one entry for each axis of x, and another axis.',
    received: `x ${formatShape(x.shape)} and coordinates ${formatShape(coordinates.shape)}`,
    hint: 'stack the coordinates along each axis: stack([rows, columns]).',
  });
