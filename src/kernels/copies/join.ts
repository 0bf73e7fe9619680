/** @file Launches the concatenation of a few tensors: one launch, instead of a copy for each. */
import { join, joinWorkgroup, type JoinOptions, maxJoined } from '../../../shaders/join.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { profileOf } from '../selection/deviceProfile.ts';

const kernel = defineKernel({
  name: 'join',
  bindings: ({ parts, width }: JoinOptions): Bindings => {
    const element = width === 4 ? 'vec4<u32>' : 'u32';
    const inputs = Array.from({ length: parts }, (_, part) => [`x_${part}`, `read ${element}`] as const);
    return Object.fromEntries<Bindings[string]>([...inputs, ['out', `write ${element}`]]);
  },
  params: { ends: 'u32x8', count: 'u32' },
  source: join,
});

/** Whether one launch joins `parts`. On software adapters, copies of whole lines are faster than an element for each invocation. */
export function isJoinedAtOnce(parts: readonly Tensor[]): boolean {
  const [first] = parts;
  if (!first || parts.length < 2 || parts.length > maxJoined) return false;
  return profileOf(first.device).strided.elementsPerInvocation === 1;
}

/** Returns rows of `parts` next to each other, as `spec`. `lengths` are the elements of a row of each; none is 0. */
export function joinKernel(
  op: string,
  parts: readonly Tensor[],
  lengths: readonly number[],
  spec: TensorSpec,
): Tensor {
  const [{ device }] = parts as [Tensor];
  const out = output(device, spec, op);
  const isVector = lengths.every((n) => n % 4 === 0) && [...parts, out].every(bindsAsVectors);
  const width: 1 | 4 = isVector ? 4 : 1;
  let end = 0;
  const ends = lengths.map((length) => (end += length / width));
  const count = sizeOf(spec.shape) / width;
  device.launch(kernel, {
    options: { parts: parts.length, width },
    bindings: {
      ...Object.fromEntries(parts.map((x, part) => [`x_${part}`, x.storage])),
      out: out.storage,
    },
    params: { ends, count },
    workgroups: Math.ceil(count / joinWorkgroup),
  });
  return out;
}
