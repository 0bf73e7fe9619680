/** @file The normalization kernels of the catalog. */
import type { LayerNormOptions } from '../../../shaders/layerNorm.ts';
import type { LayerNormGradientOptions } from '../../../shaders/layerNormGradient.ts';
import type { RmsNormOptions } from '../../../shaders/rmsNorm.ts';
import type { RmsNormGradientOptions } from '../../../shaders/rmsNormGradient.ts';
import type { RmsNormRowsOptions } from '../../../shaders/rmsNormRows.ts';
import type { SoftmaxOptions } from '../../../shaders/softmax.ts';
import { type Family, entry } from './entry.ts';

const lanes = {
  lanes: 64,
  order: 'rows',
  width: 4,
  workgroup: 64,
  subgroups: true,
  kept: 2,
  whole: false,
  reads: 1,
} as const;

const serialLines = { lanes: 1, order: 'columns', width: 1, subgroups: false, kept: 0, reads: 1 } as const;

const unrolled = {
  lanes: 1,
  width: 1,
  workgroup: 64,
  subgroups: false,
  kept: 3,
  whole: true,
} as const;

const longColumns = {
  lanes: 32,
  order: 'columns',
  workgroup: 256,
  subgroups: false,
  kept: 0,
  reads: 1,
} as const;

export const normalizationKernels: Family = {
  softmax: entry<SoftmaxOptions>(
    { kind: 'softmax', ...lanes },
    {
      'logSoftmax, columns, serial': { kind: 'logSoftmax', ...serialLines },
      'rows, alone': { lanes: 1, workgroup: 64, subgroups: false, kept: 0, reads: 4 },
      'logSoftmax, rows, alone': {
        kind: 'logSoftmax',
        lanes: 1,
        workgroup: 64,
        subgroups: false,
        kept: 0,
        reads: 4,
      },
      'rows, unrolled': unrolled,
      'logSoftmax, columns, unrolled': { kind: 'logSoftmax', ...unrolled, order: 'columns' },
      'rows, workgroup memory': { subgroups: false, kept: 1 },
      'logSoftmax, long columns': { kind: 'logSoftmax', ...longColumns },
    },
  ),
  'softmax gradient': entry<SoftmaxOptions>(
    { kind: 'softmax', ...lanes },
    { 'logSoftmax, columns, serial': { kind: 'logSoftmax', ...serialLines }, 'rows, unrolled': unrolled },
  ),
  layerNorm: entry<LayerNormOptions>(
    { gamma: true, beta: true, residual: false, ...lanes },
    {
      'columns, serial': { gamma: false, ...serialLines },
      'rows, unrolled': unrolled,
      'residual, unrolled': { residual: true, ...unrolled },
      'residual, columns, serial': { residual: true, ...serialLines },
    },
  ),
  'layerNorm gradient': entry<LayerNormGradientOptions>(
    { gamma: true, moments: true, residual: false, ...lanes },
    {
      'columns, serial': { gamma: false, moments: false, ...serialLines },
      'rows, unrolled': unrolled,
      'residual, unrolled': { residual: true, ...unrolled },
    },
  ),
  rmsNorm: entry<RmsNormOptions>(
    { gamma: true, residual: true, ...lanes },
    { 'columns, serial': { gamma: false, residual: false, ...serialLines }, 'rows, unrolled': unrolled },
  ),
  'rmsNorm gradient': entry<RmsNormGradientOptions>(
    { gamma: true, residual: true, scales: true, ...lanes },
    {
      'columns, serial': { gamma: false, residual: false, scales: false, ...serialLines },
      'rows, unrolled': unrolled,
    },
  ),
  'rmsNorm gradients': entry<RmsNormRowsOptions>({ residual: true, ...lanes }),
  simplexSupport: entry({}),
};
