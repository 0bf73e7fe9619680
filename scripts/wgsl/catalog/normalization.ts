/** @file The normalization kernels of the catalog. */
import type { LayerNormOptions } from '../../../shaders/layerNorm.ts';
import type { LayerNormGradientOptions } from '../../../shaders/layerNormGradient.ts';
import type { SoftmaxOptions } from '../../../shaders/softmax.ts';
import { type Family, entry } from './entry.ts';

const lanes = {
  lanes: 64,
  order: 'rows',
  width: 4,
  workgroup: 64,
  subgroups: true,
  kept: 2,
  reads: 1,
} as const;

const serialLines = { lanes: 1, order: 'columns', width: 1, subgroups: false, kept: 0, reads: 1 } as const;

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
      'rows, workgroup memory': { subgroups: false, kept: 1 },
      'logSoftmax, long columns': { kind: 'logSoftmax', ...longColumns },
    },
  ),
  'softmax gradient': entry<SoftmaxOptions>(
    { kind: 'softmax', ...lanes },
    { 'logSoftmax, columns, serial': { kind: 'logSoftmax', ...serialLines } },
  ),
  layerNorm: entry<LayerNormOptions>(
    { gamma: true, beta: true, ...lanes },
    { 'columns, serial': { gamma: false, ...serialLines } },
  ),
  'layerNorm gradient': entry<LayerNormGradientOptions>(
    { gamma: true, moments: true, ...lanes },
    { 'columns, serial': { gamma: false, moments: false, ...serialLines } },
  ),
  simplexSupport: entry({}),
};
