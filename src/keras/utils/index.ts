/** @file Utilities for data and weights, by Keras’s names where it has them. */
export { FeatureSpace } from '../featureSpace/featureSpace.ts';
export type {
  Encoded,
  FeatureSpaceOptions,
  FeatureSpaceOutput,
  FeatureType,
} from '../featureSpace/featureSpaceOptions.ts';
export type {
  CategoricalOptions,
  Cross,
  CrossOptions,
  Feature,
  FeatureDType,
  FeatureOptions,
  FeatureOutput,
  FloatDiscretizedOptions,
  FloatOptions,
  FloatRescaledOptions,
  HashedOptions,
  Preprocessor,
  TextPreprocessor,
} from '../featureSpace/features.ts';
export type { ConfiguredFeature } from '../featureSpace/featureConfig.ts';
export type { AdaptData } from '../featureSpace/adaptFeatures.ts';
export type { FeatureData, FeatureValue } from '../featureSpace/featureValues.ts';
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
