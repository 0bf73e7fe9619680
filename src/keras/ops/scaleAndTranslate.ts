/** @file scaleAndTranslate: images resampled along any axes, at positions that tensors give. */
import { ValueError } from '../../core/errors.ts';
import { optionsOf, type Settings } from '../../core/options.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { describe, normalizeAxes, requireBoolean, requireOneOf } from '../../core/shape.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { range } from '../../ops/creation/range.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { greater, greaterEqual, less, lessEqual } from '../../ops/elementwise/comparison.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { sin } from '../../ops/elementwise/trigonometric.ts';
import { square } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import { tensordot } from '../../ops/products/outer.ts';
import { sum } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats } from './composites.ts';

const methods = [
  'linear',
  'bilinear',
  'trilinear',
  'cubic',
  'bicubic',
  'tricubic',
  'lanczos3',
  'lanczos5',
] as const;

export interface ScaleAndTranslateOptions {
  /** The shape of the result. */
  outputShape: readonly number[];
  /** The axes that are resampled, one for each scale. */
  spatialDims: readonly number[];
  /** How pixels are interpolated. */
  method: (typeof methods)[number];
  /** Whether larger neighbourhoods are averaged when images get smaller. Default true. */
  antialias?: boolean;
}

const filters: Readonly<Record<string, (x: Tensor) => Tensor>> = {
  linear: (x) => maximum(sub(1, x), 0),
  /** Source: R. Keys, "Cubic convolution interpolation for digital image processing", 1981. */
  cubic: (x) => {
    const near = add(mul(mul(sub(mul(x, 1.5), 2.5), x), x), 1);
    const far = add(mul(sub(mul(add(mul(x, -0.5), 2.5), x), 4), x), 2);
    return where(less(x, 1), near, where(less(x, 2), far, 0));
  },
  lanczos3: (x) => lanczos(x, 3),
  lanczos5: (x) => lanczos(x, 5),
};

function lanczos(x: Tensor, radius: number): Tensor {
  const angle = mul(x, Math.PI);
  const product = mul(mul(sin(angle), sin(div(angle, radius))), radius);
  const isNear = less(x, 1e-3);
  const curve = div(product, where(isNear, 1, square(angle)));
  return where(isNear, 1, where(less(x, radius), curve, 0));
}

/** The weights of `count` pixels in `size` results: [count, size]. Positions outside of the image have none. */
function weightsOf(
  [count, size]: readonly [number, number],
  scale: Tensor,
  translation: Tensor,
  filter: (x: Tensor) => Tensor,
  antialias: boolean,
): Tensor {
  const step = div(1, scale);
  const width = antialias ? maximum(step, 1) : 1;
  const places = sub(mul(sub(add(range(0, size), 0.5), translation), step), 0.5);
  const pixels = reshape(range(0, count), { shape: [count, 1] });
  const weights = filter(div(abs(sub(places, pixels)), width));
  const total = sum(weights, { axis: 0, keepDims: true });
  const isCovered = logicalAnd(
    greater(abs(total), 1000 * 2 ** -23),
    logicalAnd(greaterEqual(places, -0.5), lessEqual(places, count - 0.5)),
  );
  return where(isCovered, div(weights, where(isCovered, total, 1)), 0);
}

const resampled: CompositeOp<
  [images: Tensor, scale: Tensor, translation: Tensor],
  ScaleAndTranslateOptions,
  Tensor
> = /* @__PURE__ */ composeFloats({
  name: 'scaleAndTranslate',
  inputs: ['images', 'scale', 'translation'],
  options: { spatialDims: false, method: false, antialias: false, outputShape: false },
  compose: ([images, scale, translation], { outputShape, spatialDims, method, antialias = true }) => {
    const op = 'scaleAndTranslate';
    requireOneOf(op, 'method', method, methods);
    requireBoolean(op, 'antialias', antialias);
    const axes = normalizeAxes(op, spatialDims, images.shape.length);
    const isKept = images.shape.every((n, i) => axes.includes(i) || n === outputShape[i]);
    if (outputShape.length !== images.shape.length || !isKept) throw badShape(outputShape, images.shape);
    const filter = filters[method.replace(/^bi|^tri/, '')] as (x: Tensor) => Tensor;
    return axes.reduce((result, axis, i) => {
      const at = (values: Tensor) => slice(values, { begin: [i], size: [1] });
      const sizes = [images.shape[axis] as number, outputShape[axis] as number] as const;
      const weights = weightsOf(sizes, at(scale), at(translation), filter, antialias);
      const product = tensordot(result, weights, { axes: [[axis], [0]] } as never);
      return moveAxis(product, { source: -1, destination: axis });
    }, images);
  },
});

/**
 * Images scaled by `scale` and moved by `translation` pixels, along the axes `spatialDims`, with the shape `outputShape`; 0 beyond
 * the image. float32. Differentiable in all tensors. Source: as of JAX's scale_and_translate. Errors: ShapeError, ValueError.
 */
export function scaleAndTranslate(
  images: TensorLike,
  outputShape: readonly number[],
  scale: TensorLike,
  translation: TensorLike,
  spatialDims: readonly number[],
  method: ScaleAndTranslateOptions['method'],
  ...settings: Settings<Pick<ScaleAndTranslateOptions, 'antialias'>, ['antialias']>
): Tensor;
export function scaleAndTranslate(
  images: TensorLike,
  outputShape: readonly number[],
  scale: TensorLike,
  translation: TensorLike,
  spatialDims: readonly number[],
  method: ScaleAndTranslateOptions['method'],
  ...settings: unknown[]
): Tensor {
  const options = optionsOf('scaleAndTranslate', settings, { antialias: true }, before);
  return resampled(images, scale, translation, { outputShape, spatialDims, method, ...options });
}

const before = ['images', 'outputShape', 'scale', 'translation', 'spatialDims', 'method'];

const badShape = (wanted: readonly number[], shape: readonly number[]) =>
  new ValueError({
    op: 'scaleAndTranslate',
    rule: '`outputShape` differs from the shape of the images only along `spatialDims`.',
    received: `outputShape: ${describe(wanted)} for ${describe(shape)}`,
    hint: 'list all axes that change.',
  });
