/**
 * @file Launches strided copies. Axes with compatible strides on both sides are merged, and vectors are copied if possible.
 */
import { copy, type CopyOptions, copyWorkgroup } from '../../../shaders/copy.ts';
import { type Shape, sizeOf, stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { elementsOfLine, mergeAxes } from '../launch/strided.ts';

const kernel = defineKernel({
  name: 'copy',
  bindings: ({ width }: CopyOptions): Bindings => {
    const element = width === 4 ? 'vec4<u32>' : 'u32';
    return { x: `read ${element}`, out: `write ${element}` };
  },
  params: {
    shape: 'u32x8',
    x_strides: 'i32x8',
    out_strides: 'i32x8',
    count: 'u32',
    groups: 'u32',
    x_offset: 'i32',
    out_offset: 'i32',
  },
  source: copy,
});

/** A strided view of a buffer: the offset of the first element, and the stride of each axis. In elements. */
export interface StridedLayout {
  offset: number;
  strides: readonly number[];
}

/** Row-major, without gaps. */
export function denseLayout(shape: Shape): StridedLayout {
  return { offset: 0, strides: stridesOf(shape) };
}

/** Returns the elements of `x`, at `from`, in the shape and dtype of `spec`. */
export function copied(op: string, x: Tensor, from: StridedLayout, spec: TensorSpec): Tensor {
  const out = output(x.device, spec, op);
  copyInto(x, from, out, denseLayout(spec.shape), spec.shape);
  return out;
}

/** Copies a block of `shape` from `x` into `out`. */
export function copyInto(x: Tensor, from: StridedLayout, out: Tensor, to: StridedLayout, shape: Shape): void {
  const size = sizeOf(shape);
  if (size === 0) return;
  const { shape: merged, strides } = mergeAxes(shape, [from.strides, to.strides]);
  const [x_strides, out_strides] = strides as [number[], number[]];
  if (merged.length === 0) for (const sizes of [merged, x_strides, out_strides]) sizes.push(1);
  const last = merged.length - 1;
  const aligned = [from.offset, to.offset, ...x_strides.slice(0, -1), ...out_strides.slice(0, -1)];
  const isVector =
    [merged[last] as number, ...aligned].every((n) => n % 4 === 0) &&
    x_strides[last] === 1 &&
    out_strides[last] === 1 &&
    bindsAsVectors(x) &&
    bindsAsVectors(out);
  const width: 1 | 4 = isVector ? 4 : 1;
  // In vectors, the last axis is a quarter as long and the steps of the others a quarter as wide.
  const inVectors = (numbers: readonly number[]) => numbers.map((n, i) => (i === last ? n : n / width));
  const unitShape = merged.map((n, i) => (i === last ? n / width : n));
  const expected = stridesOf(merged);
  const dense = out_strides.every((stride, i) => stride === expected[i]);
  const length = unitShape[last] as number;
  const perInvocation = elementsOfLine(profileOf(x.device), size / width, length);
  const groups = Math.ceil(length / perInvocation);
  const count = (size / width / length) * groups;
  x.device.launch(kernel, {
    options: { rank: unitShape.length, width, dense, perInvocation },
    bindings: { x: x.storage, out: out.storage },
    params: {
      shape: unitShape,
      x_strides: inVectors(x_strides),
      out_strides: inVectors(out_strides),
      count,
      groups,
      x_offset: from.offset / width,
      out_offset: to.offset / width,
    },
    workgroups: Math.ceil(count / copyWorkgroup),
  });
}
