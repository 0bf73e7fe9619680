/**
 * @file keras.ops: the library's ops with Keras's rules for dtypes (promotion.ts), arguments and names, and functions composed of
 * them.
 */
export * from '../../ops/index.ts';
// With Keras's dtypes
export {
  concat,
  det,
  eigh,
  inv,
  luFactor,
  matMul,
  outer,
  qr,
  segmentMax,
  segmentMin,
  segmentProd,
  segmentSum,
  stack,
  tensordot,
  trace,
} from './arrayDTypes.ts';
export {
  abs,
  acos,
  acosh,
  add,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  bitwiseAnd,
  bitwiseOr,
  bitwiseXor,
  ceil,
  cos,
  cosh,
  div,
  equal,
  erf,
  exp,
  expm1,
  fabs,
  floor,
  floorDiv,
  gcd,
  greater,
  greaterEqual,
  isFinite,
  isInf,
  isNaN,
  lcm,
  leftShift,
  less,
  lessEqual,
  log,
  log10,
  log1p,
  log2,
  logAddExp,
  logicalAnd,
  logicalNot,
  logicalOr,
  logicalXor,
  maximum,
  minimum,
  mod,
  mul,
  neg,
  notEqual,
  pow,
  reciprocal,
  rightShift,
  rsqrt,
  sign,
  sin,
  sinh,
  sqrt,
  square,
  squaredDifference,
  sub,
  tan,
  tanh,
  where,
} from './elementwiseDTypes.ts';
export {
  celu,
  depthwiseConv2d,
  dotProductAttention,
  elu,
  glu,
  hardShrink,
  hardSigmoid,
  hardSwish,
  hardTanh,
  leakyRelu,
  logSigmoid,
  logSoftmax,
  mish,
  relu,
  relu6,
  selu,
  sigmoid,
  silu,
  softmax,
  softplus,
  softShrink,
  softsign,
  sparsemax,
  sparsePlus,
  sparseSigmoid,
  squareplus,
  tanhShrink,
  threshold,
} from './networkDTypes.ts';
export {
  all,
  any,
  argMax,
  argMin,
  argsort,
  logSumExp,
  mean,
  median,
  moments,
  normalize,
  searchSorted,
  sort,
  std,
  sum,
  topK,
  variance,
} from './reductionDTypes.ts';
// With Keras's arguments and defaults
export { bitwiseNot, clip } from './elementwiseOptions.ts';
export {
  bincount,
  multiHot,
  nonzero,
  oneHot,
  scatterUpdate,
  slice,
  sliceUpdate,
  type ClassesOptions,
  type CountOptions,
  type MultiHotOptions,
  type ScatterUpdateOptions,
  type Slice,
  type SliceUpdate,
} from './indexOptions.ts';
export {
  arange,
  averagePool,
  cholesky,
  max,
  maxPool,
  min,
  round,
  type CholeskyOptions,
  type ExtremumOptions,
  type RoundOptions,
} from './kerasArguments.ts';
export {
  cumprod,
  cumsum,
  gelu,
  identity,
  norm,
  prod,
  takeAlongAxis,
  type KerasTakeAlongAxisOptions,
  type ProdOptions,
  type ScanOptions,
} from './kerasDefaults.ts';
export {
  convertToTensor,
  eye,
  onesLike,
  zerosLike,
  type ConversionOptions,
  type DiagonalMatrixOptions,
  type LikeOptions,
} from './matrices.ts';
export {
  einsum,
  expandDims,
  meshgrid,
  pad,
  tile,
  transpose,
  type AxesOptions,
  type ExpandDimsOptions,
  type Meshgrid,
  type PadWidthOptions,
  type TileOptions,
} from './shapeOptions.ts';
export {
  geomspace,
  linspace,
  logspace,
  type GeomspaceOptions,
  type LinspaceOptions,
  type LogspaceOptions,
  type SequenceEnd,
} from './spaces.ts';
export { split } from './arrangement.ts';
export {
  nanMedian,
  nanPercentile,
  nanQuantile,
  percentile,
  quantile,
  type KerasQuantileOptions,
  type QuantileOp,
} from './quantiles.ts';
export { solve, solveTriangular, svd, type Svd, type SvdOptions } from './linalg.ts';
// By Keras's names
export { conj as conjugate } from './reals.ts';
export {
  abs as absolute,
  acos as arccos,
  acosh as arccosh,
  asin as arcsin,
  asinh as arcsinh,
  atan as arctan,
  atan2 as arctan2,
  atanh as arctanh,
  div as divide,
  div as trueDivide,
  floorDiv as floorDivide,
  isFinite as isfinite,
  isInf as isinf,
  isNaN as isnan,
  leftShift as bitwiseLeftShift,
  logAddExp as logaddexp,
  mul as multiply,
  neg as negative,
  pow as power,
  rightShift as bitwiseRightShift,
  sub as subtract,
} from './elementwiseDTypes.ts';
export { bitwiseNot as bitwiseInvert } from './elementwiseOptions.ts';
export { max as amax, min as amin } from './kerasArguments.ts';
export { convertToTensor as array } from './matrices.ts';
export { concat as concatenate, matMul as matmul } from './arrayDTypes.ts';
export { hardSwish as hardSilu, silu as swish } from './networkDTypes.ts';
export {
  argMax as argmax,
  argMin as argmin,
  logSumExp as logsumexp,
  searchSorted as searchsorted,
  variance as var,
} from './reductionDTypes.ts';
export { identity as copy } from '../../ops/arrangement/identity.ts';
export { isIn as isin } from './arrangement.ts';
export {
  allClose as allclose,
  isClose as isclose,
  isNegInf as isneginf,
  isPosInf as isposinf,
  logAddExp2 as logaddexp2,
} from './elementwise.ts';
export {
  nanArgMax as nanargmax,
  nanArgMin as nanargmin,
  nanCumprod as nancumprod,
  nanCumsum as nancumsum,
  nanMax as nanmax,
  nanMean as nanmean,
  nanMin as nanmin,
  nanProd as nanprod,
  nanStd as nanstd,
  nanSum as nansum,
  nanVar as nanvar,
} from './nan.ts';
export {
  nanMedian as nanmedian,
  nanPercentile as nanpercentile,
  nanQuantile as nanquantile,
} from './quantiles.ts';
export { isReal as isreal } from './reals.ts';
export { moveAxis as moveaxis, swapAxes as swapaxes } from '../../ops/arrangement/moveAxis.ts';
export { ones, zeros, zeros as empty } from './creation.ts';
export { zerosLike as emptyLike } from './matrices.ts';
export { scatterNd as scatter } from '../../ops/indexing/gatherNd.ts';
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
export { ctcLoss, type CtcLossOptions } from './ctcLoss.ts';
export * from './fourier.ts';
export * from './linalg.ts';
export * from './nan.ts';
export * from './normalizations.ts';
export * from './reals.ts';
export * from './vectorMath.ts';
export * from './selection.ts';
export * from './special.ts';
