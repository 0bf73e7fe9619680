/**
 * @file Launches products of matrices. Batch axes broadcast; where B is one matrix for the whole batch, the batch joins
 * the rows of A.
 */
import { gemmDirectives, gemmParams, type OperandLayout } from '../../shaders/gemm.ts';
import { type MatMulOptions, matMul } from '../../shaders/matMul.ts';
import { wgslType } from '../core/dtype.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import {
  gemmBindings,
  gemmParamValues,
  gemmPrograms,
  type GemmFacts,
  widthOf,
  withGemmPlan,
} from './gemm.ts';
import { output } from './output.ts';
import { addPartialSums, type Epilogue, partialSums } from './partialSums.ts';
import { broadcastStrides, mergeAxes } from './walks.ts';

const kernel = defineKernel({
  name: 'matMul',
  bindings: ({ type, a, b, outWidth, bias }: MatMulOptions): Bindings =>
    gemmBindings(type, a, b, outWidth, bias),
  params: {
    ...gemmParams,
    a_stride: 'u32',
    b_stride: 'u32',
    batch_shape: 'u32x8',
    a_batch_strides: 'u32x8',
    b_batch_strides: 'u32x8',
  },
  directives: gemmDirectives,
  source: matMul,
});

/** One operand: matrices of `rows` × `columns` as they lie in memory, and the batch axes before them. */
export interface MatrixOperand {
  values: Tensor;
  batch: Shape;
  transposed: boolean;
}

export interface Product {
  m: number;
  n: number;
  k: number;
  /** The batch that both operands broadcast to. */
  batch: Shape;
}

/** C[m, n] = epilogue(A[m, k] · B[k, n]) for each matrix of the batch. `spec` has m · n · batch elements. */
export function matMulKernel(
  op: string,
  a: MatrixOperand,
  b: MatrixOperand,
  product: Product,
  spec: TensorSpec,
  epilogue: Epilogue = {},
): Tensor {
  const { device } = a.values;
  if (sizeOf(spec.shape) === 0) return output(device, spec, op);
  const { n, k } = product;
  const { bias = null, activation = 'value', alpha = 0 } = epilogue;
  if (n === 1 && product.m > 1 && !bias) {
    // A matrix by a column is a row by the matrix transposed; rows have a tile of their own.
    const flipped = { ...product, m: 1, n: product.m };
    const turned = (x: MatrixOperand) => ({ ...x, transposed: !x.transposed });
    return matMulKernel(op, turned(b), turned(a), flipped, spec, epilogue);
  }
  // One B for all: the rows of all A are rows of one product.
  const joins = !a.transposed && sizeOf(b.batch) === 1 && sizeOf(a.batch) === sizeOf(product.batch);
  const batch = joins ? [] : product.batch;
  const m = joins ? product.m * sizeOf(product.batch) : product.m;
  const walk = mergeAxes(batch, [
    broadcastStrides(joins ? [] : a.batch, batch).map((s) => s * m * k),
    broadcastStrides(joins ? [] : b.batch, batch).map((s) => s * k * n),
  ]);
  const size = { m, n, segments: 1, length: k, slices: sizeOf(batch) };
  const layoutOf = ({ values }: MatrixOperand, major: 'k' | 'mn', contiguous: number): OperandLayout => ({
    major,
    width: widthOf(contiguous),
    half: values.dtype === 'float16',
  });
  const facts: GemmFacts = {
    of: kernel.name,
    dtype: spec.dtype,
    size,
    a: a.transposed ? layoutOf(a, 'mn', m) : layoutOf(a, 'k', k),
    b: b.transposed ? layoutOf(b, 'k', k) : layoutOf(b, 'mn', n),
    outWidth: widthOf(n),
  };
  return withGemmPlan(device, facts, (plan) => {
    const { tile, split, ...layouts } = plan;
    const isSplit = split.parts > 1;
    const out = isSplit ? partialSums(device, spec, split.parts, op) : output(device, spec, op);
    device.launch(kernel, {
      ...gemmPrograms(device, plan, size, {
        tile,
        type: wgslType(spec.dtype),
        ...layouts,
        bias: bias !== null,
        activation,
        split: isSplit,
        batchRank: walk.shape.length,
      }),
      bindings: {
        a_values: a.values.storage,
        b_values: b.values.storage,
        c_values: out.storage,
        ...(bias ? { bias_values: bias.storage } : {}),
      },
      params: {
        ...gemmParamValues(size, split, alpha, sizeOf(spec.shape)),
        a_stride: a.transposed ? m : k,
        b_stride: b.transposed ? k : n,
        batch_shape: walk.shape,
        a_batch_strides: walk.strides[0] as number[],
        b_batch_strides: walk.strides[1] as number[],
      },
    });
    return isSplit ? addPartialSums(op, out, spec, { bias, activation, alpha }) : out;
  });
}
