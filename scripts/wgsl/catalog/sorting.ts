/** @file The sorting kernels of the catalog. */
import type { SearchSortedOptions } from '../../../shaders/searchSorted.ts';
import type { RadixOptions } from '../../../shaders/sort.ts';
import type { TopKOptions } from '../../../shaders/topK.ts';
import { ascendingKey } from '../../../src/kernels/sorting/keys.ts';
import { type Family, entry } from './entry.ts';

const topK: TopKOptions = {
  job: 'select',
  type: 'f32',
  key: ascendingKey('float32'),
  width: 4,
  room: 4,
  last: true,
};

export const sortingKernels: Family = {
  'sort count': entry<RadixOptions>({ first: true }, { 'later digits': { first: false } }),
  'sort scan': entry({}),
  'sort place': entry<RadixOptions>({ first: true }, { 'later digits': { first: false } }),
  'sort bounds': entry({}),
  'sort counting': entry({}),
  topK: entry<TopKOptions>(topK, {
    sort: { job: 'sort', width: 1, room: 0, last: false },
    merge: { job: 'merge', width: 1, room: 0, last: true },
  }),
  searchSorted: entry<SearchSortedOptions>(
    { type: 'f32', key: ascendingKey('float32'), right: false, single: true },
    { 'several rows, integers': { type: 'i32', key: ascendingKey('int32'), right: true, single: false } },
  ),
};
