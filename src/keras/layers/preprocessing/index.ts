/** @file Preprocessing layers. */
export { categoryEncoding, CategoryEncoding, type CategoryEncodingOptions } from './categoryEncoding.ts';
export { discretization, Discretization, type DiscretizationOptions } from './discretization.ts';
export { hashedCrossing, HashedCrossing, type HashedCrossingOptions } from './hashedCrossing.ts';
export { hashing, Hashing, type HashingOptions } from './hashing.ts';
export { integerLookup, IntegerLookup, type IntegerLookupOptions } from './integerLookup.ts';
export * from './images/index.ts';
export { melSpectrogram, MelSpectrogram, type MelSpectrogramOptions } from './melSpectrogram.ts';
export { pipeline, Pipeline, type PipelineOptions } from './pipeline.ts';
export { stftSpectrogram, STFTSpectrogram, type STFTSpectrogramOptions } from './stftSpectrogram.ts';
export { stringLookup, StringLookup, type StringLookupOptions } from './stringLookup.ts';
export {
  textVectorization,
  TextVectorization,
  type TextVectorizationOptions,
} from './textVectorization.ts';
