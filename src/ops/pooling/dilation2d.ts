/** @file dilation2d */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireRank, type Shape, sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Padding, slideWindows, type WindowAxis, windowOptions } from '../../core/windows.ts';
import { dilation2dKernel } from '../../kernels/images/dilation2d.ts';
import { placedKernel } from '../../kernels/images/pool.ts';
import type { WindowGeometry } from '../../kernels/images/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { type PoolPlan, poolCost } from './pooling.ts';
import { reshape } from '../arrangement/reshape.ts';
import { scatterAddAlongAxis, takeAlongAxis } from '../indexing/takeAlongAxis.ts';

export interface Dilation2dOptions {
  /** Steps between windows, along height and width. One number applies to both. Default 1. */
  strides?: number | readonly number[];
  /** 'valid' (default), 'same', or [before, after] for each spatial axis. */
  padding?: Padding;
  /** Steps between the taps of a window. Default 1. */
  dilationRate?: number | readonly number[];
}

/** The position of each window's first maximum: the pixel of the image, row · width + column, or the tap of the filter. */
/* @__NO_SIDE_EFFECTS__ */
function definePositions(
  name: 'dilation2dPixels' | 'dilation2dTaps',
  kind: 'pixel' | 'tap',
): Op<[x: Tensor, filter: Tensor], Dilation2dOptions> {
  return defineOp({
    name,
    inputs: ['x', 'filter'],
    infer: ([x, filter], options) => ({ ...planDilation(x, filter, options), dtype: 'uint32' as const }),
    forward: ([x, filter], plan, { op }) => dilation2dKernel(op, kind, x, filter, plan.geometry, plan),
    backward: null,
    cost: (_, [y], plan) => poolCost(y, plan),
  });
}

const pixels = /* @__PURE__ */ definePositions('dilation2dPixels', 'pixel');
const taps = /* @__PURE__ */ definePositions('dilation2dTaps', 'tap');

interface PlaceOptions {
  /** Shape of the image. */
  shape: Shape;
  /** Rows and columns of a window. */
  window: readonly number[];
  dilation: Dilation2dOptions;
}

/** Moves each element of dy to its pixel of an image of `shape`; sums those of the same pixel. Linear in dy. */
const place: Op<[pixels: Tensor, dy: Tensor], PlaceOptions> = /* @__PURE__ */ defineOp({
  name: 'dilation2dPlace',
  inputs: ['pixels', 'dy'],
  save: { inputs: [0] },
  infer: ([, { dtype }], { shape, window, dilation }) => {
    const { rows, columns, ...geometry } = dilationGeometry(shape, window, dilation);
    // Pixels that windows skip are never a maximum.
    const extended = { ...geometry, rows: undilated(rows), columns: undilated(columns) };
    return { shape, dtype, geometry: extended };
  },
  forward: ([at, dy], plan, { op }) => placedKernel(op, at, dy, plan.geometry, plan),
  backward: ([ddx], { inputs: [at] }) => {
    const ofImage = ([n, height, width, channels]: Shape) =>
      [n, (height as number) * (width as number), channels] as number[];
    const image = reshape(ddx, { shape: ofImage(ddx.shape) });
    const inImage = reshape(at, { shape: ofImage(at.shape) });
    const picked = takeAlongAxis(image, inImage, { axis: 1, validateIndices: false });
    return [null, reshape(picked, { shape: at.shape })];
  },
  cost: ([, dy], _, plan) => poolCost(dy, plan),
});

/**
 * Grayscale dilation: the maximum of x + filter over each window, channel by channel; padding never wins. float32.
 * Shapes: x [n, h, w, c], filter [rows, columns, c] → [n, windows down, windows across, c]. The gradient of a window goes to its
 * first maximum, in x and in the filter. Source: TensorFlow's dilation2d.
 * Errors: ShapeError for other ranks or channels and for windows larger than the image; ValueError, DTypeError.
 */
export const dilation2d: Op<
  [x: Tensor, filter: Tensor],
  Dilation2dOptions,
  Tensor<'float32'>,
  'unknown',
  ['strides', 'padding', 'dilationRate']
> = /* @__PURE__ */ defineOp({
  name: 'dilation2d',
  inputs: ['x', 'filter'],
  options: { strides: true, padding: true, dilationRate: true },
  infer: ([x, filter], options) => planDilation(x, filter, options),
  forward: ([x, filter], plan, { op }) => dilation2dKernel(op, 'max', x, filter, plan.geometry, plan),
  backward: ([dy], { inputs: [x, filter], needs, options }) => [
    needs[0] ? inputGradient(x, filter, dy, options) : null,
    needs[1] ? filterGradient(x, filter, dy, options) : null,
  ],
  cost: (_, [y], plan) => poolCost(y, plan),
});

function inputGradient(x: Tensor, filter: Tensor, dy: Tensor, dilation: Dilation2dOptions): Tensor {
  const window = filter.shape.slice(0, 2);
  return place(pixels(x, filter, dilation), dy, { shape: x.shape, window, dilation });
}

function filterGradient(x: Tensor, filter: Tensor, dy: Tensor, dilation: Dilation2dOptions): Tensor {
  const [rows, columns, channels] = filter.shape as [number, number, number];
  const perChannel = (t: Tensor) => reshape(t, { shape: [sizeOf(dy.shape) / channels, channels] });
  const sums = scatterAddAlongAxis(perChannel(taps(x, filter, dilation)), perChannel(dy), {
    shape: [rows * columns, channels],
    axis: 0,
    validateIndices: false,
  });
  return reshape(sums, { shape: filter.shape });
}

function planDilation(x: TensorSpec, filter: TensorSpec, options: Dilation2dOptions): PoolPlan {
  requireShapes(x, filter);
  const geometry = dilationGeometry(x.shape, filter.shape.slice(0, 2), options);
  const { batch, rows, columns, channels } = geometry;
  return { shape: [batch, rows.output, columns.output, channels], dtype: x.dtype, geometry };
}

function dilationGeometry(x: Shape, window: readonly number[], options: Dilation2dOptions): WindowGeometry {
  const windows = windowOptions('dilation2d', window, options, 2);
  const [rows, columns] = slideWindows('dilation2d', x.slice(1, 3), windows) as [WindowAxis, WindowAxis];
  return { batch: x[0] as number, channels: x[3] as number, rows, columns };
}

/** The same windows with all pixels that they cover. */
function undilated(axis: WindowAxis): WindowAxis {
  return { ...axis, window: (axis.window - 1) * axis.dilation + 1, dilation: 1 };
}

function requireShapes(x: TensorSpec, filter: TensorSpec): void {
  for (const [name, { dtype }] of Object.entries({ x, filter }))
    requireDType('dilation2d', name, dtype, ['float32']);
  requireRank('dilation2d', 'x', x.shape, 4);
  requireRank('dilation2d', 'filter', filter.shape, 3);
  if (x.shape[3] === filter.shape[2] && !filter.shape.includes(0)) return;
  throw new ShapeError({
    op: 'dilation2d',
    rule: '`filter` must have at least one tap, and the channels of `x`.',
    received: `x ${formatShape(x.shape)} and filter ${formatShape(filter.shape)}`,
    hint: 'pass a filter [rows, columns, channels].',
  });
}
