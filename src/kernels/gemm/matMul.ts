/** @file Launches matmul. Batch axes broadcast; if B is a single matrix, the batch is merged into the rows of A. */
import { gemmDirectives, gemmParams, type OperandLayout } from '../../../shaders/gemm.ts';
import { type MatMulOptions, matMul } from '../../../shaders/matMul.ts';
import { type Shape, sameShape, sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { algorithmFor } from '../selection/algorithmFor.ts';
import { dividesLines, elementwiseKernel } from '../elementwise/elementwise.ts';
import { gemmBindings, launchGemm, widthOf } from './gemm.ts';
import { type GemmAlgorithm, gemmTunable, tinySize } from './gemmAlgorithm.ts';
import type { GemmProblem } from './gemmProblem.ts';
import { output, view } from '../launch/output.ts';
import type { Epilogue } from '../launch/epilogue.ts';
import { broadcastStrides, mergeAxes } from '../launch/strided.ts';

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
  stores: 'c_values',
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

/** C[m, n] = epilogue(A[m, k] · B[k, n]) for each matrix of the batch. */
export interface MatMulCall {
  readonly op: string;
  readonly a: MatrixOperand;
  readonly b: MatrixOperand;
  readonly sizes: MatMulSizes;
  /** The result: m · n · batch elements. */
  readonly spec: TensorSpec;
  readonly epilogue?: Epilogue;
}

export function matMulKernel(call: MatMulCall): Tensor {
  const { device } = call.a.values;
  if (sizeOf(call.spec.shape) === 0) return output(device, call.spec, call.op);
  if (isOuterProduct(call)) return outerProduct(call);
  const computed = rowsAsBatch(joinBatch(columnAsRow(call)));
  const problem = matMulProblem(computed);
  return launchMatMul(computed, problem, algorithmFor(device, gemmTunable, problem));
}

/**
 * Returns whether there is nothing to sum over, and an elementwise kernel is faster. Products of float16 are not rounded to
 * float16.
 */
function isOuterProduct({ a, b, sizes: { m, n, k, batch }, spec, epilogue = {} }: MatMulCall): boolean {
  if (k !== 1 || epilogue.bias || epilogue.activation) return false;
  if (n % 4 !== 0 && !dividesLines(a.values.device, sizeOf(spec.shape))) return false;
  const isFloat16 = a.values.dtype === 'float16' || b.values.dtype === 'float16';
  return !isFloat16 && sameShape(spec.shape, [...batch, m, n]);
}

/** The elements of columns times those of rows: an elementwise kernel divides less than the loops of a GEMM. */
function outerProduct({ op, a, b, sizes: { m, n }, spec }: MatMulCall): Tensor {
  const as = ({ values, batch }: MatrixOperand, ...shape: number[]) =>
    view(values, { shape: [...batch, ...shape], dtype: spec.dtype }, op);
  const factors = [as(a, m, 1), as(b, 1, n)];
  const product = elementwiseKernel(op, 'a * b', factors, spec);
  for (const factor of factors) factor.dispose();
  return product;
}

/** Computes a matrix times a column as a row times the transposed matrix, since there is a special tile for rows. */
function columnAsRow(call: MatMulCall): MatMulCall {
  const { a, b, sizes, epilogue } = call;
  if (sizes.n > 1 || sizes.m === 1 || epilogue?.bias) return call;
  return {
    ...call,
    a: { ...b, transposed: !b.transposed },
    b: { ...a, transposed: !a.transposed },
    sizes: { ...sizes, m: 1, n: sizes.m },
  };
}

/** The number of rows from which a program for tiny matrices is worth compiling. */
const manyRows = 64;

/** With one B for the whole batch, treats the rows of all A as rows of one matrix. */
function joinBatch(call: MatMulCall): MatMulCall {
  const { a, b, sizes } = call;
  if (sizes.batch.length === 0) return call;
  const size = sizeOf(sizes.batch);
  if (a.transposed || sizeOf(b.batch) !== 1 || sizeOf(a.batch) !== size) return call;
  return {
    ...call,
    a: { ...a, batch: [] },
    b: { ...b, batch: [] },
    sizes: { ...sizes, m: sizes.m * size, batch: [] },
  };
}

/** On software adapters, treats many rows times a tiny matrix as a batch of tiny matrices, each of up to four rows. */
function rowsAsBatch(call: MatMulCall): MatMulCall {
  const { a, sizes } = call;
  const { m, n, k } = sizes;
  if (a.transposed || sizes.batch.length > 0 || m < manyRows || Math.max(n, k) > tinySize) return call;
  if (profileOf(a.values.device).gemm.tiles !== 'registers') return call;
  const rows = [4, 3, 2].find((divisor) => m % divisor === 0) ?? 1;
  const batch = [m / rows];
  return { ...call, a: { ...a, batch }, sizes: { ...sizes, m: rows, batch } };
}

function matMulProblem({ a, b, sizes: { m, n, k, batch }, spec }: MatMulCall): GemmProblem {
  const layoutOf = ({ values }: MatrixOperand, major: 'k' | 'mn', contiguous: number): OperandLayout => ({
    major,
    width: widthOf(contiguous),
    float16: values.dtype === 'float16',
  });
  return {
    dtype: spec.dtype,
    size: { m, n, segments: 1, length: k, slices: sizeOf(batch) },
    // A single row is contiguous along k either way.
    a: a.transposed && m > 1 ? layoutOf(a, 'mn', m) : layoutOf(a, 'k', k),
    b: b.transposed ? layoutOf(b, 'k', k) : layoutOf(b, 'mn', n),
    outWidth: widthOf(n),
    conv2d: null,
  };
}

/** Launches a matmul by a given algorithm. */
export function launchMatMul(call: MatMulCall, problem: GemmProblem, algorithm: GemmAlgorithm): Tensor {
  const { op, a, b, spec, epilogue } = call;
  const { m, n, k, batch } = call.sizes;
  const { shape, strides } = mergeAxes(batch, [
    broadcastStrides(a.batch, batch).map((stride) => stride * m * k),
    broadcastStrides(b.batch, batch).map((stride) => stride * k * n),
  ]);
  return launchGemm(
    kernel,
    { op, a: a.values, b: b.values, spec, epilogue, problem, algorithm },
    { batchRank: shape.length },
    {
      a_stride: problem.a.major === 'mn' ? m : k,
      b_stride: b.transposed ? k : n,
      batch_shape: shape,
      a_batch_strides: strides[0] as number[],
      b_batch_strides: strides[1] as number[],
    },
  );
}
