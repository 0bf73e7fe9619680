/** @file The pooling kernels of the catalog. */
import type { DilationOptions } from '../../../shaders/dilation2d.ts';
import type { PatchSumOptions } from '../../../shaders/patches.ts';
import type { PoolGradientOptions, PoolOptions } from '../../../shaders/pool.ts';
import { type Family, entry } from './entry.ts';

export const poolingKernels: Family = {
  pool: entry<PoolOptions>(
    { type: 'f32', width: 4, perInvocation: 1, kind: 'max' },
    {
      average: { kind: 'average' },
      'two reads per invocation': { perInvocation: 2 },
      position: { kind: 'position' },
      element: { kind: 'element' },
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
  dilation2d: entry<DilationOptions>(
    { width: 4, perInvocation: 1, dilated: false, kind: 'max' },
    {
      'two reads per invocation': { perInvocation: 2 },
      pixel: { kind: 'pixel' },
      'tap, dilated, width 1': { kind: 'tap', dilated: true, width: 1 },
    },
  ),
  'patch sum': entry<PatchSumOptions>(
    { width: 4, perInvocation: 1, dilated: false },
    { 'dilated, width 1': { width: 1, dilated: true } },
  ),
};
