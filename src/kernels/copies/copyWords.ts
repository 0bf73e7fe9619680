/** @file Copies values into an app's buffer by a kernel, for compute passes, which don't allow copy commands. */
import { copyWords as source, copyWordsWorkgroup } from '../../../shaders/copyWords.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import type { Tensor } from '../../tensor/tensor.ts';

const kernel = defineKernel({
  name: 'copyWords',
  bindings: { x: 'read u32', out: 'write u32' },
  params: { count: 'u32' },
  source,
});

/** Writes the values of `x` to `target`. */
export function copyWords(x: Tensor, target: BoundRange): void {
  if (x.size === 0) return;
  x.device.launch(kernel, {
    options: {},
    bindings: { x: x.storage, out: target },
    params: { count: x.size },
    workgroups: Math.ceil(x.size / copyWordsWorkgroup),
  });
}
