/** @file Launches samples of images between pixels. */
import {
  sampleImages,
  type SampleImagesOptions,
  sampleImagesWorkgroup,
} from '../../../shaders/sampleImages.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { output } from '../launch/output.ts';
import { channelsPerInvocation } from './channels.ts';

export interface SamplePlan extends TensorSpec, Pick<SampleImagesOptions, 'interpolation' | 'fillMode'> {
  readonly fillValue: number;
}

const kernel = defineKernel({
  name: 'sampleImages',
  bindings: ({ points, indexed, width }: SampleImagesOptions): Bindings => {
    const value = width === 4 ? 'vec4<f32>' : 'f32';
    return {
      images: `read ${value}`,
      points: `read ${points === 'positions' ? 'vec2<f32>' : 'vec4<f32>'}`,
      ...(indexed && { image_indices: 'read i32' }),
      out: `write ${value}`,
    };
  },
  params: {
    count: 'u32',
    channels: 'u32',
    height: 'u32',
    width: 'u32',
    rows: 'u32',
    columns: 'u32',
    maps: 'u32',
    fill: 'f32',
  },
  source: sampleImages,
});

/**
 * Samples `images` [n, h, w, c] as `plan` [k, rows, columns, c] at `points`: boxes [k, 4], maps [k, 8] or [1, 8] for all, or
 * positions [k, rows, columns, 2]. Entry k is for image `image[k]`, an int32; for image k without them.
 */
export function sampleImagesKernel(
  op: string,
  images: Tensor,
  points: Tensor,
  image: Tensor | null,
  source: SampleImagesOptions['points'],
  { interpolation, fillMode, fillValue, ...spec }: SamplePlan,
): Tensor {
  const { device } = images;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const [, height, width, depth] = images.shape as [number, number, number, number];
  const [, rows, columns] = spec.shape as [number, number, number];
  const perRead: 1 | 4 = depth % 4 === 0 ? 4 : 1;
  const channels = depth / perRead;
  const count = out.size / perRead;
  const perInvocation = channelsPerInvocation(profileOf(device), count, channels);
  const indexed = image !== null;
  device.launch(kernel, {
    options: { points: source, interpolation, fillMode, indexed, width: perRead, perInvocation },
    bindings: {
      images: images.storage,
      points: points.storage,
      ...(image && { image_indices: image.storage }),
      out: out.storage,
    },
    params: {
      count,
      channels,
      height,
      width,
      rows,
      columns,
      maps: points.shape[0] as number,
      fill: fillValue,
    },
    workgroups: Math.ceil(count / (perInvocation * sampleImagesWorkgroup)),
  });
  return out;
}
