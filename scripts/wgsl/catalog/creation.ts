/** @file The creation kernels of the catalog. */
import type { FillOptions } from '../../../shaders/fill.ts';
import type { RandomOptions } from '../../../shaders/random.ts';
import type { SequenceOptions } from '../../../shaders/sequence.ts';
import { type Family, entry } from './entry.ts';

export const creationKernels: Family = {
  fill: entry<FillOptions>({ perInvocation: 1 }, { 'in groups': { perInvocation: 8 } }),
  sequence: entry<SequenceOptions>({ kind: 'steps', type: 'f32' }, { eye: { kind: 'eye' } }),
  random: entry<RandomOptions>(
    { distribution: 'uniform', type: 'f32' },
    {
      normal: { distribution: 'normal' },
      'truncated normal': { distribution: 'truncatedNormal' },
      integers: { distribution: 'integers', type: 'i32' },
      coin: { distribution: 'coin', type: 'u32' },
    },
  ),
};
