/**
 * @file Launches depthwise convolutions in strips, where they pay: on CPU adapters, for kernels of a few sizes, which are
 * part of the program. Everything else is computed result by result (depthwise.ts).
 */
import { type Direction, valuesBefore } from '../../shaders/depthwise/axis.ts';
import {
  depthwiseStrips,
  type StripOptions,
  stripParams,
  stripSize,
  stripWorkgroup,
} from '../../shaders/depthwise/strips.ts';
import {
  depthwiseTaps,
  type TapsOptions,
  tapsColumns,
  tapsParams,
  tapsWorkgroup,
} from '../../shaders/depthwise/taps.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { WindowAxis } from '../core/windows.ts';
import type { AdapterClass } from '../webgpu/adapter.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { channelWidth, type DepthwiseGeometry, elementOf } from './depthwiseGeometry.ts';
import { output } from './output.ts';
import { addPartialSums } from './partialSums.ts';

const stripsKernel = /* @__PURE__ */ defineKernel({
  name: 'depthwiseStrips',
  bindings: ({ width }: StripOptions): Bindings => ({
    values: `read ${elementOf(width)}`,
    weights: `read ${elementOf(width)}`,
    result: `write ${elementOf(width)}`,
  }),
  params: stripParams,
  source: depthwiseStrips,
});

const tapsKernel = /* @__PURE__ */ defineKernel({
  name: 'depthwiseTaps',
  bindings: ({ width }: TapsOptions): Bindings => ({
    image: `read ${elementOf(width)}`,
    cotangent: `read ${elementOf(width)}`,
    sums: `write ${elementOf(width)}`,
  }),
  params: tapsParams,
  source: depthwiseTaps,
});

/**
 * Kernels that have programs, those of the usual networks, with the multiplications below which the program isn't worth its
 * compilation: one of 7 × 7 takes a software adapter half a second.
 */
const leastWork: ReadonlyMap<number, number> = new Map([
  [3, 2 ** 18],
  [5, 2 ** 20],
  [7, 2 ** 22],
]);
const largestStride = 2;

/** Invocations that fill a CPU adapter's threads evenly. */
const busyInvocations = 1024;

/** Turns that a strip should have at least, for those that it begins with and that end nothing. */
const leastTurns = 6;

let forced = false;

/** Runs `body` with strips for all kernels that have programs, however small the image: for tests. */
export function withDepthwiseStrips<T>(body: () => T): T {
  forced = true;
  try {
    return body();
  } finally {
    forced = false;
  }
}

/** Whether strips compute a depthwise convolution. */
export function usesStrips(adapter: AdapterClass, geometry: DepthwiseGeometry): boolean {
  const { batch, rows, columns, channels, multiplier } = geometry;
  const least = leastWork.get(rows.window);
  const hasProgram =
    least !== undefined &&
    multiplier === 1 &&
    rows.stride <= largestStride &&
    rows.window === columns.window &&
    rows.stride === columns.stride &&
    rows.dilation === 1 &&
    columns.dilation === 1;
  const work = rows.window * columns.window * batch * rows.output * columns.output * channels;
  return hasProgram && (forced ? work > 0 : adapter === 'cpu' && work >= least);
}

/** How `rows` turns are cut into strips of equal length: as long as leave enough of them to work on at once. */
function cutRows(rows: number, columnsOfStrips: number) {
  const wanted = Math.max(
    1,
    Math.min(Math.ceil(busyInvocations / columnsOfStrips), Math.floor(rows / leastTurns)),
  );
  const turns = Math.ceil(rows / wanted);
  return { turns, strip_rows: Math.ceil(rows / turns) };
}

/** Where results and what they are made of begin: where the first strip does. */
function beginning(direction: Direction, { window, stride, before }: WindowAxis) {
  if (direction === 'forward') return { from: -before, to: 0 };
  // Strips begin on multiples of the stride, counted from the padding's begin.
  const first = Math.floor(before / stride);
  return { from: first - valuesBefore(window, stride), to: first * stride - before };
}

function launch(
  op: string,
  direction: Direction,
  geometry: DepthwiseGeometry,
  values: Tensor,
  weights: Tensor,
  spec: TensorSpec,
): Tensor {
  const { batch, rows, columns, channels } = geometry;
  const { device } = values;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const width = channelWidth(geometry, values, weights, out);
  const options: StripOptions = { direction, width, window: rows.window, stride: rows.stride };
  const size = stripSize(direction, rows.stride);
  const isForward = direction === 'forward';
  const [down, across] = [beginning(direction, rows), beginning(direction, columns)];
  const [toHeight, toWidth] = isForward ? [rows.output, columns.output] : [rows.input, columns.input];
  const strip_columns = Math.ceil((toWidth - across.to) / size.columns);
  const side = (batch * strip_columns * channels) / width;
  const { turns, strip_rows } = cutRows(Math.ceil((toHeight - down.to) / size.rows), side);
  const count = side * strip_rows;
  device.launch(stripsKernel, {
    options,
    bindings: { values: values.storage, weights: weights.storage, result: out.storage },
    params: {
      count,
      channels: channels / width,
      strip_rows,
      strip_columns,
      turns,
      from_h: isForward ? rows.input : rows.output,
      from_w: isForward ? columns.input : columns.output,
      from_row: down.from,
      from_column: across.from,
      to_h: toHeight,
      to_w: toWidth,
      to_row: down.to,
      to_column: across.to,
    },
    workgroups: Math.ceil(count / stripWorkgroup),
  });
  return out;
}

export function depthwiseInStrips(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  return launch(op, 'forward', geometry, x, kernel, spec);
}

export function depthwiseInputGradInStrips(
  op: string,
  geometry: DepthwiseGeometry,
  dy: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  return launch(op, 'inputGrad', geometry, dy, kernel, spec);
}

/** How much of an axis windows reach. */
const seen = ({ input, output: windows, window, stride, before }: WindowAxis) =>
  Math.max(0, Math.min(input, (windows - 1) * stride + window - before));

/** Each strip gives sums of its own, which are added in order, so that the bits are the same every time. */
export function depthwiseFilterGradInStrips(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const { batch, rows, columns, channels } = geometry;
  const { device } = x;
  const width = channelWidth(geometry, x, dy);
  const strip_columns = Math.ceil(columns.output / tapsColumns);
  const side = (batch * strip_columns * channels) / width;
  const { turns, strip_rows } = cutRows(rows.output, side);
  const parts = batch * strip_rows * strip_columns;
  const sums = output(device, { shape: [parts, sizeOf(spec.shape)], dtype: spec.dtype }, op);
  const count = side * strip_rows;
  device.launch(tapsKernel, {
    options: { width, window: rows.window, stride: rows.stride },
    bindings: { image: x.storage, cotangent: dy.storage, sums: sums.storage },
    params: {
      count,
      channels: channels / width,
      strip_rows,
      strip_columns,
      turns,
      in_h: rows.input,
      in_w: columns.input,
      seen_h: seen(rows),
      seen_w: seen(columns),
      out_h: rows.output,
      out_w: columns.output,
      pad_h: rows.before,
      pad_w: columns.before,
    },
    workgroups: Math.ceil(count / tapsWorkgroup),
  });
  return addPartialSums(op, sums, spec, {});
}
