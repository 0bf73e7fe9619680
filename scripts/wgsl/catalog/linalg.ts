/** @file The linalg kernels of the catalog. */
import type { TriangularOptions } from '../../../shaders/linalg.ts';
import { type Family, entry } from './entry.ts';

export const linalgKernels: Family = {
  cholesky: entry({}),
  lu: entry({}),
  householder: entry({}),
  jacobi: entry({}),
  'triangular solve': entry<TriangularOptions>(
    { lower: true, transposed: false, unitDiagonal: true },
    { backward: { lower: false, unitDiagonal: false } },
  ),
};
