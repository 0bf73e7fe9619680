/** @file Utilities for data, by Keras's names. */
export { padSequences, type PadSequencesOptions } from './padSequences.ts';
export { splitDataset, type SplitDatasetOptions } from './splitDataset.ts';
export { toCategorical, type ToCategoricalOptions } from './toCategorical.ts';
