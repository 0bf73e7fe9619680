/** @file maxPool3d, avgPool3d: 2D pooling followed by pooling along the depth, since pooling is separable. */
import { type DType, requireDType } from '../../core/dtype.ts';
import { requireRank } from '../../core/shape.ts';
import { paddingOfAxes, slideWindows } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { avgPool, avgPool1d } from './avgPool.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { maxPool, maxPool1d } from './maxPool.ts';
import { poolOptionNames, type PoolOptions, type PoolPositions, poolWindows } from './pooling.ts';
import { numbers } from '../reductions/reduction.ts';
import { reshape } from '../arrangement/reshape.ts';

type Pool = (x: Tensor, options: PoolOptions) => Tensor;

/* @__NO_SIDE_EFFECTS__ */
function definePool3d(
  name: string,
  dtypes: readonly DType[],
  ofImages: Pool,
  ofDepths: Pool,
): CompositeOp<[x: Tensor], PoolOptions, Tensor, PoolPositions> {
  return defineComposite({
    name,
    // Maxima are exact in float16, means of means aren't.
    ...(dtypes.includes('float16') ? {} : { acceptsFloat16: false }),
    inputs: ['x'],
    options: poolOptionNames,
    compose: ([x], options) => {
      requireRank(name, 'x', x.shape, 5);
      requireDType(name, 'x', x.dtype, dtypes);
      const windows = poolWindows(name, options, 3);
      const axes = slideWindows(name, x.shape.slice(1, 4), windows);
      const [deep, down, across] = axes.map(({ output }) => output) as [number, number, number];
      const along = (from: number, to: number): PoolOptions => ({
        poolSize: windows.window.slice(from, to),
        strides: windows.strides.slice(from, to),
        padding: paddingOfAxes(windows.padding, from, to),
      });
      const [n, depth, height, width, channels] = x.shape as [number, number, number, number, number];
      const images = ofImages(reshape(x, { shape: [n * depth, height, width, channels] }), along(1, 3));
      const lines = reshape(images, { shape: [n, depth, down * across * channels] });
      return reshape(ofDepths(lines, along(0, 1)), { shape: [n, deep, down, across, channels] });
    },
  });
}

/**
 * The maximum of each window of a volume. Padding never wins; NaN does. float32, int32, uint32.
 * Shapes: x [n, d, h, w, c] → [n, windows deep, windows down, windows across, c].
 * Gradient: the first maximum of a window, in row-major order, takes all.
 * Errors: ShapeError for another rank, or windows larger than the volume; ValueError for options; DTypeError.
 */
export const maxPool3d: CompositeOp<[x: Tensor], PoolOptions, Tensor, PoolPositions> =
  /* @__PURE__ */ definePool3d('maxPool3d', [...numbers, 'float16'], maxPool, maxPool1d);

/**
 * The mean of each window of a volume; padding doesn't count. float32.
 * Shapes: x [n, d, h, w, c] → [n, windows deep, windows down, windows across, c].
 * Errors: ShapeError for another rank, or windows larger than the volume; ValueError for options; DTypeError.
 */
export const avgPool3d: CompositeOp<[x: Tensor], PoolOptions, Tensor, PoolPositions> =
  /* @__PURE__ */ definePool3d('avgPool3d', ['float32'], avgPool, avgPool1d);
