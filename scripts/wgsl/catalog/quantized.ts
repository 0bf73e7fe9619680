/** @file The kernels of the catalog that read packed weights. */
import type { DequantizeOptions } from '../../../shaders/quantized/dequantize.ts';
import type { QuantizedGemmOptions } from '../../../shaders/quantized/gemm.ts';
import type { MatVecOptions } from '../../../shaders/quantized/matVec.ts';
import { type Family, entry } from './entry.ts';

const packed = { format: 'int4', zeros: true, divided: false } as const;
const perChannel = { format: 'int8', zeros: false, divided: true, grouping: 'channel' } as const;

export const quantizedKernels: Family = {
  'quantized gather': entry<DequantizeOptions>(
    { ...packed, indexed: true, width: 4 },
    { 'bfloat16, scalar': { format: 'bfloat16', zeros: false, indexed: false, width: 1 } },
  ),
  'quantized matVec': entry<MatVecOptions>(
    {
      ...packed,
      lanes: 64,
      order: 'rows',
      workgroup: 64,
      subgroups: true,
      rows: 1,
      width: 4,
      grouping: 'chunk',
    },
    {
      'int8 per channel, rows': { ...perChannel, rows: 4 },
      'float16, scalar': { format: 'float16', zeros: false, width: 1, subgroups: false, lanes: 4 },
      'small groups': { grouping: 'vector' },
    },
  ),
  'quantized matMul': entry<QuantizedGemmOptions>(
    { ...packed, over: 'length', width: 4, writes: 4, grouping: 'step' },
    {
      'int8 per channel': perChannel,
      'over channels': { over: 'channels' },
      'bfloat16 over channels, scalar': {
        format: 'bfloat16',
        zeros: false,
        over: 'channels',
        width: 1,
        writes: 1,
        grouping: 'channel',
      },
      'small groups': { grouping: 'vector' },
    },
  ),
};
