/** @file Launches the extraction of patches of images, an overlapping copy, and its adjoint, a sum. */
import { patchSum, type PatchSumOptions } from '../../../shaders/patches.ts';
import { stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { copyInto, denseLayout } from '../copies/copy.ts';
import { output } from '../launch/output.ts';
import { isDilated, lanesOf, type WindowGeometry, windowLaunch, windowParams } from './windows.ts';

/** Patches of `x`, [n, patches down, patches across, rows · columns · channels]. All are in the image, without padding. */
export function patchesKernel(op: string, x: Tensor, geometry: WindowGeometry, spec: TensorSpec): Tensor {
  const out = output(x.device, spec, op);
  const { batch, rows, columns, channels } = geometry;
  const [image, row, column] = stridesOf(x.shape) as [number, number, number, number];
  const shape = [batch, rows.output, columns.output, rows.window, columns.window, channels];
  const strides = [
    image,
    row * rows.stride,
    column * columns.stride,
    row * rows.dilation,
    column * columns.dilation,
    1,
  ];
  copyInto(x, { offset: 0, strides }, out, denseLayout(shape), shape);
  return out;
}

const sum = defineKernel({
  name: 'patch sum',
  bindings: ({ width }: PatchSumOptions): Bindings => ({
    dy: `read ${lanesOf('f32', width)}`,
    dx: `write ${lanesOf('f32', width)}`,
  }),
  params: windowParams,
  source: patchSum,
});

/** Sums patches `dy`, as `patchesKernel` writes them, into images of the shape of `spec`. */
export function patchSumKernel(op: string, dy: Tensor, geometry: WindowGeometry, spec: TensorSpec): Tensor {
  const dx = output(dy.device, spec, op);
  if (dx.size === 0) return dx;
  const { options, ...launch } = windowLaunch(dy.device, geometry, dx.size / geometry.channels, dy.size);
  dy.device.launch(sum, {
    ...launch,
    options: { ...options, dilated: isDilated(geometry) },
    bindings: { dy: dy.storage, dx: dx.storage },
  });
  return dx;
}
