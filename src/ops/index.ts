/** @file All ops, by topic: a folder each. */
// Definition and checks
export { checkNumerics } from './define/checkNumerics.ts';
export { defineOp } from './define/customOp.ts';
export type { IndexOptions } from './define/indices.ts';
// Creation
export { type CreationOptions, fill, ones, zeros } from './creation/creation.ts';
export { eye, type EyeOptions } from './creation/eye.ts';
export { onesLike, zerosLike } from './creation/like.ts';
export { linspace, range, type RangeOptions } from './creation/range.ts';
// Random values
export { categorical, type CategoricalOptions } from './random/categorical.ts';
export { dropout, type DropoutOptions } from './random/dropout.ts';
export {
  type NormalOptions,
  randomNormal,
  type RandomTensorOptions,
  randomUniform,
  truncatedNormal,
  type UniformOptions,
} from './random/random.ts';
export {
  type BetaOptions,
  randomBeta,
  type GammaOptions,
  type PoissonOptions,
  randomGamma,
  randomPoisson,
} from './random/randomGamma.ts';
export { permutation, type PermutationOptions, shuffle, type ShuffleOptions } from './random/shuffle.ts';
// Elementwise
export { addN } from './elementwise/addN.ts';
export { add, div, mul, neg, squaredDifference, sub } from './elementwise/arithmetic.ts';
export {
  bitwiseAnd,
  bitwiseNot,
  bitwiseOr,
  bitwiseXor,
  leftShift,
  rightShift,
} from './elementwise/bitwise.ts';
export { type CastOptions, cast } from './elementwise/cast.ts';
export { clip, type ClipOptions } from './elementwise/clip.ts';
export { equal, greater, greaterEqual, less, lessEqual, notEqual } from './elementwise/comparison.ts';
export { floorDiv, mod, gcd, lcm } from './elementwise/division.ts';
export { acosh, asinh, atanh, cosh, sinh, tanh } from './elementwise/hyperbolic.ts';
export { logAddExp } from './elementwise/logAddExp.ts';
export { logicalAnd, logicalNot, logicalOr, logicalXor } from './elementwise/logical.ts';
export { maximum, minimum } from './elementwise/maximum.ts';
export { nanToNum, type NanToNumOptions } from './elementwise/nanToNum.ts';
export { pow } from './elementwise/pow.ts';
export { isFinite, isInf, isNaN } from './elementwise/predicates.ts';
export { abs, ceil, floor, round, sign, step, type StepOptions } from './elementwise/rounding.ts';
export { acos, asin, atan, atan2, cos, sin, tan } from './elementwise/trigonometric.ts';
export { exp, expm1, log, log10, log1p, log2, reciprocal, rsqrt, sqrt, square } from './elementwise/unary.ts';
export { where } from './elementwise/where.ts';
// Activations
export {
  erf,
  gelu,
  type GeluOptions,
  logSigmoid,
  mish,
  sigmoid,
  silu,
  softplus,
  softsign,
} from './activations/activations.ts';
export { biasGelu } from './activations/biasGelu.ts';
export type { ActivationOptions, FusedActivation } from './activations/fusedActivation.ts';
export { gatedActivation, type GatedActivationOptions } from './activations/gatedActivation.ts';
export {
  elu,
  type EluOptions,
  hardSigmoid,
  hardSwish,
  leakyRelu,
  type LeakyReluOptions,
  relu,
  relu6,
  selu,
} from './activations/rectifiers.ts';
export { logSoftmax, softmax, type SoftmaxOptions } from './activations/softmax.ts';
// Products
export { einsum, type EinsumOptions } from './products/einsum.ts';
export { fusedMatMul, type FusedMatMulOptions } from './products/fusedMatMul.ts';
export { matMul, type MatMulOptions } from './products/matMul.ts';
export { outer, tensordot, type TensordotOptions } from './products/outer.ts';
// Convolution
export { conv1d, type Conv1dOptions } from './convolution/conv1d.ts';
export {
  conv2d,
  conv2dFilterGrad,
  type Conv2dFilterGradOptions,
  conv2dInputGrad,
  type Conv2dInputGradOptions,
  type Conv2dOptions,
} from './convolution/conv2d.ts';
export { conv2dTranspose, type Conv2dTransposeOptions } from './convolution/conv2dTranspose.ts';
export { conv3d, type Conv3dOptions } from './convolution/conv3d.ts';
export { conv3dTranspose, type Conv3dTransposeOptions } from './convolution/conv3dTranspose.ts';
export {
  depthwiseConv2d,
  depthwiseConv2dFilterGrad,
  type DepthwiseConv2dFilterGradOptions,
  depthwiseConv2dInputGrad,
  type DepthwiseConv2dInputGradOptions,
  type DepthwiseConv2dOptions,
} from './convolution/depthwiseConv2d.ts';
export { fusedConv2d, type FusedConv2dOptions } from './convolution/fusedConv2d.ts';
// Pooling
export { avgPool, avgPool1d } from './pooling/avgPool.ts';
export { dilation2d, type Dilation2dOptions } from './pooling/dilation2d.ts';
export { globalAveragePool, globalMaxPool, type GlobalPoolOptions } from './pooling/globalPool.ts';
export { maxPool, maxPool1d } from './pooling/maxPool.ts';
export { maxPoolWithArgmax, type MaxPoolWithArgmaxOptions } from './pooling/maxPoolWithArgmax.ts';
export { avgPool3d, maxPool3d } from './pooling/pool3d.ts';
export type { PoolOptions } from './pooling/pooling.ts';
// Images
export { hsvToRgb, rgbToGrayscale, rgbToHsv } from './images/colours.ts';
export { cropAndResize, type CropAndResizeOptions } from './images/cropAndResize.ts';
export { extractPatches, type ExtractPatchesOptions } from './images/extractPatches.ts';
export { gaussianBlur, type GaussianBlurOptions } from './images/gaussianBlur.ts';
export { nonMaxSuppression, type NonMaxSuppressionOptions } from './images/nonMaxSuppression.ts';
export {
  resizeBilinear,
  type ResizeOptions,
  resizeNearest,
  type UpSamplingOptions,
  upSampling2d,
} from './images/resize.ts';
export { resizeBicubic, resizeLanczos, type ResizeLanczosOptions } from './images/resizeBicubic.ts';
export { type Interpolation, resizeImages, type ResizeImagesOptions } from './images/resizeImages.ts';
export type { ResizeBicubicOptions } from './images/resizeWeights.ts';
export { transformImages, type TransformImagesOptions } from './images/transformImages.ts';
// Normalization
export { addRmsNorm } from './normalization/addLayerNorm.ts';
export { batchNorm, type BatchNormOptions, batchNormTrain } from './normalization/batchNorm.ts';
export { groupNorm, type GroupNormOptions } from './normalization/groupNorm.ts';
export { layerNorm, type LayerNormOptions } from './normalization/layerNorm.ts';
export {
  localResponseNormalization,
  type LocalResponseNormalizationOptions,
} from './normalization/localResponseNormalization.ts';
export { rmsNorm, type RmsNormOptions } from './normalization/rmsNorm.ts';
// Attention
export { dotProductAttention, type DotProductAttentionOptions } from './attention/dotProductAttention.ts';
export { rotaryEmbedding, type RotaryEmbeddingOptions } from './attention/rotaryEmbedding.ts';
// Logits over a vocabulary
export { linearTopK, type LinearTopKOptions } from './vocabulary/linearTopK.ts';
export { sampleTokens, type SampleTokensOptions } from './vocabulary/sampleTokens.ts';
// Recurrences
export { gruSteps } from './recurrent/gruSteps.ts';
export { lstmSteps } from './recurrent/lstmSteps.ts';
// Arrangement
export { concat, type ConcatOptions } from './arrangement/concat.ts';
export { split, type SplitOptions } from './arrangement/split.ts';
export { type BlockOptions, depthToSpace, spaceToDepth } from './arrangement/depthToSpace.ts';
export { diag, diagonal, type DiagonalOptions, type DiagOptions, trace } from './arrangement/diagonal.ts';
export {
  expandDims,
  type ExpandDimsOptions,
  squeeze,
  type SqueezeOptions,
} from './arrangement/expandDims.ts';
export { flip, type FlipOptions } from './arrangement/flip.ts';
export { identity } from './arrangement/identity.ts';
export { stopGradient } from './arrangement/stopGradient.ts';
export { meshgrid, type MeshgridOptions } from './arrangement/meshgrid.ts';
export { moveAxis, type MoveAxisOptions, swapAxes, type SwapAxesOptions } from './arrangement/moveAxis.ts';
export { transpose, type TransposeOptions } from './arrangement/transpose.ts';
export { repeat, type RepeatOptions } from './arrangement/repeat.ts';
export { reshape } from './arrangement/reshape.ts';
export { roll, type RollOptions } from './arrangement/roll.ts';
export { pad, type PadOptions } from './arrangement/pad.ts';
export { slice, type SliceOptions } from './arrangement/slice.ts';
export { sliceUpdate, type SliceUpdateOptions } from './arrangement/sliceUpdate.ts';
export {
  batchToSpace,
  type BatchToSpaceOptions,
  spaceToBatch,
  type SpaceToBatchOptions,
} from './arrangement/spaceToBatch.ts';
export { stack, type StackOptions } from './arrangement/stack.ts';
export { unstack } from './arrangement/unstack.ts';
export {
  stridedScatter,
  type StridedScatterOptions,
  stridedSlice,
  type StridedSliceOptions,
} from './arrangement/stridedSlice.ts';
export { tile, type TileOptions } from './arrangement/tile.ts';
export { type TriangleOptions, tril, triu } from './arrangement/triangle.ts';
// Gather and scatter
export { bincount, type BincountOptions } from './indexing/bincount.ts';
export { confusionMatrix, type ConfusionMatrixOptions } from './indexing/confusionMatrix.ts';
export { embedding } from './indexing/embedding.ts';
export { gather, type GatherOptions, scatterAdd, type ScatterAddOptions } from './indexing/gather.ts';
export { gatherNd, type GatherNdOptions, scatterNd, type ScatterNdOptions } from './indexing/gatherNd.ts';
export { type GatheredData, gatherOnHost } from './indexing/gatherOnHost.ts';
export { booleanMask, type BooleanMaskOptions, nonzero } from './indexing/nonzero.ts';
export { oneHot, type OneHotOptions } from './indexing/oneHot.ts';
export {
  segmentMax,
  segmentMin,
  segmentMean,
  segmentProd,
  segmentSum,
  type SegmentSumOptions,
} from './indexing/segments.ts';
export {
  scatterAddAlongAxis,
  type ScatterAddAlongAxisOptions,
  takeAlongAxis,
  type TakeAlongAxisOptions,
} from './indexing/takeAlongAxis.ts';
export { tensorScatterUpdate, type TensorScatterUpdateOptions } from './indexing/tensorScatterUpdate.ts';
export { unique, type UniqueOptions } from './indexing/unique.ts';
// Reductions and running totals
export { all, any } from './reductions/anyAll.ts';
export { type ArgOptions, argMax, argMin } from './reductions/argExtrema.ts';
export { cumsum, type CumsumOptions } from './reductions/cumsum.ts';
export { cummax, type CummaxOptions, cumprod } from './reductions/cumulative.ts';
export { max, min } from './reductions/extrema.ts';
export { logSumExp } from './reductions/logSumExp.ts';
export { mean } from './reductions/mean.ts';
export { norm, type NormOptions } from './reductions/norm.ts';
export { normalize, type NormalizeOptions } from './reductions/normalize.ts';
export { prod } from './reductions/prod.ts';
export { median, quantile, type QuantileOptions } from './reductions/quantile.ts';
export type { ReduceOptions } from './reductions/reduction.ts';
export { broadcastTo } from './reductions/sum.ts';
export { sum } from './reductions/sum.ts';
export { moments, std, variance } from './reductions/variance.ts';
// Sorting and searching
export { inTopK, type InTopKOptions, topK, type TopKOptions } from './sorting/topK.ts';
export { searchSorted, type SearchSortedOptions } from './sorting/searchSorted.ts';
export { argsort, sort, type SortOptions } from './sorting/sort.ts';
// Linear algebra
export { cholesky } from './linalg/cholesky.ts';
export { eigh } from './linalg/eigh.ts';
export { luFactor } from './linalg/luFactor.ts';
export { qr, type QrOptions } from './linalg/qr.ts';
export { det, inv, solve } from './linalg/solve.ts';
export { solveTriangular, type SolveTriangularOptions } from './linalg/solveTriangular.ts';
export { svd, type SvdOptions } from './linalg/svd.ts';
// Signals
export { fft, ifft, irfft, rfft, type RfftOptions } from './signals/fourier.ts';
export {
  istft,
  type IstftOptions,
  extractSequences,
  type ExtractSequencesOptions,
  stft,
  type StftOptions,
} from './signals/stft.ts';
