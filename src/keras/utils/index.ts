/** @file Utilities for data, by Keras's names. */
export { padSequences, type PadSequencesOptions } from './padSequences.ts';
export { toCategorical, type ToCategoricalOptions } from './toCategorical.ts';
