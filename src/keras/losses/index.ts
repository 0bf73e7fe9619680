/** @file The losses. */

// Regression
export { cosineSimilarity, type CosineSimilarityOptions } from './cosineSimilarity.ts';
export { huber, type HuberOptions } from './huber.ts';
export { logCosh } from './logCosh.ts';
export { meanAbsoluteError } from './meanAbsoluteError.ts';
export { meanAbsolutePercentageError } from './meanAbsolutePercentageError.ts';
export { meanSquaredError } from './meanSquaredError.ts';
export { meanSquaredLogarithmicError } from './meanSquaredLogarithmicError.ts';
// Probabilities
export { binaryCrossentropy, type BinaryCrossentropyOptions } from './binaryCrossentropy.ts';
export { binaryFocalCrossentropy, type BinaryFocalCrossentropyOptions } from './binaryFocalCrossentropy.ts';
export { categoricalCrossentropy, type CategoricalCrossentropyOptions } from './categoricalCrossentropy.ts';
export {
  categoricalFocalCrossentropy,
  type CategoricalFocalCrossentropyOptions,
} from './categoricalFocalCrossentropy.ts';
export {
  categoricalGeneralizedCrossEntropy,
  type CategoricalGeneralizedCrossEntropyOptions,
} from './categoricalGeneralizedCrossEntropy.ts';
export { klDivergence } from './klDivergence.ts';
export { poisson } from './poisson.ts';
export {
  sparseCategoricalCrossentropy,
  type SparseCategoricalCrossentropyOptions,
} from './sparseCategoricalCrossentropy.ts';
// Margins
export { categoricalHinge } from './categoricalHinge.ts';
export { hinge, squaredHinge } from './hinge.ts';
// Segmentation
export { dice, type DiceOptions } from './dice.ts';
export { tversky, type TverskyOptions } from './tversky.ts';
// Similarity
export { circle, type CircleOptions } from './circle.ts';
// Sequences
export { ctc } from './ctc.ts';
// Losses of your own, and losses by name
export { get, type LossConfig, type LossFunction, type LossLike, type LossName } from './get.ts';
export type { LossMaker } from './defineLoss.ts';
export { Loss, type LossOptions } from './loss.ts';
export type { Reduction } from './reduction.ts';
