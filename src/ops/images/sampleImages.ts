/**
 * @file Values of images at points between pixels, for crops and transforms. One kernel computes the points and the values;
 * the gradients are formulas.
 */
import { checkShape, type Shape } from '../../core/shape.ts';
import { sampleImagesKernel, type SamplePlan } from '../../kernels/images/sampleImages.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { clip } from '../elementwise/clip.ts';
import { less } from '../elementwise/comparison.ts';
import { concat } from '../arrangement/concat.ts';
import { defineOp, type Op } from '../define/define.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { broughtInside, derivativeInside, type FillMode, isWithin } from './fillModes.ts';
import { gather, scatterAdd } from '../indexing/gather.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';
import { ceil, floor } from '../elementwise/rounding.ts';
import { stack } from '../arrangement/stack.ts';
import { unstack } from '../arrangement/unstack.ts';
import { sum } from '../reductions/sum.ts';
import { where } from '../elementwise/where.ts';

/** How values between pixels are interpolated. */
export type Interpolation = 'bilinear' | 'nearest';

export interface SampleOptions {
  /** Rows and columns of samples. */
  size: readonly [number, number];
  interpolation: Interpolation;
  fillMode: FillMode;
  fillValue: number;
}

/** Where samples lie, in pixels: tensors that broadcast to [k, rows, columns]. */
export interface Positions {
  readonly y: Tensor;
  readonly x: Tensor;
  /** Whether the value is `fillValue`, whatever the image; null if it never is. */
  readonly isFilled: Tensor | null;
}

/** A kind of points: the formulas of what the kernel computes, for gradients. */
export interface PointKind<P extends Positions> {
  readonly kind: Parameters<typeof sampleImagesKernel>[4];
  positions(points: Tensor, images: Shape, size: readonly [number, number]): P;
  /** The gradient of the points from those of y and x, [k, rows, columns]. */
  gradient(positions: P, dy: Tensor, dx: Tensor, images: Shape, points: Shape): Tensor;
}

/** Samples `images` [n, h, w, c] at points of k entries; `image` [k] has the image of each, by default the k-th. */
export type SamplingOp = Op<[images: Tensor, points: Tensor, image: Tensor | null], SampleOptions>;

/** Defines the samples at a kind of points → [k, ...size, c]. Differentiable in images and points. */
/* @__NO_SIDE_EFFECTS__ */
export function defineSampling<P extends Positions>(
  name: 'sampleImages' | 'sampleBoxes' | 'sampleMapped',
  { kind, positions, gradient }: PointKind<P>,
): SamplingOp {
  return defineOp({
    name,
    inputs: ['images', 'points', 'image?'],
    infer: ([images, points, image], { size, ...options }) => {
      const [n, , , channels] = images.shape as [number, number, number, number];
      const shape = [image ? (points.shape[0] as number) : n, ...size, channels];
      checkShape(name, shape);
      return { shape, dtype: 'float32', ...options };
    },
    forward: ([images, points, image], plan) => sampleImagesKernel(name, images, points, image, kind, plan),
    backward: ([dValues], { inputs: [images, points, image], needs, plan, options: { size } }) => {
      const { shape } = images;
      const at = positions(points, shape, size);
      const neighbours = neighboursOf(at, shape, plan);
      const corners = cornersOf(neighbours, image, shape, plan.fillMode);
      const dSamples = at.isFilled ? where(channelwise(at.isFilled), 0, dValues) : dValues;
      const dPoints = () => {
        const [dy, dx] = positionGradients(dSamples, images, at, neighbours, corners, plan);
        return gradient(at, dy, dx, shape, points.shape);
      };
      return [
        needs[0] ? imageGradient(dSamples, corners, shape) : null,
        needs[1] && plan.interpolation === 'bilinear' ? dPoints() : null,
        null,
      ];
    },
  });
}

/** Samples at positions [y, x] in pixels: points [k, ...size, 2]. */
export const sampleImages: SamplingOp = /* @__PURE__ */ defineSampling('sampleImages', {
  kind: 'positions',
  positions: (points) => {
    const [y, x] = unstack(points, { axis: -1 }) as [Tensor, Tensor];
    return { y, x, isFilled: null };
  },
  gradient: (_, dy, dx) => stack([dy, dx], { axis: -1 }),
});

/** The integer coordinate of pixels on one axis, and their weights; null for 1. */
interface Neighbour {
  readonly at: Tensor;
  readonly weight: Tensor | null;
}

