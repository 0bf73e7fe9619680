/** @file Launches pads. Axes without padding are merged with adjacent ones. */
import { type PadMode, type PadOptions, pad, padWorkgroup } from '../../../shaders/pad.ts';
import type { Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { elementsOfLine } from '../launch/strided.ts';

export type { PadMode };

const kernel = defineKernel({
  name: 'pad',
  bindings: ({ width }: PadOptions): Bindings => {
    const element = width === 4 ? 'vec4<u32>' : 'u32';
    return { x: `read ${element}`, out: `write ${element}` };
  },
  params: { shape: 'u32x8', sizes: 'u32x8', before: 'u32x8', count: 'u32', groups: 'u32', fill: 'u32' },
  source: pad,
});

interface Axis {
  /** In x, and in the result. */
  size: number;
  padded: number;
  before: number;
}

/** Pads `x` to `spec`: `before` elements in front on each axis, and the rest behind. In mode `repeat`, it is at most 0. */
export function padKernel(
  op: string,
  x: Tensor,
  before: readonly number[],
  spec: TensorSpec,
  mode: PadMode,
  fill = 0,
): Tensor {
  const out = output(x.device, spec, op);
  if (out.size === 0) return out;
  const axes = mergePadded(x.shape, before, spec.shape, mode);
  const last = axes.at(-1);
  const width: 1 | 4 =
    last && [last.size, last.padded, last.before].every((n) => n % 4 === 0) && isUnmirrored(last, mode)
      ? vectorWidth(x, out)
      : 1;
  if (last && width === 4) {
    last.size /= 4;
    last.padded /= 4;
    last.before /= 4;
  }
  const length = last?.padded ?? 1;
  const perInvocation = elementsOfLine(profileOf(x.device), out.size / width, length);
  const groups = Math.ceil(length / perInvocation);
  const count = (out.size / width / length) * groups;
  x.device.launch(kernel, {
    options: { mode, rank: axes.length, width, perInvocation },
    bindings: { x: x.storage, out: out.storage },
    params: {
      shape: axes.map((axis) => axis.padded),
      sizes: axes.map((axis) => axis.size),
      before: axes.map((axis) => axis.before),
      count,
      groups,
      fill,
    },
    workgroups: Math.ceil(count / padWorkgroup),
  });
  return out;
}

const vectorWidth = (x: Tensor, out: Tensor) =>
  x.size > 0 && bindsAsVectors(x) && bindsAsVectors(out) ? 4 : 1;

const isPadded = ({ size, padded }: Axis) => size !== padded;

/** Mirrored elements are in reverse order, so vectors would have to be reversed; those of an edge are copies of one. */
const isUnmirrored = (axis: Axis, mode: PadMode) =>
  mode === 'constant' || mode === 'repeat' || !isPadded(axis);

/** At least one padded axis. An axis without padding is merged into the one before it, unless that is mirrored. */
function mergePadded(shape: Shape, before: readonly number[], padded: Shape, mode: PadMode): Axis[] {
  const axes: Axis[] = [];
  shape.forEach((size, i) => {
    const axis = { size, padded: padded[i] as number, before: before[i] as number };
    const last = axes.at(-1);
    if (last && !isPadded(axis) && isUnmirrored(last, mode)) {
      last.size *= size;
      last.padded *= size;
      last.before *= size;
    } else {
      axes.push(axis);
    }
  });
  return axes.length > 0 ? axes : [{ size: 1, padded: 1, before: 0 }];
}
