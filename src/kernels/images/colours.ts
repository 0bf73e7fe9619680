/** @file Launches conversions of colours. */
import { type ColourOptions, colours, colourWorkgroup } from '../../../shaders/colours.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'colours',
  bindings: { x: 'read f32', out: 'write f32' },
  params: { count: 'u32' },
  source: colours,
});

/** Converts `images` [..., 3]. */
export function coloursKernel(op: string, from: ColourOptions['from'], images: Tensor): Tensor {
  const out = output(images.device, images, op);
  const count = images.size / 3;
  if (count > 0) {
    images.device.launch(kernel, {
      options: { from },
      bindings: { x: images.storage, out: out.storage },
      params: { count },
      workgroups: Math.ceil(count / colourWorkgroup),
    });
  }
  return out;
}
