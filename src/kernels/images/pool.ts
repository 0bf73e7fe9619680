/**
 * @file Launches pools and their gradients. If windows don't overlap, an invocation writes the gradient of a whole window.
 * If they do, maxima are located first, so that each window is searched once.
 */
import {
  pool,
  poolGradient,
  type PoolGradientOptions,
  type PoolOptions,
  poolWorkgroup,
} from '../../../shaders/pool.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { WindowAxis } from '../../core/windows.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { output } from '../launch/output.ts';
import { elementsPerInvocation } from '../launch/strided.ts';

/** A pool as the kernels see it: images [batch, rows, columns, channels]. */
export interface PoolGeometry {
  readonly batch: number;
  readonly channels: number;
  readonly rows: WindowAxis;
  readonly columns: WindowAxis;
}

const lanesOf = (type: string, width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);

const sizes = {
  count: 'u32',
  channels: 'u32',
  groups: 'u32',
  x_height: 'u32',
  x_width: 'u32',
  y_height: 'u32',
  y_width: 'u32',
  pool_height: 'u32',
  pool_width: 'u32',
  stride_height: 'u32',
  stride_width: 'u32',
  pad_top: 'u32',
  pad_left: 'u32',
} as const;

const forwardKernel = defineKernel({
  name: 'pool',
  bindings: ({ type, width, kind }: PoolOptions): Bindings => ({
    x: `read ${lanesOf(type, width)}`,
    ...(kind === 'pick' ? { v: `read ${lanesOf(type, width)}` } : {}),
    y: `write ${lanesOf(kind === 'position' || kind === 'element' ? 'u32' : type, width)}`,
  }),
  params: sizes,
  source: pool,
});

const gradientKernel = defineKernel({
  name: 'pool gradient',
  bindings: ({ type, width, kind }: PoolGradientOptions): Bindings => ({
    ...(kind === 'cells' ? { x: `read ${lanesOf(type, width)}` } : {}),
    ...(kind === 'positions' ? { positions: `read ${lanesOf('u32', width)}` } : {}),
    dy: `read ${lanesOf(type, width)}`,
    dx: `write ${lanesOf(type, width)}`,
  }),
  params: { ...sizes, cell_rows: 'u32', cell_columns: 'u32' },
  source: poolGradient,
});

/** Returns the number of channels per invocation. */
export function widthOf({ channels }: PoolGeometry): 1 | 4 {
  return channels % 4 === 0 ? 4 : 1;
}

/** Groups of a pixel's channels, in units of the width: an invocation computes one. */
interface ChannelGroups {
  readonly groups: number;
  /** Units of a group. */
  readonly perInvocation: number;
}

/** Invocations that keep the threads of a software adapter busy: a few workgroups. */
const busyInvocations = 4 * poolWorkgroup;

/**
 * Returns groups of about the same size, all channels if they are few, for `places` with `channels` units each. `moved` is the
 * number of units that are read or written.
 */
export function channelGroups(
  device: Device,
  places: number,
  channels: number,
  moved: number,
): ChannelGroups {
  const isBusy = (perInvocation: number) =>
    (places * channels) / Math.min(perInvocation, channels) >= busyInvocations;
  const groups = Math.ceil(channels / elementsPerInvocation(profileOf(device), moved, isBusy));
  return { groups, perInvocation: Math.ceil(channels / groups) };
}

function sizesOf({ rows, columns, channels }: PoolGeometry, width: number) {
  return {
    channels: channels / width,
    x_height: rows.input,
    x_width: columns.input,
    y_height: rows.output,
    y_width: columns.output,
    pool_height: rows.window,
    pool_width: columns.window,
    stride_height: rows.stride,
    stride_width: columns.stride,
    pad_top: rows.before,
    pad_left: columns.before,
  };
}

/** One value for each window: see `PoolOptions.kind`. `v` is the other image of `pick`. */
export function poolKernel(
  op: string,
  kind: PoolOptions['kind'],
  { x, v }: { x: Tensor; v?: Tensor },
  geometry: PoolGeometry,
  spec: TensorSpec,
): Tensor {
  const y = output(x.device, spec, op);
  if (y.size === 0) return y;
  const width = widthOf(geometry);
  const { rows, columns, channels } = geometry;
  const places = y.size / channels;
  const read = (y.size / width) * rows.window * columns.window;
  const { groups, perInvocation } = channelGroups(x.device, places, channels / width, read);
  const count = places * groups;
  x.device.launch(forwardKernel, {
    options: { type: wgslType(x.dtype), width, perInvocation, kind },
    bindings: { x: x.storage, ...(v ? { v: v.storage } : {}), y: y.storage },
    params: { count, groups, ...sizesOf(geometry, width) },
    workgroups: Math.ceil(count / poolWorkgroup),
  });
  return y;
}

function gradient(
  op: string,
  kind: PoolGradientOptions['kind'],
  inputs: { x?: Tensor; positions?: Tensor; dy: Tensor },
  geometry: PoolGeometry,
  spec: TensorSpec,
): Tensor {
  const { device, dtype } = inputs.dy;
  const dx = output(device, spec, op);
  if (dx.size === 0) return dx;
  const width = widthOf(geometry);
  const { rows, columns, batch, channels } = geometry;
  // Cells tile the image, one per window; pixels behind the last window are in extra cells.
  const cellsAlong = (axis: WindowAxis) => Math.ceil((axis.input + axis.before) / axis.stride);
  const cells = { cell_rows: cellsAlong(rows), cell_columns: cellsAlong(columns) };
  const places =
    kind === 'cells' || kind === 'averageCells'
      ? batch * cells.cell_rows * cells.cell_columns
      : dx.size / channels;
  const { groups, perInvocation } = channelGroups(device, places, channels / width, dx.size / width);
  const count = places * groups;
  const bindings = Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, t.storage]));
  device.launch(gradientKernel, {
    options: { type: wgslType(dtype), width, perInvocation, kind },
    bindings: { ...bindings, dx: dx.storage },
    params: { count, groups, ...sizesOf(geometry, width), ...cells },
    workgroups: Math.ceil(count / poolWorkgroup),
  });
  return dx;
}

const overlaps = ({ rows, columns }: PoolGeometry) =>
  rows.stride < rows.window || columns.stride < columns.window;

/** Moves each cotangent to the pixel of its window's maximum in `x`; sums where windows overlap. */
export function maxPoolGradientKernel(
  op: string,
  x: Tensor,
  dy: Tensor,
  geometry: PoolGeometry,
  spec: TensorSpec,
): Tensor {
  if (!overlaps(geometry)) return gradient(op, 'cells', { x, dy }, geometry, spec);
  const positions = poolKernel(op, 'position', { x }, geometry, { shape: dy.shape, dtype: 'uint32' });
  return placedKernel(op, positions, dy, geometry, spec);
}

/** Moves each cotangent to the pixel of its window that `positions` names, row · width + column; sums where windows overlap. */
export function placedKernel(
  op: string,
  positions: Tensor,
  dy: Tensor,
  geometry: PoolGeometry,
  spec: TensorSpec,
): Tensor {
  return gradient(op, 'positions', { positions, dy }, geometry, spec);
}

/** Distributes each cotangent over its window; sums where windows overlap. */
export function averagePoolGradientKernel(
  op: string,
  dy: Tensor,
  geometry: PoolGeometry,
  spec: TensorSpec,
): Tensor {
  return gradient(op, overlaps(geometry) ? 'average' : 'averageCells', { dy }, geometry, spec);
}
