/** @file Launches matmul. Batch axes broadcast; if B is a single matrix, the batch is merged into the rows of A. */
import { gemmDirectives, gemmParams, type OperandLayout } from '../../shaders/gemm.ts';
import { type MatMulOptions, matMul } from '../../shaders/matMul.ts';
import { type Shape, sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { algorithmFor } from './algorithmFor.ts';
import {
  gemmBindings,
  gemmOptions,
  gemmOutput,
  gemmParamValues,
  gemmPrograms,
  gemmResult,
  gemmStorages,
  widthOf,
} from './gemm.ts';
import { type GemmAlgorithm, type GemmProblem, gemmTunable } from './gemmAlgorithm.ts';
import { output } from './output.ts';
import type { Epilogue } from './partialSums.ts';
import { broadcastStrides, mergeAxes } from './strided.ts';

const kernel = defineKernel({
  name: 'matMul',
  bindings: (options: MatMulOptions) => gemmBindings(options),
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

/** One operand: matrices of `rows` × `columns` as laid out in memory, and the batch axes before them. */
export interface MatrixOperand {
  values: Tensor;
  batch: Shape;
  transposed: boolean;
}

/** The sizes of a matmul. */
export interface MatMulSizes {
  m: number;
  n: number;
  k: number;
  /** The batch that both operands broadcast to. */
  batch: Shape;
}

/** Operands and sizes, in the form that is computed. */
interface MatMulOperands {
  readonly a: MatrixOperand;
  readonly b: MatrixOperand;
  readonly sizes: MatMulSizes;
}

/** C[m, n] = epilogue(A[m, k] · B[k, n]) for each matrix of the batch. `spec` has m · n · batch elements. */
export function matMulKernel(
  op: string,
  a: MatrixOperand,
  b: MatrixOperand,
  sizes: MatMulSizes,
  spec: TensorSpec,
  epilogue: Epilogue = {},
): Tensor {
  const { device } = a.values;
  if (sizeOf(spec.shape) === 0) return output(device, spec, op);
  const operands = joinBatch(columnAsRow({ a, b, sizes }, epilogue));
  const problem = matMulProblem(operands, spec);
  return launchMatMul(op, operands, problem, algorithmFor(device, gemmTunable, problem), spec, epilogue);
}

/** Computes a matrix times a column as a row times the transposed matrix, since there is a special tile for rows. */
function columnAsRow(operands: MatMulOperands, { bias }: Epilogue): MatMulOperands {
  const { a, b, sizes } = operands;
  if (sizes.n > 1 || sizes.m === 1 || bias) return operands;
  return {
    a: { ...b, transposed: !b.transposed },
    b: { ...a, transposed: !a.transposed },
    sizes: { ...sizes, m: 1, n: sizes.m },
  };
}

/** With one B for the whole batch, treats the rows of all A as rows of one matrix. */
function joinBatch(operands: MatMulOperands): MatMulOperands {
  const { a, b, sizes } = operands;
  const size = sizeOf(sizes.batch);
  if (a.transposed || sizeOf(b.batch) !== 1 || sizeOf(a.batch) !== size) return operands;
  return {
    a: { ...a, batch: [] },
    b: { ...b, batch: [] },
    sizes: { ...sizes, m: sizes.m * size, batch: [] },
  };
}

function matMulProblem(
  { a, b, sizes: { m, n, k, batch } }: MatMulOperands,
  { dtype }: TensorSpec,
): GemmProblem {
  const layoutOf = ({ values }: MatrixOperand, major: 'k' | 'mn', contiguous: number): OperandLayout => ({
    major,
    width: widthOf(contiguous),
    float16: values.dtype === 'float16',
  });
  return {
    dtype,
    size: { m, n, segments: 1, length: k, slices: sizeOf(batch) },
    // A single row is contiguous along k either way.
    a: a.transposed && m > 1 ? layoutOf(a, 'mn', m) : layoutOf(a, 'k', k),
    b: b.transposed ? layoutOf(b, 'k', k) : layoutOf(b, 'mn', n),
    outWidth: widthOf(n),
    conv2d: null,
  };
}

/** Launches a matmul by a given algorithm. */
export function launchMatMul(
  op: string,
  { a, b, sizes: { m, n, k, batch } }: MatMulOperands,
  problem: GemmProblem,
  algorithm: GemmAlgorithm,
  spec: TensorSpec,
  epilogue: Epilogue,
): Tensor {
  const { device } = a.values;
  const call = { op, problem, algorithm, spec, epilogue };
  const merged = mergeAxes(batch, [
    broadcastStrides(a.batch, batch).map((stride) => stride * m * k),
    broadcastStrides(b.batch, batch).map((stride) => stride * k * n),
  ]);
  const out = gemmOutput(device, call);
  device.launch(kernel, {
    ...gemmPrograms(call, { ...gemmOptions(call), batchRank: merged.shape.length }),
    bindings: gemmStorages(a.values, b.values, out, epilogue),
    params: {
      ...gemmParamValues(call),
      a_stride: problem.a.major === 'mn' ? m : k,
      b_stride: b.transposed ? k : n,
      batch_shape: merged.shape,
      a_batch_strides: merged.strides[0] as number[],
      b_batch_strides: merged.strides[1] as number[],
    },
  });
  return gemmResult(call, out);
}
