/** @file Batching rules of matmuls and convolutions, also with fused bias and activation. */
import { type Shape, sizeOf } from '../../core/shape.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { conv2d } from '../../ops/convolution/conv2d.ts';
import { applyOp, type OpDefinition } from '../../ops/define/define.ts';
import type { ActivationPlan } from '../../ops/activations/fusedActivation.ts';
import { matMul, type MatMulPlan } from '../../ops/products/matMul.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { merged } from './arrangementRules.ts';
import type { BatchingRule, MappedCall, Options } from './mappedCall.ts';

/** matMul, and fusedMatMul with a bias that all examples share. */
export const matMuls: BatchingRule = (call) => {
  const { transposeA, transposeB, k, m, aBatch } = call.plan as MatMulPlan;
  // A vector isn't transposed, but the matrix that it becomes would be.
  const options = { ...call.options, transposeA, transposeB };
  const bias = call.inputs.slice(2);
  if (call.isMapped(2)) return unfused(call, matMul);
  if (!call.isMapped(1) && call.rank(1) <= 2 && !transposeA) {
    // One matrix for all: the rows of all examples form a single matmul.
    const rows = reshape(call.whole(0) as Tensor, { shape: [call.size * sizeOf(aBatch) * m, k] });
    return reshape(call.one([rows, call.whole(1), ...bias], options), { shape: call.resultOfAll() });
  }
  const rank = Math.max(call.rank(0), call.rank(1), 2);
  const operands = [matrices(call, 0, rank), matrices(call, 1, rank)];
  const product = call.one([...operands, ...bias], options);
  return reshape(product, { shape: call.resultOfAll() });
};

/** Operand `i` as matrices: a vector is a row on the left, a column on the right. */
function matrices(call: MappedCall, i: 0 | 1, rank: number): Tensor {
  const shape = call.shape(i);
  const n = shape[0] as number;
  const matrix: Shape = shape.length > 1 ? shape : i === 0 ? [1, n] : [n, 1];
  const x = call.whole(i) as Tensor;
  if (!call.isMapped(i)) return reshape(x, { shape: matrix });
  const ones = new Array<number>(rank - matrix.length).fill(1);
  return reshape(x, { shape: [call.size, ...ones, ...matrix] });
}

/** Computes a fused op as its parts: product, then bias, then activation. */
function unfused(call: MappedCall, product: (a: Tensor, b: Tensor, options: Options) => Tensor): Tensor {
  const { activation: _, negativeSlope: __, alpha: ___, ...own } = call.options;
  const [a, b, bias] = call.inputs as [Tensor, Tensor, Tensor | null];
  const plain = product(a, b, own);
  const sum = bias ? add(plain, bias) : plain;
  const { activation } = call.plan as unknown as { activation: ActivationPlan };
  return call.level.spread(
    activation
      ? (applyOp(
          activation.entry.op.definition as unknown as OpDefinition,
          [sum],
          activation.options,
        ) as Tensor)
      : sum,
  );
}

/** Forward conv2d and depthwiseConv2d: from images and a kernel. */
export function convolutions(kind: Kind): BatchingRule {
  return (call) => {
    if (!call.isMapped(1)) return merged(call, [call.spread(0), call.whole(1)]);
    const result = call.one([toChannels(call.spread(0)), kind.joined(call.spread(1))], kind.options(call));
    return fromChannels(result, call);
  };
}

/** Input gradients: from the cotangent and the kernel. */
export function inputGradients(kind: Kind): BatchingRule {
  return (call) => {
    if (!call.isMapped(1)) return merged(call, [call.spread(0), call.whole(1)], ['inputShape']);
    const [n, h, w, c] = call.options.inputShape as [number, number, number, number];
    const options = { ...kind.options(call), inputShape: [n, h, w, call.size * c] };
    return fromChannels(call.one([toChannels(call.spread(0)), kind.joined(call.spread(1))], options), call);
  };
}

/** Filter gradients: from the image and the cotangent. */
export function filterGradients(kind: Kind): BatchingRule {
  return (call) => {
    const kernelShape = kind.joinedShape(call.options.kernelShape as Shape, call.size);
    const images = [toChannels(call.spread(0)), toChannels(call.spread(1))];
    return kind.split(call.one(images, { ...kind.options(call), kernelShape }), call.size);
  };
}

export const fusedConvolutions: BatchingRule = (call) => {
  const rest = call.inputs.slice(1);
  if (!call.isMapped(1) && !call.isMapped(2)) return merged(call, [call.spread(0), ...rest]);
  return unfused(call, conv2d);
};

/** How the kernels of all examples are concatenated into one kernel with the channels of all examples. */
interface Kind {
  options(call: MappedCall): Options;
  joined(kernels: Tensor): Tensor;
  joinedShape(kernel: Shape, size: number): Shape;
  split(kernel: Tensor, size: number): Tensor;
}

/** Each example's kernel becomes a group. */
export const grouped: Kind = {
  options: ({ options, size }) => ({
    ...options,
    groups: ((options.groups as number | undefined) ?? 1) * size,
  }),
  joined: (kernels) => mergeBatch(kernels, 3),
  joinedShape: ([h, w, c, f], size) => [h, w, c, (f as number) * size] as Shape,
  split: (kernel, size) => splitBatch(kernel, 3, size),
};

/** Depthwise convolution treats channels separately anyway. */
export const depthwise: Kind = {
  options: ({ options }) => options,
  joined: (kernels) => mergeBatch(kernels, 2),
  joinedShape: ([h, w, c, m], size) => [h, w, (c as number) * size, m] as Shape,
  split: (kernel, size) => splitBatch(kernel, 2, size),
};

const toChannels = (images: Tensor) => mergeBatch(images, 3);

const fromChannels = (image: Tensor, { size }: MappedCall) => splitBatch(image, 3, size);

/** Merges the batch of [batch, ...shape] into `axis` of the shape, as the slower-varying part. */
function mergeBatch(x: Tensor, axis: number): Tensor {
  const [size, ...shape] = x.shape as [number, ...number[]];
  const perm = shape.map((_, i) => i + 1);
  perm.splice(axis, 0, 0);
  const moved = transpose(x, { perm });
  return reshape(moved, { shape: shape.map((n, i) => (i === axis ? n * size : n)) });
}

/** The inverse of `mergeBatch`: the batch, the slower-varying part of `axis`, becomes the first axis. */
function splitBatch(x: Tensor, axis: number, size: number): Tensor {
  const split = x.shape.flatMap((n, i) => (i === axis ? [size, n / size] : [n]));
  const unmerged = reshape(x, { shape: split });
  const perm = split.map((_, i) => i).filter((i) => i !== axis);
  return transpose(unmerged, { perm: [axis, ...perm] });
}
