/** @file The indexing kernels of the catalog. */
import type { BinnedScatterOptions } from '../../../shaders/binnedScatter.ts';
import type { CheckIndicesOptions } from '../../../shaders/checkIndices.ts';
import type { GatherOptions } from '../../../shaders/gather.ts';
import type { IndexLibraryOptions } from '../../../shaders/lib/indices.ts';
import type { OneHotOptions } from '../../../shaders/oneHot.ts';
import type { ReplaceRowsOptions } from '../../../shaders/rowUpdates.ts';
import type { RowsOptions } from '../../../shaders/rows.ts';
import type {
  DirectScatterOptions,
  FoldOptions as ChunkSumOptions,
  OwnedScatterOptions,
  SumOptions,
} from '../../../shaders/scatter.ts';
import type { SegmentExtremumOptions } from '../../../shaders/segmentExtremum.ts';
import { type Family, entry } from './entry.ts';

const indexDefaults = {
  index: 'i32',
  addressing: 'axis',
  mode: 'outside',
  check: 'all',
  depth: 0,
} as const;

const coordinates: IndexLibraryOptions = { ...indexDefaults, addressing: 'coordinates', depth: 2 };

const gatherDefaults: GatherOptions = {
  ...indexDefaults,
  flat: true,
  width: 1,
  perInvocation: 1,
  single: true,
  stepwise: false,
};

const rowsDefaults: RowsOptions = { ...indexDefaults, perInvocation: 8, batched: false };

const scatterDefaults: DirectScatterOptions = { ...indexDefaults, type: 'f32', width: 1 };

export const indexingKernels: Family = {
  gather: entry<GatherOptions>(
    { ...gatherDefaults, check: 'none' },
    {
      'width 4, whole rows': { width: 4, single: false, perInvocation: 4 },
      'along an axis': { addressing: 'along', single: true, perInvocation: 4, stepwise: true },
      coordinates: { addressing: 'coordinates', depth: 2, mode: 'clip' },
      'batched, wrapping': { flat: false, mode: 'wrap', single: false },
    },
  ),
  'gather checked': entry<GatherOptions>(gatherDefaults),
  rows: entry<RowsOptions>({ ...rowsDefaults, check: 'none' }, { batched: { batched: true } }),
  'rows checked': entry<RowsOptions>(rowsDefaults),
  'check indices': entry<CheckIndicesOptions>(
    { index: 'i32', check: 'all', limits: 1, width: 4 },
    { 'three coordinates': { limits: 3, width: 1 } },
  ),
  scatter: entry<DirectScatterOptions>({ ...scatterDefaults, check: 'none' }, { 'width 4': { width: 4 } }),
  'scatter checked': entry<DirectScatterOptions>(scatterDefaults),
  'scatter binned': entry<BinnedScatterOptions>({ ...scatterDefaults, check: 'none', width: 4, lanes: 16 }),
  'scatter binned checked': entry<BinnedScatterOptions>({ ...scatterDefaults, lanes: 1 }),
  'scatter owned': entry<OwnedScatterOptions>({ ...scatterDefaults, check: 'none', width: 4, workgroup: 64 }),
  'scatter owned checked': entry<OwnedScatterOptions>(
    { ...scatterDefaults, workgroup: 4 },
    { ids: { check: 'above' }, coordinates: { addressing: 'coordinates', depth: 2 } },
  ),
  'scatter fold': entry<ChunkSumOptions>(
    { type: 'f32', width: 4, level: 'entries' },
    { 'chunks of chunks': { level: 'chunks' } },
  ),
  'scatter sum': entry<SumOptions>({ type: 'f32', width: 4, folded: true }, { unfolded: { folded: false } }),
  'last update': entry<IndexLibraryOptions>({ ...coordinates, check: 'none' }),
  'last update checked': entry<IndexLibraryOptions>(coordinates),
  'replace rows': entry<ReplaceRowsOptions>(
    { unit: 'element', perInvocation: 1 },
    { vectors: { unit: 'vector', perInvocation: 8 }, 'four rows': { unit: 'four rows' } },
  ),
  'segment extremum': entry<SegmentExtremumOptions>(
    { type: 'f32', extremum: 'max' },
    { integers: { type: 'i32', extremum: 'min' } },
  ),
  oneHot: entry<OneHotOptions>(
    { last: true, width: 1, perInvocation: 1 },
    {
      'in groups': { width: 4, perInvocation: 8 },
      'in groups, along an inner axis': { last: false, perInvocation: 8 },
    },
  ),
};
