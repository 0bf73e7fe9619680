/**
 * @file Factorizations of small matrices [matrices, n, n], and triangular systems.
 *
 * `cholesky`, `lu` and `householder` assign a matrix to a workgroup, whose invocations share its rows or columns; each step of
 * the factorization ends with a barrier. Triangular systems assign a right-hand side to an invocation, without barriers.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

/** Invocations that share a matrix, and invocations of a workgroup for triangular systems. */
export const factorizationWorkgroup = 64;

const entry = /* wgsl */ `
@compute @workgroup_size(${factorizationWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
)`;

/** The lower factor of each symmetric matrix, column by column; NaN from the column where one isn't positive definite. */
export function cholesky(): string {
  return wgsl`
${flatIndex}
${entry} {
  let matrix = flat_group(group, groups);
  let n = params.n;
  let base = matrix * n * n;
  // A folded grid may have workgroups beyond the last matrix.
  let end = select(0u, n, matrix < params.count);
  for (var column = 0u; column < n; column++) {
    for (var row = local; row < end; row += ${factorizationWorkgroup}u) {
      var rest = 0.0;
      if (row >= column) {
        rest = x[base + row * n + column];
        for (var k = 0u; k < column; k++) {
          rest -= out[base + row * n + k] * out[base + column * n + k];
        }
      }
      out[base + row * n + column] = rest;
    }
    storageBarrier();
    let square = out[base + column * n + column];
    storageBarrier();
    // By comparison, since the root of a negative number may be anything.
    let pivot = select(bitcast<f32>(params.nan), sqrt(max(square, 0.0)), square > 0.0);
    for (var row = local; row < end; row += ${factorizationWorkgroup}u) {
      if (row > column) {
        out[base + row * n + column] /= pivot;
      } else if (row == column) {
        out[base + row * n + column] = pivot;
      }
    }
    storageBarrier();
  }
}
`;
}

/**
 * L and U of each matrix in one, with partial pivoting (Golub and Van Loan, Matrix computations, 3.4): `order` is where each
 * row of LU was in x, followed by the number of row exchanges, and by the row that each step exchanged with its own.
 */
export function lu(): string {
  return wgsl`
${flatIndex}
var<workgroup> pivot_row: u32;

${entry} {
  let matrix = flat_group(group, groups);
  let n = params.n;
  let base = matrix * n * n;
  let rows = matrix * (2u * n + 1u);
  let end = select(0u, n, matrix < params.count);
  for (var i = local; i < end * end; i += ${factorizationWorkgroup}u) {
    out[base + i] = x[base + i];
  }
  if (local == 0u && end > 0u) {
    for (var i = 0u; i < end; i++) {
      order[rows + i] = i;
    }
    order[rows + n] = 0u;
  }
  storageBarrier();
  for (var step = 0u; step < n; step++) {
    if (local == 0u && end > 0u) {
      var best = step;
      for (var row = step + 1u; row < end; row++) {
        if (abs(out[base + row * n + step]) > abs(out[base + best * n + step])) {
          best = row;
        }
      }
      if (best != step) {
        let moved = order[rows + step];
        order[rows + step] = order[rows + best];
        order[rows + best] = moved;
        order[rows + n] += 1u;
      }
      order[rows + n + 1u + step] = best;
      pivot_row = best;
    }
    let best = workgroupUniformLoad(&pivot_row);
    for (var column = local; column < end; column += ${factorizationWorkgroup}u) {
      let moved = out[base + step * n + column];
      out[base + step * n + column] = out[base + best * n + column];
      out[base + best * n + column] = moved;
    }
    storageBarrier();
    let pivot = out[base + step * n + step];
    for (var row = step + 1u + local; row < end; row += ${factorizationWorkgroup}u) {
      // A column of zeros has nothing to eliminate.
      let factor = select(out[base + row * n + step] / pivot, 0.0, pivot == 0.0);
      out[base + row * n + step] = factor;
      for (var column = step + 1u; column < n; column++) {
        out[base + row * n + column] -= factor * out[base + step * n + column];
      }
    }
    storageBarrier();
  }
}
`;
}

/**
 * Householder reflections that make the first columns of each [rows, columns] upper triangular, applied to all columns: they
 * turn [A, I] into [R, Qᵀ] (Golub and Van Loan, 5.2).
 */
export function householder(): string {
  return wgsl`
${flatIndex}
${entry} {
  let matrix = flat_group(group, groups);
  let rows = params.rows;
  let columns = params.columns;
  let base = matrix * rows * columns;
  let end = select(0u, columns, matrix < params.count);
  for (var i = local; i < rows * end; i += ${factorizationWorkgroup}u) {
    out[base + i] = x[base + i];
  }
  storageBarrier();
  for (var step = 0u; step < params.steps; step++) {
    // Every invocation finds the reflection by itself: v is the column, with v0 at its head.
    var largest = 0.0;
    for (var row = step; row < rows; row++) {
      largest = max(largest, abs(out[base + row * columns + step]));
    }
    let scale = select(largest, 1.0, largest == 0.0);
    var square = 0.0;
    for (var row = step; row < rows; row++) {
      let value = out[base + row * columns + step] / scale;
      square += value * value;
    }
    let length = sqrt(square) * scale;
    let head = out[base + step * columns + step];
    let v0 = head + select(length, -length, head < 0.0);
    for (var column = step + 1u + local; column < end; column += ${factorizationWorkgroup}u) {
      var product = v0 / scale * out[base + step * columns + column];
      for (var row = step + 1u; row < rows; row++) {
        product += out[base + row * columns + step] / scale * out[base + row * columns + column];
      }
      // vᵀv = 2 · length · |v0|.
      let factor = select(product / (length / scale * abs(v0)), 0.0, length == 0.0);
      out[base + step * columns + column] -= factor * v0;
      for (var row = step + 1u; row < rows; row++) {
        out[base + row * columns + column] -= factor * out[base + row * columns + step];
      }
    }
    storageBarrier();
    if (local == 0u && end > 0u) {
      out[base + step * columns + step] = select(-length, length, head < 0.0);
    }
    storageBarrier();
  }
}
`;
}

export type TriangularOptions = {
  lower: boolean;
  /** Solves aᵀ x = b. */
  transposed: boolean;
  /** Assumes ones on the diagonal, which isn't read. */
  unitDiagonal: boolean;
};

/** Solves a x = b by substitution, a [matrices, n, n] triangular, b [matrices, n, m]. One invocation per column of b. */
export function triangularSolve({ lower, transposed, unitDiagonal }: TriangularOptions): string {
  const forward = lower !== transposed;
  const a = (row: string, column: string) =>
    transposed ? `a[base + ${column} * n + ${row}]` : `a[base + ${row} * n + ${column}]`;
  return wgsl`
${flatIndex}
${entry} {
  let i = flat_index(group, groups, local, ${factorizationWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let n = params.n;
  let m = params.m;
  let base = i / m * n * n;
  let first = i / m * n * m + i % m;
  for (var step = 0u; step < n; step++) {
    let row = ${forward ? 'step' : 'n - 1u - step'};
    var rest = b[first + row * m];
    for (var k = 0u; k < step; k++) {
      let column = ${forward ? 'k' : 'n - 1u - k'};
      rest -= ${a('row', 'column')} * out[first + column * m];
    }
    out[first + row * m] = ${unitDiagonal ? 'rest' : `rest / ${a('row', 'row')}`};
  }
}
`;
}