/** The pixels next to samples. */
interface Corner {
  /** Their positions in the list of all pixels, [k, rows, columns]. */
  readonly index: Tensor;
  /** Whether they are pixels of the image rather than `fillValue`; null if all are. */
  readonly isInside: Tensor | null;
  readonly weight: Tensor | null;
}

/** Adds an axis for the channels. */
const channelwise = (x: Tensor) => expandDims(x, { axis: -1 });

/** The neighbours of samples on both axes. */
function neighboursOf(
  { y, x }: Positions,
  [, height, width]: Shape,
  { interpolation, fillMode }: SamplePlan,
): readonly [readonly Neighbour[], readonly Neighbour[]] {
  const along = (position: Tensor, size: number): Neighbour[] => {
    const inside = broughtInside(position, size, fillMode);
    if (interpolation === 'nearest') return [{ at: nearestPixel(inside), weight: null }];
    const low = floor(inside);
    const share = sub(inside, low);
    return [
      { at: low, weight: sub(1, share) },
      { at: add(low, 1), weight: share },
    ];
  };
  return [along(y, height as number), along(x, width as number)];
}

/** The pixels of all neighbours, row by row. */
function cornersOf(
  [rows, columns]: ReturnType<typeof neighboursOf>,
  image: Tensor | null,
  [n, height, width]: Shape,
  fillMode: FillMode,
): Corner[] {
  const first = reshape(image ?? range(0, n as number, 1, { dtype: 'int32' }), { shape: [-1, 1, 1] });
  const [down, across] = [height as number, width as number];
  const onAxis = (at: Tensor, size: number) => cast(clip(at, { min: 0, max: size - 1 }), 'int32');
  return rows.flatMap((row) =>
    columns.map((column) => ({
      index: add(mul(add(mul(first, down), onAxis(row.at, down)), across), onAxis(column.at, across)),
      isInside:
        fillMode === 'constant' ? logicalAnd(isWithin(row.at, down), isWithin(column.at, across)) : null,
      weight: row.weight && column.weight && mul(row.weight, column.weight),
    })),
  );
}

/** Adds the cotangents of samples, weighted, to the pixels of their corners. */
function imageGradient(dSamples: Tensor, corners: readonly Corner[], shape: Shape): Tensor {
  const [n, height, width, channels] = shape as [number, number, number, number];
  const updates = corners.map(({ isInside, weight }) => {
    const weighted = weight ? mul(dSamples, channelwise(weight)) : dSamples;
    return isInside ? where(channelwise(isInside), weighted, 0) : weighted;
  });
  const indices = concat(corners.map(({ index }) => index));
  const pixels = [n * height * width, channels];
  const summed = scatterAdd(indices, concat(updates), { shape: pixels, validateIndices: false });
  return reshape(summed, { shape });
}

/** The gradients of y and x, [k, rows, columns], of bilinear samples. */
function positionGradients(
  dSamples: Tensor,
  images: Tensor,
  { y, x }: Positions,
  [rows, columns]: ReturnType<typeof neighboursOf>,
  corners: readonly Corner[],
  { fillMode, fillValue }: SamplePlan,
): readonly [Tensor, Tensor] {
  const [n, height, width, channels] = images.shape as [number, number, number, number];
  const pixels = reshape(images, { shape: [n * height * width, channels] });
  const values = corners.map(({ index, isInside }) => {
    const read = gather(pixels, index, { validateIndices: false });
    return isInside ? where(channelwise(isInside), read, fillValue) : read;
  });
  const [topLeft, topRight, bottomLeft, bottomRight] = values as [Tensor, Tensor, Tensor, Tensor];
  const along = (near: Tensor, far: Tensor, { weight }: Neighbour, position: Tensor, size: number) => {
    const derivative = add(near, mul(sub(far, near), channelwise(weight as Tensor)));
    const gradient = sum(mul(dSamples, derivative), { axis: -1 });
    const inside = derivativeInside(position, size, fillMode);
    return inside ? mul(gradient, inside) : gradient;
  };
  return [
    along(sub(bottomLeft, topLeft), sub(bottomRight, topRight), columns[1] as Neighbour, y, height),
    along(sub(topRight, topLeft), sub(bottomRight, bottomLeft), rows[1] as Neighbour, x, width),
  ];
}

/** The integer nearest to a position. Ties go away from 0, as in TensorFlow. */
export const nearestPixel = (position: Tensor): Tensor =>
  where(less(position, 0), ceil(sub(position, 0.5)), floor(add(position, 0.5)));
