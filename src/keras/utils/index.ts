/** @file Utilities for data and weights, by Keras’s names where it has them. */
export { padSequences, type PadSequencesOptions } from './padSequences.ts';
export { splitDataset, type SplitDatasetOptions } from './splitDataset.ts';
export { toCategorical, type ToCategoricalOptions } from './toCategorical.ts';
export {
  type CausalExample,
  type CausalTable,
  causalExamples,
  type CausalExamplesOptions,
  type TokenIds,
} from './causalExamples.ts';
export {
  applyDelta,
  averageDeltas,
  type DeltaModel,
  trainedWeights,
  weightDelta,
  type WeightValues,
} from './weightDeltas.ts';
