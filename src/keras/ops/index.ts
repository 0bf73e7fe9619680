/** @file keras.ops: the library's ops, also by Keras's names, and functions composed of them. */
export * from '../../ops/index.ts';
// By Keras's names
export { abs as absolute, abs as fabs } from '../../ops/rounding.ts';
export { max as amax, min as amin } from '../../ops/extrema.ts';
export { range as arange } from '../../ops/range.ts';
export {
  acos as arccos,
  asin as arcsin,
  atan as arctan,
  atan2 as arctan2,
} from '../../ops/trigonometric.ts';
export { acosh as arccosh, asinh as arcsinh, atanh as arctanh } from '../../ops/hyperbolic.ts';
export { tensor as array, tensor as convertToTensor } from '../../tensor/create.ts';
export { avgPool as averagePool } from '../../ops/avgPool.ts';
export {
  bitwiseNot as bitwiseInvert,
  leftShift as bitwiseLeftShift,
  rightShift as bitwiseRightShift,
} from '../../ops/bitwise.ts';
export { concat as concatenate } from '../../ops/concat.ts';
export { identity as copy } from '../../ops/identity.ts';
export {
  div as divide,
  div as trueDivide,
  mul as multiply,
  neg as negative,
  sub as subtract,
} from '../../ops/arithmetic.ts';
export { floorDiv as floorDivide } from '../../ops/division.ts';
export { fill as full, zeros as empty } from '../../ops/creation.ts';
export { zerosLike as emptyLike } from '../../ops/like.ts';
export { hardSwish as hardSilu } from '../../ops/rectifiers.ts';
export { silu as swish } from '../../ops/activations.ts';
export { pow as power } from '../../ops/pow.ts';
export { scatterNd as scatter } from '../../ops/gatherNd.ts';
export { tensorScatterUpdate as scatterUpdate } from '../../ops/tensorScatterUpdate.ts';
export { variance as var } from '../../ops/variance.ts';
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
