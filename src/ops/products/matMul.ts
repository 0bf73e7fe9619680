/** @file matMul */
import { type DType, promote } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { broadcastShapes, requireBoolean, type Shape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { MatrixOperand, MatMulSizes } from '../../kernels/gemm/matMul.ts';
import type { Epilogue } from '../../kernels/launch/epilogue.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Cost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { readsOther } from '../define/definition.ts';
import { converted } from '../elementwise/elementwise.ts';
import { sumToShape } from '../reductions/sum.ts';
import { reshape } from '../arrangement/reshape.ts';

export interface MatMulOptions {
  /** Whether to transpose the last two axes of `a` first. Default false. */
  transposeA?: boolean;
  /** Whether to transpose the last two axes of `b` first. Default false. */
  transposeB?: boolean;
}

/** The spec of a matmul, its sizes, and the shapes of its operands as batches of matrices. */
export interface MatMulPlan extends MatMulSizes, TensorSpec {
  aBatch: Shape;
  bBatch: Shape;
  transposeA: boolean;
  transposeB: boolean;
}

/** Errors: ShapeError for scalars and mismatched sizes, ValueError for options, DTypeError for int32 with uint32. */
export function planMatMul(op: string, a: TensorSpec, b: TensorSpec, options: MatMulOptions): MatMulPlan {
  const { transposeA = false, transposeB = false } = options;
  requireBoolean(op, 'transposeA', transposeA);
  requireBoolean(op, 'transposeB', transposeB);
  for (const [name, spec] of [
    ['a', a],
    ['b', b],
  ] as const) {
    if (spec.shape.length > 0) continue;
    throw new ShapeError({
      op,
      rule: `\`${name}\` must be a vector, a matrix or a batch of matrices.`,
      received: `${name}: ${formatSpec(spec)}`,
      hint: 'multiply by a scalar with mul().',
    });
  }
  const isVectorA = a.shape.length === 1;
  const isVectorB = b.shape.length === 1;
  const swapA = transposeA && !isVectorA;
  const swapB = transposeB && !isVectorB;
  const [rowsA, columnsA] = isVectorA ? [1, a.shape[0] as number] : (a.shape.slice(-2) as [number, number]);
  const [rowsB, columnsB] = isVectorB ? [b.shape[0] as number, 1] : (b.shape.slice(-2) as [number, number]);
  const [m, k] = swapA ? [columnsA, rowsA] : [rowsA, columnsA];
  const [inner, n] = swapB ? [columnsB, rowsB] : [rowsB, columnsB];
  if (k !== inner) {
    throw new ShapeError({
      op,
      rule: 'the columns of `a` must be as many as the rows of `b`, after any transposition.',
      received: `${k} columns of a ${formatSpec(a)}${swapA ? ' transposed' : ''}, ${inner} rows of b ${formatSpec(b)}${swapB ? ' transposed' : ''}`,
      hint: 'set transposeA or transposeB, or reshape an operand.',
    });
  }
  const aBatch = a.shape.slice(0, -2);
  const bBatch = b.shape.slice(0, -2);
  const batch = broadcastShapes(op, aBatch, bBatch);
  const shape = [...batch, ...(isVectorA ? [] : [m]), ...(isVectorB ? [] : [n])];
  const dtype = matMulDType(op, a, b);
  return { m, n, k, batch, shape, dtype, aBatch, bBatch, transposeA: swapA, transposeB: swapB };
}

/** Returns the result dtype of a matmul: bools are summed as int32, float16 values as float32. */
function matMulDType(op: string, a: TensorSpec, b: TensorSpec): DType {
  const common = promote(op, a.dtype, b.dtype);
  if (common === 'float16') return 'float32';
  return common === 'bool' ? 'int32' : common;
}

/** Launches the matmul of `a` and `b`. */
export function multiply(
  op: string,
  a: Tensor,
  b: Tensor,
  plan: MatMulPlan,
  epilogue: Epilogue = {},
): Tensor {
  const operand = (x: Tensor, batch: Shape, transposed: boolean): MatrixOperand => ({
    values: x.dtype === 'float16' ? x : converted(x, plan.dtype),
    batch,
    transposed,
  });
  return kernels().matMulKernel({
    op,
    a: operand(a, plan.aBatch, plan.transposeA),
    b: operand(b, plan.bBatch, plan.transposeB),
    sizes: plan,
    spec: plan,
    epilogue,
  });
}

/** A multiplication and an addition for each term. */
export function matMulCost({ m, n, k, batch }: MatMulPlan): Cost {
  return { flops: 2 * sizeOf(batch) * m * n * k };
}

/** The gradients of a matmul, each in its operand's shape; null where it isn't needed. Each reads the other operand. */
export function matMulGradients(
  { a, b }: { a: Tensor; b: Tensor },
  dy: Tensor,
  [aSpec, bSpec]: readonly [a: TensorSpec, b: TensorSpec, ...unknown[]],
  needs: readonly [a: boolean, b: boolean, ...unknown[]],
  plan: MatMulPlan,
): [Tensor | null, Tensor | null] {
  const { m, n, k, batch, transposeA, transposeB } = plan;
  // Treat vectors as matrices, so that one rule applies to all.
  const asMatrices = (x: Tensor, lead: Shape, rows: number, columns: number) =>
    x.rank === lead.length + 2 ? x : reshape(x, { shape: [...lead, rows, columns] });
  const am = () => (a.rank === 1 ? asMatrices(a, [], 1, k) : a);
  const bm = () => (b.rank === 1 ? asMatrices(b, [], k, 1) : b);
  const dc = asMatrices(dy, batch, m, n);
  const toShape = (gradient: Tensor, shape: Shape) => {
    if (shape.length > 1) return sumToShape(gradient, shape);
    const last = sizeOf(gradient.shape.slice(-2));
    return sumToShape(reshape(gradient, { shape: [...batch, last] }), shape);
  };
  const da = () => {
    const gradient = transposeA
      ? matMul(bm(), dc, { transposeA: transposeB, transposeB: true })
      : matMul(dc, bm(), { transposeB: !transposeB });
    return toShape(gradient, aSpec.shape);
  };
  const db = () => {
    // One matrix `b` for a batch of `a`: the matmul sums over the batch, too.
    if (
      sizeOf(plan.bBatch) === 1 &&
      sizeOf(batch) > 1 &&
      !transposeA &&
      sizeOf(plan.aBatch) === sizeOf(batch)
    ) {
      const rows = m * sizeOf(batch);
      const tall = reshape(a, { shape: [rows, k] });
      const tallC = reshape(dc, { shape: [rows, n] });
      const gradient = transposeB
        ? matMul(tallC, tall, { transposeA: true })
        : matMul(tall, tallC, { transposeA: true });
      return reshape(gradient, { shape: bSpec.shape });
    }
    const gradient = transposeB
      ? matMul(dc, am(), { transposeA: true, transposeB: transposeA })
      : matMul(am(), dc, { transposeA: !transposeA });
    return toShape(gradient, bSpec.shape);
  };
  return [needs[0] ? da() : null, needs[1] ? db() : null];
}

/**
 * The matrix product of `a` and `b`.
 * Shapes: a [..batch, m, k], b [..batch, k, n] → [..batch, m, n]; batch axes broadcast. `transposeA` and `transposeB` take
 * [k, m] and [n, k]. A vector `a` is a row, a vector `b` a column, and the result lacks that axis, as in NumPy.
 * Float32, or integers (bools count as int32); operands of two dtypes are promoted. float16 operands are widened as they
 * are read: their sums and the result are float32, and so are their gradients. Gradients flow to floats.
 * Errors: ShapeError for scalars and mismatched sizes, DTypeError for int32 with uint32.
 */
export const matMul: Op<
  [a: Tensor, b: Tensor],
  MatMulOptions,
  Tensor,
  'product',
  ['transposeA', 'transposeB']
> = /* @__PURE__ */ defineOp({
  name: 'matMul',
  inputs: ['a', 'b'],
  options: { transposeA: true, transposeB: true },
  acceptsFloat16: [0, 1],
  infer: ([a, b], options) => planMatMul('matMul', a, b, options),
  remembersPlans: true,
  readsInputs: readsOther,
  forward: ([a, b], plan) => multiply('matMul', a, b, plan),
  backward: ([dy], { inputs: [a, b], inputSpecs, needs, plan }) =>
    matMulGradients({ a, b }, dy, inputSpecs, needs, plan),
  cost: (_inputs, _outputs, plan) => matMulCost(plan),
});
