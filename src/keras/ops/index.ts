/** @file keras.ops: the library's ops, also by Keras's names, and functions composed of them. */
export * from '../../ops/index.ts';
// Keras's, where they differ from the library's of the same name
export { cumprod, cumsum, gelu, identity, norm, takeAlongAxis } from './kerasDefaults.ts';
export type { KerasTakeAlongAxisOptions, ScanOptions } from './kerasDefaults.ts';
export { split } from './arrangement.ts';
export { arange, averagePool, cholesky, max, maxPool, min, round, scatterUpdate } from './kerasArguments.ts';
export type {
  CholeskyOptions,
  ExtremumOptions,
  RoundOptions,
  ScatterUpdateOptions,
} from './kerasArguments.ts';
// By Keras's names
export { abs as absolute, abs as fabs } from '../../ops/elementwise/rounding.ts';
export { max as amax, min as amin } from '../../ops/reductions/extrema.ts';
export {
  acos as arccos,
  asin as arcsin,
  atan as arctan,
  atan2 as arctan2,
} from '../../ops/elementwise/trigonometric.ts';
export { acosh as arccosh, asinh as arcsinh, atanh as arctanh } from '../../ops/elementwise/hyperbolic.ts';
export { tensor as array, tensor as convertToTensor } from '../../tensor/create.ts';
export {
  bitwiseNot as bitwiseInvert,
  leftShift as bitwiseLeftShift,
  rightShift as bitwiseRightShift,
} from '../../ops/elementwise/bitwise.ts';
export { concat as concatenate } from '../../ops/arrangement/concat.ts';
export { identity as copy } from '../../ops/arrangement/identity.ts';
export {
  div as divide,
  div as trueDivide,
  mul as multiply,
  neg as negative,
  sub as subtract,
} from '../../ops/elementwise/arithmetic.ts';
export { floorDiv as floorDivide } from '../../ops/elementwise/division.ts';
export { fill as full, zeros as empty } from '../../ops/creation/creation.ts';
export { zerosLike as emptyLike } from '../../ops/creation/like.ts';
export { hardSwish as hardSilu } from '../../ops/activations/rectifiers.ts';
export { silu as swish } from '../../ops/activations/activations.ts';
export { pow as power } from '../../ops/elementwise/pow.ts';
export { scatterNd as scatter } from '../../ops/indexing/gatherNd.ts';
export { variance as var } from '../../ops/reductions/variance.ts';
export {
  celu,
  glu,
  hardShrink,
  hardTanh,
  softShrink,
  sparsemax,
  sparsePlus,
  sparseSigmoid,
  squareplus,
  tanhShrink,
  threshold,
} from '../activationFunctions.ts';
// Modules of Keras
export * as image from './image.ts';
// Formulas
export * from './adaptivePool.ts';
export * from './arrangement.ts';
export * from './convolutions.ts';
export * from './creation.ts';
export * from './crossentropy.ts';
export * from './elementwise.ts';
export { ctcDecode, type CtcDecodeOptions } from './ctcDecode.ts';
export * from './fourier.ts';
export * from './linalg.ts';
export * from './nan.ts';
export * from './normalizations.ts';
export * from './vectorMath.ts';
export * from './selection.ts';
export * from './special.ts';
