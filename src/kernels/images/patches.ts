/** @file Launches the extraction of patches of images, an overlapping copy, and its adjoint, a sum. */
import { patchSum, type PatchSumOptions } from '../../../shaders/patches.ts';
import { poolWorkgroup } from '../../../shaders/pool.ts';
import { stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { copyInto, denseLayout } from '../copies/copy.ts';
import { output } from '../launch/output.ts';
import { channelGroups, type PoolGeometry, widthOf } from './pool.ts';

/** Patches of `x`, [n, patches down, patches across, rows · columns · channels]. All are in the image, without padding. */
export function patchesKernel(op: string, x: Tensor, geometry: PoolGeometry, spec: TensorSpec): Tensor {
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
  bindings: ({ width }: PatchSumOptions): Bindings => {
    const of = width === 4 ? 'vec4<f32>' : 'f32';
    return { dy: `read ${of}`, dx: `write ${of}` };
  },
  params: {
    count: 'u32',
    channels: 'u32',
    groups: 'u32',
    x_height: 'u32',
    x_width: 'u32',
    y_height: 'u32',
    y_width: 'u32',
    kernel_h: 'u32',
    kernel_w: 'u32',
    extent_h: 'u32',
    extent_w: 'u32',
    stride_h: 'u32',
    stride_w: 'u32',
    dilation_h: 'u32',
    dilation_w: 'u32',
  },
  source: patchSum,
});

/** Sums patches `dy`, as `patchesKernel` writes them, into images of the shape of `spec`. */
export function patchSumKernel(op: string, dy: Tensor, geometry: PoolGeometry, spec: TensorSpec): Tensor {
  const dx = output(dy.device, spec, op);
  if (dx.size === 0) return dx;
  const width = widthOf(geometry);
  const { rows, columns, channels } = geometry;
  const places = dx.size / channels;
  const { groups, perInvocation } = channelGroups(dy.device, places, channels / width, dy.size / width);
  const count = places * groups;
  dy.device.launch(sum, {
    options: { width, perInvocation, dilated: rows.dilation > 1 || columns.dilation > 1 },
    bindings: { dy: dy.storage, dx: dx.storage },
    params: {
      count,
      groups,
      channels: channels / width,
      x_height: rows.input,
      x_width: columns.input,
      y_height: rows.output,
      y_width: columns.output,
      kernel_h: rows.window,
      kernel_w: columns.window,
      extent_h: (rows.window - 1) * rows.dilation + 1,
      extent_w: (columns.window - 1) * columns.dilation + 1,
      stride_h: rows.stride,
      stride_w: columns.stride,
      dilation_h: rows.dilation,
      dilation_w: columns.dilation,
    },
    workgroups: Math.ceil(count / poolWorkgroup),
  });
  return dx;
}
