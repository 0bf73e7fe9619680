/** @file Common code of pooling ops: their options and windows. */
import { ValueError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/options.ts';
import { requireRank, sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import {
  clippedWindow,
  type Padding,
  perAxis,
  slideWindows,
  type WindowAxis,
  windowOptions,
} from '../../core/windows.ts';
import type { WindowGeometry } from '../../kernels/images/windows.ts';
import type { Cost } from '../define/cost.ts';

/** Options of `maxPool`, `avgPool` and their forms for sequences. */
export interface PoolOptions {
  /** Size of a window: a number, or one for each spatial axis. */
  poolSize: number | readonly number[];
  /** Steps from one window to the next, along each axis. Default: `poolSize`, so that windows are adjacent. */
  strides?: number | readonly number[] | null;
  /** 'valid' (the default), 'same', or [before, after] for each spatial axis, each smaller than the window. */
  padding?: Padding;
}

/** The options that may come by position. */
export type PoolPositions = ['poolSize', 'strides', 'padding'];

/** For the `options` of definitions. */
export const poolOptionNames: OptionNames<PoolOptions, PoolPositions[number]> = {
  poolSize: true,
  strides: true,
  padding: true,
};

/** A sequence is an image of one row. */
const oneRow: WindowAxis = { input: 1, output: 1, window: 1, stride: 1, dilation: 1, before: 0 };

/** The spec of a result, and the windows of the pool that it belongs to. */
export interface PoolPlan extends TensorSpec {
  readonly geometry: WindowGeometry;
}

/** The plan of a pool of `x`: its result is [batch, ...windows, channels]. Errors: those of `poolGeometry`. */
export function planPool(op: string, x: TensorSpec, options: PoolOptions, spatialRank: 1 | 2): PoolPlan {
  const geometry = poolGeometry(op, x, options, spatialRank);
  const { batch, channels, rows, columns } = geometry;
  const spatial = spatialRank === 1 ? [columns.output] : [rows.output, columns.output];
  return { shape: [batch, ...spatial, channels], dtype: x.dtype, geometry };
}

/**
 * The windows of a pool over the one or two axes between the first and the last of `x`.
 * Errors: ShapeError for another rank or windows larger than the image, ValueError for options.
 */
export function poolGeometry(
  op: string,
  x: TensorSpec,
  options: PoolOptions,
  spatialRank: 1 | 2,
): WindowGeometry {
  requireRank(op, 'x', x.shape, spatialRank + 2);
  const axes = slideWindows(op, x.shape.slice(1, -1), poolWindows(op, options, spatialRank)).map(
    clippedWindow,
  );
  const [rows, columns] = spatialRank === 1 ? [oneRow, axes[0]] : axes;
  return {
    batch: x.shape[0] as number,
    channels: x.shape.at(-1) as number,
    rows: rows as WindowAxis,
    columns: columns as WindowAxis,
  };
}

/** The checked windows of a pool along `rank` axes. Errors: ValueError, also if a window could consist only of padding. */
export function poolWindows<N extends number>(
  op: string,
  { poolSize, strides, padding }: PoolOptions,
  rank: N,
) {
  const window = perAxis(op, 'poolSize', poolSize, rank);
  const windows = windowOptions(op, window, { strides: strides ?? window, padding }, rank);
  if (typeof windows.padding !== 'string') requireSmallPadding(op, windows.padding, window);
  return windows;
}

/** One operation for each element of each window. */
export function poolCost({ shape }: TensorSpec, { geometry: { rows, columns } }: PoolPlan): Cost {
  return { flops: sizeOf(shape) * rows.window * columns.window };
}

/** Padding alone has neither a maximum nor a mean. */
function requireSmallPadding(
  op: string,
  padding: readonly (readonly [number, number])[],
  window: readonly number[],
): void {
  padding.forEach((pair, axis) => {
    if (pair.every((n) => n < (window[axis] as number))) return;
    throw new ValueError({
      op,
      rule: 'the padding of a pool must be smaller than its window.',
      received: `padding [${pair.join(', ')}] for a window of ${window[axis]} on spatial axis ${axis}`,
      hint: 'take less padding; what a window of padding alone would give is undefined.',
    });
  });
}
