/**
 * @file Launches pools and their gradients. If windows don't overlap, an invocation writes the gradient of a whole window.
 * If they do, maxima are located first, so that each window is searched once.
 */
import { pool, poolGradient, type PoolGradientOptions, type PoolOptions } from '../../../shaders/pool.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { WindowAxis } from '../../core/windows.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { output } from '../launch/output.ts';
import { lanesOf, tapsOf, type WindowGeometry, windowLaunch, windowParams } from './windows.ts';

const forwardKernel = defineKernel({
  name: 'pool',
  bindings: ({ type, width, kind }: PoolOptions): Bindings => ({
    x: `read ${lanesOf(type, width)}`,
    ...(kind === 'pick' ? { v: `read ${lanesOf(type, width)}` } : {}),
    y: `write ${lanesOf(kind === 'position' || kind === 'element' ? 'u32' : type, width)}`,
  }),
  params: windowParams,
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
  params: { ...windowParams, cell_rows: 'u32', cell_columns: 'u32' },
  source: poolGradient,
  stores: 'dx',
});

/** One value for each window: see `PoolOptions.kind`. `v` is the other image of `pick`. */
export function poolKernel(
  op: string,
  kind: PoolOptions['kind'],
  { x, v }: { x: Tensor; v?: Tensor },
  geometry: WindowGeometry,
  spec: TensorSpec,
): Tensor {
  const y = output(x.device, spec, op);
  if (y.size === 0) return y;
  const places = y.size / geometry.channels;
  const { options, ...launch } = windowLaunch(x.device, geometry, places, y.size * tapsOf(geometry));
  x.device.launch(forwardKernel, {
    ...launch,
    options: { type: wgslType(x.dtype), ...options, kind },
    bindings: { x: x.storage, ...(v ? { v: v.storage } : {}), y: y.storage },
  });
  return y;
}

function gradient(
  op: string,
  kind: PoolGradientOptions['kind'],
  inputs: { x?: Tensor; positions?: Tensor; dy: Tensor },
  geometry: WindowGeometry,
  spec: TensorSpec,
): Tensor {
  const { device, dtype } = inputs.dy;
  const dx = output(device, spec, op);
  if (dx.size === 0) return dx;
  const { rows, columns, batch, channels } = geometry;
  // Cells tile the image, one per window; pixels behind the last window are in extra cells.
  const cellsAlong = (axis: WindowAxis) => Math.ceil((axis.input + axis.before) / axis.stride);
  const cells = { cell_rows: cellsAlong(rows), cell_columns: cellsAlong(columns) };
  const places =
    kind === 'cells' || kind === 'averageCells'
      ? batch * cells.cell_rows * cells.cell_columns
      : dx.size / channels;
  const { options, params, workgroups } = windowLaunch(device, geometry, places, dx.size);
  const bindings = Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, t.storage]));
  device.launch(gradientKernel, {
    options: { type: wgslType(dtype), ...options, kind },
    bindings: { ...bindings, dx: dx.storage },
    params: { cell_rows: cells.cell_rows, cell_columns: cells.cell_columns, ...params },
    workgroups,
  });
  return dx;
}

const overlaps = ({ rows, columns }: WindowGeometry) =>
  rows.stride < rows.window || columns.stride < columns.window;

/** Moves each cotangent to the pixel of its window's maximum in `x`; sums where windows overlap. */
export function maxPoolGradientKernel(
  op: string,
  x: Tensor,
  dy: Tensor,
  geometry: WindowGeometry,
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
  geometry: WindowGeometry,
  spec: TensorSpec,
): Tensor {
  return gradient(op, 'positions', { positions, dy }, geometry, spec);
}

/** Distributes each cotangent over its window; sums where windows overlap. */
export function averagePoolGradientKernel(
  op: string,
  dy: Tensor,
  geometry: WindowGeometry,
  spec: TensorSpec,
): Tensor {
  return gradient(op, overlaps(geometry) ? 'average' : 'averageCells', { dy }, geometry, spec);
}
