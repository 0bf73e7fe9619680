/** @file Launches factorizations of matrices and triangular systems. */
import {
  cholesky,
  factorizationWorkgroup,
  householder,
  lu,
  type TriangularOptions,
  triangularSolve,
} from '../../../shaders/linalg.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import { bitsOf } from '../../core/bits.ts';
import { output } from '../launch/output.ts';

const choleskyFactor = defineKernel({
  name: 'cholesky',
  bindings: { x: 'read f32', out: 'read_write f32' },
  params: { count: 'u32', n: 'u32', nan: 'u32' },
  source: cholesky,
});

const luFactors = defineKernel({
  name: 'lu',
  bindings: { x: 'read f32', out: 'read_write f32', order: 'read_write u32' },
  params: { count: 'u32', n: 'u32' },
  source: lu,
});

const reflections = defineKernel({
  name: 'householder',
  bindings: { x: 'read f32', out: 'read_write f32' },
  params: { count: 'u32', rows: 'u32', columns: 'u32', steps: 'u32' },
  source: householder,
});

const triangular = defineKernel({
  name: 'triangular solve',
  bindings: { a: 'read f32', b: 'read f32', out: 'read_write f32' },
  params: { count: 'u32', n: 'u32', m: 'u32' },
  source: triangularSolve,
});

/** Computes the lower Cholesky factors of `x` [matrices, n, n]. */
export function choleskyKernel(op: string, x: Tensor, spec: TensorSpec): Tensor {
  const out = output(x.device, spec, op);
  const n = x.shape.at(-1) as number;
  if (out.size === 0) return out;
  const count = out.size / n ** 2;
  x.device.launch(choleskyFactor, {
    options: {},
    bindings: { x: x.storage, out: out.storage },
    params: { count, n, nan: bitsOf(Number.NaN, 'float32') },
    workgroups: count,
  });
  return out;
}

/**
 * [LU, rows] of `x`, by `specs`: L and U in one, [..., n, n]; the row order, the number of exchanges, and the row that each
 * step exchanged with its own, [..., 2 n + 1].
 */
export function luKernel(
  op: string,
  x: Tensor,
  [factors, rows]: readonly [TensorSpec, TensorSpec],
): [factors: Tensor, rows: Tensor] {
  const out = output(x.device, factors, op);
  const order = output(x.device, rows, op);
  const n = x.shape.at(-1) as number;
  if (out.size === 0) return [out, order];
  const count = out.size / n ** 2;
  x.device.launch(luFactors, {
    options: {},
    bindings: { x: x.storage, out: out.storage, order: order.storage },
    params: { count, n },
    workgroups: count,
  });
  return [out, order];
}

/** Returns `x` [..., rows, columns] after `steps` Householder reflections. */
export function householderKernel(op: string, x: Tensor, steps: number, spec: TensorSpec): Tensor {
  const out = output(x.device, spec, op);
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  if (out.size === 0) return out;
  const count = out.size / (rows * columns);
  x.device.launch(reflections, {
    options: {},
    bindings: { x: x.storage, out: out.storage },
    params: { count, rows, columns, steps },
    workgroups: count,
  });
  return out;
}

/** x with a x = b, a [..., n, n] triangular and b [..., n, m]. */
export function triangularSolveKernel(
  op: string,
  a: Tensor,
  b: Tensor,
  options: TriangularOptions,
  spec: TensorSpec,
): Tensor {
  const out = output(b.device, spec, op);
  if (out.size === 0) return out;
  const [n, m] = b.shape.slice(-2) as [number, number];
  const count = out.size / n;
  b.device.launch(triangular, {
    options,
    bindings: { a: a.storage, b: b.storage, out: out.storage },
    params: { count, n, m },
    workgroups: Math.ceil(count / factorizationWorkgroup),
  });
  return out;
}
