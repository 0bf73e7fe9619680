/**
 * @file Orthogonal matrices, drawn uniformly: the Q of a QR decomposition of normal values, with the signs of R's diagonal.
 * Computed on the host in double precision: weights are created once, and sequential reflections gain little from a GPU.
 * Sources: Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear neural networks, ICLR 2014;
 * Mezzadri, How to generate random matrices from the classical compact groups, 2007.
 */
import type { DType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, type Shape, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { number, seeded } from '../options/kinds.ts';
import type { Table } from '../options/maker.ts';
import { hostNormals } from './hostRandom.ts';
import { initializer, type SeedOptions } from './initializer.ts';

export interface OrthogonalOptions extends SeedOptions {
  /** Factor of the matrix. Default 1. */
  gain?: number;
}

const table: Table<OrthogonalOptions> = () => ({ gain: number({ default: 1 }), seed: seeded() });

/**
 * A matrix with orthonormal rows or columns, whichever are fewer, times `gain`. Weights of higher rank are treated as
 * matrices, with all axes but the last merged. Errors: ValueError for options; ShapeError, when called, for a rank below 2.
 */
export const orthogonal = /* @__PURE__ */ initializer(
  'Orthogonal',
  table,
  ({ gain, seed }) =>
    (shape, dtype) =>
      drawOrthogonal(shape, dtype, gain, seed),
  ['gain', 'seed'],
);

function drawOrthogonal(shape: Shape, dtype: DType, gain: number, seed: number | null): Tensor {
  if (shape.length < 2) {
    throw new ShapeError({
      op: 'Orthogonal',
      rule: 'an orthogonal weight has rank 2 or more.',
      received: formatShape(shape),
      hint: 'choose another initializer for this weight.',
    });
  }
  const columns = shape.at(-1) as number;
  const rows = columns === 0 ? 0 : sizeOf(shape) / columns;
  const [long, short] = rows >= columns ? [rows, columns] : [columns, rows];
  // Stored by columns, so that reflections access contiguous memory.
  const basis = orthonormalColumns(hostNormals(long * short, seed), long, short);
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [i, j] = rows >= columns ? [row, column] : [column, row];
      values[row * columns + column] = gain * (basis[j * long + i] as number);
    }
  }
  return tensor(values, { shape, dtype });
}

/** Returns the Q of `columns` columns of `rows` values each, stored column after column, by Householder's reflections. */
function orthonormalColumns(matrix: Float64Array, rows: number, columns: number): Float64Array {
  const column = (j: number) => matrix.subarray(j * rows, (j + 1) * rows);
  const signs: number[] = [];
  for (let j = 0; j < columns; j++) {
    const x = column(j);
    const norm = normOf(x, j);
    const diagonal = (x[j] as number) > 0 ? -norm : norm;
    signs.push(Math.sign(diagonal) || 1);
    x[j] = (x[j] as number) - diagonal;
    const length = normOf(x, j) || 1;
    for (let i = j; i < rows; i++) x[i] = (x[i] as number) / length;
    for (let k = j + 1; k < columns; k++) reflect(column(k), x, j);
  }
  const q = new Float64Array(rows * columns);
  for (let j = 0; j < columns; j++) {
    const target = q.subarray(j * rows, (j + 1) * rows);
    target[j] = signs[j] as number;
    for (let k = columns - 1; k >= 0; k--) reflect(target, column(k), k);
  }
  return q;
}

/** x - 2 v (v · x), for a unit vector v that is zero before `from`. */
function reflect(x: Float64Array, v: Float64Array, from: number): void {
  let dot = 0;
  for (let i = from; i < x.length; i++) dot += (v[i] as number) * (x[i] as number);
  for (let i = from; i < x.length; i++) x[i] = (x[i] as number) - 2 * dot * (v[i] as number);
}

/** Returns the norm of `x` from index `from` on. */
function normOf(x: Float64Array, from: number): number {
  let squares = 0;
  for (let i = from; i < x.length; i++) squares += (x[i] as number) ** 2;
  return Math.sqrt(squares);
}
