/** @file The entry `retrograd/data`: datasets of arrays, files, iterables and streams, in tf.data's words. */
export { audioDatasetFromDirectory, type AudioDirectoryOptions } from './audioDirectory.ts';
export type { Batched } from './batching.ts';
export { csv, type CsvOptions, type CsvRow } from './csv.ts';
export {
  type BatchOptions,
  Dataset,
  type MapOptions,
  type PaddedBatchOptions,
  type ShuffleElementsOptions,
  type WindowOptions,
} from './dataset.ts';
export { imageDatasetFromDirectory, type ImageDirectoryOptions } from './imageDirectory.ts';
export type { DirectoryDataset, DirectoryOptions } from './labelledFiles.ts';
export type { PaddingOptions, PerPlace } from './padding.ts';
export { type ElementSource, fromIterable, fromTensorSlices, range, type Slices, zip } from './sources.ts';
export type { Predicate } from './steps.ts';
export { skipgrams, type Skipgrams, type SkipgramsOptions } from './skipgrams.ts';
export { timeseriesDatasetFromArray, type TimeseriesOptions } from './timeseries.ts';
export { textDatasetFromDirectory, type TextDirectoryOptions } from './textDirectory.ts';
export { textLines, type TextSource } from './text.ts';
export type { DirectorySource } from '../storage/directories.ts';
