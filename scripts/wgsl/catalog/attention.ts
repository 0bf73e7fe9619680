/** @file The attention kernels of the catalog. */
import type { CachedAttentionOptions } from '../../../shaders/attention/cached.ts';
import type { AdvanceOptions, AppendOptions } from '../../../shaders/attention/cacheRows.ts';
import type { MergePartsOptions } from '../../../shaders/attention/mergeParts.ts';
import type { AttentionSumsOptions, QueryGradientOptions } from '../../../shaders/attention/gradient.ts';
import type { AttentionOptions } from '../../../shaders/attention/tile.ts';
import type { GatedOptions } from '../../../shaders/gated.ts';
import type { SampleTokensOptions } from '../../../shaders/sampleTokens.ts';
import type { VocabularyStatisticsOptions } from '../../../shaders/vocabulary.ts';
import type { RotaryOptions } from '../../../shaders/rotary.ts';
import { type Family, entry } from './entry.ts';

const attention: AttentionOptions = { size: 64, width: 4, shown: false, joined: false };

export const attentionKernels: Family = {
  attention: entry<AttentionOptions>(attention, {
    'large heads': { size: 128 },
    'mask or bias, scalar, small heads': { shown: true, width: 1, size: 32 },
    'one tensor': { joined: true },
  }),
  'attention sums': entry<AttentionSumsOptions>({ width: 4 }),
  'attention query gradient': entry<QueryGradientOptions>(
    { ...attention, ownSums: true },
    {
      'mask or bias, sums made before': { shown: true, ownSums: false },
      'one tensor': { joined: true },
    },
  ),
  'attention key gradient': entry<AttentionOptions>(attention, { 'one tensor': { joined: true } }),
  cachedAttention: entry<CachedAttentionOptions>(
    {
      width: 4,
      float16: false,
      rows: 1,
      capacity: 32,
      lanes: 4,
      workgroup: 128,
      subgroups: true,
      keys: 4,
      vectors: 1,
      softcap: false,
      appends: true,
      split: false,
    },
    {
      'float16, softcap, grouped queries, split': { float16: true, rows: 4, softcap: true, split: true },
      'without subgroups': { subgroups: false, rows: 2 },
      'software, scalar': {
        width: 1,
        rows: 2,
        lanes: 1,
        workgroup: 16,
        subgroups: false,
        vectors: 2,
        appends: false,
      },
    },
  ),
  'cachedAttention merge': entry<MergePartsOptions>({ width: 4 }),
  'cachedAttention append': entry<AppendOptions>({ width: 4, float16: true }),
  'cache positions': entry<AdvanceOptions>({ counted: true }),
  gatedActivation: entry<GatedOptions>(
    { activation: 'silu', gradient: false, joined: false, width: 4 },
    { 'gradient, joined, scalar': { activation: 'gelu', gradient: true, joined: true, width: 1 } },
  ),
  'vocabulary statistics': entry<VocabularyStatisticsOptions>(
    { lanes: 64, order: 'rows', workgroup: 64, subgroups: true },
    { serial: { lanes: 1, subgroups: false } },
  ),
  sampleTokens: entry<SampleTokensOptions>(
    {
      lanes: 256,
      order: 'rows',
      workgroup: 256,
      subgroups: false,
      penalized: true,
      topK: true,
      topP: true,
      greedy: false,
    },
    { greedy: { lanes: 64, workgroup: 64, penalized: false, topK: false, topP: false, greedy: true } },
  ),
  'vocabulary losses': entry({}),
  'vocabulary gradient': entry({}),
  rotaryEmbedding: entry<RotaryOptions>(
    { interleaved: false, inverse: false, width: 4, heads: 2, positions: 'none', frequencies: false },
    {
      neighbours: { interleaved: true, inverse: true, positions: 'first', frequencies: true },
      scalar: { interleaved: true, width: 1, heads: 1, positions: 'each' },
    },
  ),
};
