/** @file The pooling kernels of the catalog. */
import type { PoolGradientOptions, PoolOptions } from '../../../shaders/pool.ts';
import { type Family, entry } from './entry.ts';

export const poolingKernels: Family = {
  pool: entry<PoolOptions>(
    { type: 'f32', width: 4, perInvocation: 1, kind: 'max' },
    {
      average: { kind: 'average' },
      'two reads per invocation': { perInvocation: 2 },
      position: { kind: 'position' },
      'pick, width 1': { kind: 'pick', width: 1 },
    },
  ),
  'pool gradient': entry<PoolGradientOptions>(
    { type: 'f32', width: 4, perInvocation: 1, kind: 'cells' },
    {
      positions: { kind: 'positions', width: 1 },
      average: { kind: 'average' },
      'average without overlaps': { kind: 'averageCells' },
    },
  ),
};
