/** @file The losses. */

// Regression
export {
  cosineSimilarity,
  type CosineSimilarityOptions,
  huber,
  type HuberOptions,
  logCosh,
  meanAbsoluteError,
  meanAbsolutePercentageError,
  meanSquaredError,
  meanSquaredLogarithmicError,
} from './regression.ts';
// Probabilities
export {
  binaryCrossentropy,
  type BinaryCrossentropyOptions,
  binaryFocalCrossentropy,
  type BinaryFocalCrossentropyOptions,
} from './binaryCrossentropy.ts';
export {
  categoricalCrossentropy,
  type CategoricalCrossentropyOptions,
  categoricalFocalCrossentropy,
  type CategoricalFocalCrossentropyOptions,
} from './categoricalCrossentropy.ts';
export {
  categoricalGeneralizedCrossEntropy,
  type CategoricalGeneralizedCrossEntropyOptions,
} from './categoricalGeneralizedCrossEntropy.ts';
export { klDivergence, poisson } from './probabilistic.ts';
export {
  sparseCategoricalCrossentropy,
  type SparseCategoricalCrossentropyOptions,
} from './sparseCategoricalCrossentropy.ts';
// Margins
export { categoricalHinge, hinge, squaredHinge } from './hinge.ts';
// Segmentation
export { dice, type DiceOptions, tversky, type TverskyOptions } from './segmentation.ts';
// Similarity
export { circle, type CircleOptions } from './circle.ts';
// Sequences
export { ctc } from './ctc.ts';
// Losses of your own, and losses by name
export { get, type LossConfig, type LossFunction, type LossLike, type LossName } from './get.ts';
export type { LossMaker } from './defineLoss.ts';
export { Loss, type LossCallOptions, type LossOptions } from './loss.ts';
export type { Reduction } from './reduction.ts';
