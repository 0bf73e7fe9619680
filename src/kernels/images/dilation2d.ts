/** @file Launches grayscale dilations of images, and the search for their maxima. */
import { dilation2d, type DilationOptions } from '../../../shaders/dilation2d.ts';
import { poolWorkgroup } from '../../../shaders/pool.ts';
import { bitsOf } from '../../core/bits.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { output } from '../launch/output.ts';
import { channelGroups, type PoolGeometry, widthOf } from './pool.ts';
import { windowParams } from './windowParams.ts';

const kernel = defineKernel({
  name: 'dilation2d',
  bindings: ({ width, kind }: DilationOptions): Bindings => {
    const of = (type: string) => (width === 4 ? `vec4<${type}>` : type);
    return {
      x: `read ${of('f32')}`,
      weights: `read ${of('f32')}`,
      y: `write ${of(kind === 'max' ? 'f32' : 'u32')}`,
    };
  },
  params: {
    count: 'u32',
    channels: 'u32',
    groups: 'u32',
    x_height: 'u32',
    x_width: 'u32',
    y_height: 'u32',
    y_width: 'u32',
    kernel_h: 'i32',
    kernel_w: 'i32',
    stride_h: 'i32',
    stride_w: 'i32',
    dilation_h: 'i32',
    dilation_w: 'i32',
    pad_h: 'i32',
    pad_w: 'i32',
    lowest: 'u32',
  },
  source: dilation2d,
});

/** One value for each window: see `DilationOptions.kind`. `weights` are [rows, columns, channels]. */
export function dilation2dKernel(
  op: string,
  kind: DilationOptions['kind'],
  x: Tensor,
  weights: Tensor,
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
  x.device.launch(kernel, {
    options: { width, perInvocation, dilated: rows.dilation > 1 || columns.dilation > 1, kind },
    bindings: { x: x.storage, weights: weights.storage, y: y.storage },
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
      ...windowParams(geometry),
      lowest: bitsOf(Number.NEGATIVE_INFINITY, 'float32'),
    },
    workgroups: Math.ceil(count / poolWorkgroup),
  });
  return y;
}
