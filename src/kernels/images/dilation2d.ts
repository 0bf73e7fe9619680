/** @file Launches grayscale dilations of images, and the search for their maxima. */
import { dilation2d, type DilationOptions } from '../../../shaders/dilation2d.ts';
import { bitsOf } from '../../core/bits.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { output } from '../launch/output.ts';
import { isDilated, lanesOf, tapsOf, type WindowGeometry, windowLaunch, windowParams } from './windows.ts';

const kernel = defineKernel({
  name: 'dilation2d',
  bindings: ({ width, kind }: DilationOptions): Bindings => {
    const of = (type: string) => lanesOf(type, width);
    return {
      x: `read ${of('f32')}`,
      weights: `read ${of('f32')}`,
      y: `write ${of(kind === 'max' ? 'f32' : 'u32')}`,
    };
  },
  params: { ...windowParams, lowest: 'u32' },
  source: dilation2d,
});

/** One value for each window: see `DilationOptions.kind`. `weights` are [rows, columns, channels]. */
export function dilation2dKernel(
  op: string,
  kind: DilationOptions['kind'],
  x: Tensor,
  weights: Tensor,
  geometry: WindowGeometry,
  spec: TensorSpec,
): Tensor {
  const y = output(x.device, spec, op);
  if (y.size === 0) return y;
  const places = y.size / geometry.channels;
  const { options, params, workgroups } = windowLaunch(x.device, geometry, places, y.size * tapsOf(geometry));
  x.device.launch(kernel, {
    options: { ...options, dilated: isDilated(geometry), kind },
    bindings: { x: x.storage, weights: weights.storage, y: y.storage },
    params: { ...params, lowest: bitsOf(Number.NEGATIVE_INFINITY, 'float32') },
    workgroups,
  });
  return y;
}
