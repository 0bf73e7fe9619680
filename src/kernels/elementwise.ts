/**
 * @file Launches elementwise maps. Operands broadcast to the output's shape; axes that all operands walk alike are
 * merged, so that most calls are flat and run four elements an invocation.
 */
import {
  elementwise,
  type ElementwiseOptions,
  elementwiseWorkgroup,
  type OperandLayout,
  operandNames,
} from '../../shaders/elementwise.ts';
import { wgslType } from '../core/dtype.ts';
import { type Shape, sameShape, stridesOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { bindsAsVectors, output } from './output.ts';

const kernel = defineKernel({
  name: 'elementwise',
  bindings: ({ types, result, width }: ElementwiseOptions): Bindings => {
    const element = (type: string) => (width === 4 ? `vec4<${type}>` : type);
    const reads = types.map((type, i) => [`${operandNames[i]}_values`, `read ${element(type)}`] as const);
    return Object.fromEntries([...reads, ['out', `write ${element(result)}`]]) as Bindings;
  },
  params: {
    count: 'u32',
    alpha: 'f32',
    beta: 'f32',
    shape: 'u32x8',
    a_strides: 'u32x8',
    b_strides: 'u32x8',
    c_strides: 'u32x8',
    d_strides: 'u32x8',
  },
  source: elementwise,
});

export interface Scalars {
  alpha?: number;
  beta?: number;
}

/** The strides by which a tensor of shape `from` is read over shape `to`: 0 along broadcast axes. */
export function broadcastStrides(from: Shape, to: Shape): number[] {
  const own = stridesOf(from);
  const offset = to.length - from.length;
  return to.map((_, i) => (i < offset || from[i - offset] === 1 ? 0 : (own[i - offset] as number)));
}

/** Drops axes of size 1 and merges neighbours that every operand walks as one. */
export function mergeAxes(
  shape: Shape,
  strides: readonly (readonly number[])[],
): { shape: number[]; strides: number[][] } {
  const merged: number[] = [];
  const walks: number[][] = strides.map(() => []);
  for (let axis = 0; axis < shape.length; axis++) {
    const n = shape[axis] as number;
    if (n === 1) continue;
    const last = merged.length - 1;
    const joins =
      last >= 0 && strides.every((s, k) => (walks[k] as number[])[last] === (s[axis] as number) * n);
    if (joins) merged[last] = (merged[last] as number) * n;
    else merged.push(n);
    const at = joins ? last : merged.length - 1;
    strides.forEach((s, k) => {
      (walks[k] as number[])[at] = s[axis] as number;
    });
  }
  return { shape: merged, strides: walks };
}

/** Maps `expression` over `operands` (one to four), broadcast to `spec.shape`. */
export function elementwiseKernel(
  op: string,
  expression: string,
  operands: readonly Tensor[],
  spec: TensorSpec,
  scalars: Scalars = {},
): Tensor {
  const device = (operands[0] as Tensor).device;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const layouts = operands.map((x): OperandLayout => {
    if (x.size === 1) return 'scalar';
    return sameShape(trimmed(x.shape), trimmed(spec.shape)) ? 'full' : 'strided';
  });
  const anyStrided = layouts.includes('strided');
  const walked = anyStrided
    ? mergeAxes(spec.shape, [
        stridesOf(spec.shape),
        ...operands.map((x) => broadcastStrides(x.shape, spec.shape)),
      ])
    : { shape: [], strides: [] };
  const width = !anyStrided && operands.every(bindsAsVectors) ? 4 : 1;
  const count = Math.ceil(out.size / width);
  const bindings = Object.fromEntries(operands.map((x, i) => [`${operandNames[i]}_values`, x.storage]));
  const strides = (i: number) => walked.strides[i + 1] ?? [];
  device.launch(kernel, {
    options: {
      expression,
      types: operands.map((x) => wgslType(x.dtype)),
      result: wgslType(spec.dtype),
      layouts,
      rank: walked.shape.length,
      width,
    },
    bindings: { ...bindings, out: out.storage },
    params: {
      count,
      alpha: scalars.alpha ?? 0,
      beta: scalars.beta ?? 0,
      shape: walked.shape,
      a_strides: strides(0),
      b_strides: strides(1),
      c_strides: strides(2),
      d_strides: strides(3),
    },
    workgroups: Math.ceil(count / elementwiseWorkgroup),
  });
  return out;
}

/** A shape without leading axes of size 1, which don't change how values are laid out. */
function trimmed(shape: Shape): Shape {
  let first = 0;
  while (first < shape.length && shape[first] === 1) first++;
  return shape.slice(first);
}
