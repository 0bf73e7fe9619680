/** @file All ops, by topic. */
export { broadcastTo } from './sum.ts';
export { conv1d, type Conv1dOptions } from './conv1d.ts';
export { conv3d, type Conv3dOptions } from './conv3d.ts';
export { conv3dTranspose, type Conv3dTransposeOptions } from './conv3dTranspose.ts';
export { conv2dTranspose, type Conv2dTransposeOptions } from './conv2dTranspose.ts';
export {
  depthwiseConv2d,
  depthwiseConv2dFilterGrad,
  type DepthwiseConv2dFilterGradOptions,
  depthwiseConv2dInputGrad,
  type DepthwiseConv2dInputGradOptions,
  type DepthwiseConv2dOptions,
} from './depthwiseConv2d.ts';
export {
  conv2d,
  conv2dFilterGrad,
  type Conv2dFilterGradOptions,
  conv2dInputGrad,
  type Conv2dInputGradOptions,
  type Conv2dOptions,
} from './conv2d.ts';
export { checkNumerics } from './checkNumerics.ts';
export { defineOp } from './customOp.ts';
export { identity } from './identity.ts';
export type { ActivationOptions, FusedActivation } from './fusedActivation.ts';
export { fusedConv2d, type FusedConv2dOptions } from './fusedConv2d.ts';
export { fusedMatMul, type FusedMatMulOptions } from './fusedMatMul.ts';
export { matMul, type MatMulOptions } from './matMul.ts';
export { einsum, type EinsumOptions } from './einsum.ts';
export { outer, tensordot, type TensordotOptions } from './outer.ts';
export { reshape } from './reshape.ts';
export { stopGradient } from './stopGradient.ts';
// Creation
export { type CreationOptions, fill, ones, zeros } from './creation.ts';
export { eye, type EyeOptions } from './eye.ts';
export { linspace, range, type RangeOptions } from './range.ts';
export {
  type NormalOptions,
  randomNormal,
  type RandomTensorOptions,
  randomUniform,
  truncatedNormal,
  type UniformOptions,
} from './random.ts';
export { categorical, type CategoricalOptions } from './categorical.ts';
export { type BetaOptions, randomBeta } from './randomBeta.ts';
export { type GammaOptions, type PoissonOptions, randomGamma, randomPoisson } from './randomGamma.ts';
export { permutation, type PermutationOptions, shuffle, type ShuffleOptions } from './shuffle.ts';
// Elementwise
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
} from './activations.ts';
export { addN } from './addN.ts';
export { add, div, mul, neg, squaredDifference, sub } from './arithmetic.ts';
export { bitwiseAnd, bitwiseNot, bitwiseOr, bitwiseXor, leftShift, rightShift } from './bitwise.ts';
export { type CastOptions, cast } from './cast.ts';
export { clip, type ClipOptions } from './clip.ts';
export { dropout, type DropoutOptions } from './dropout.ts';
export { equal, greater, greaterEqual, less, lessEqual, notEqual } from './comparison.ts';
export { floorDiv, mod } from './division.ts';
export { gcd, lcm } from './divisors.ts';
export { acosh, asinh, atanh, cosh, sinh, tanh } from './hyperbolic.ts';
export { onesLike, zerosLike } from './like.ts';
export { logicalAnd, logicalNot, logicalOr, logicalXor } from './logical.ts';
export { logAddExp } from './logAddExp.ts';
export { maximum, minimum } from './maximum.ts';
export { pow } from './pow.ts';
export { isFinite, isInf, isNaN } from './predicates.ts';
export { nanToNum, type NanToNumOptions } from './nanToNum.ts';
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
} from './rectifiers.ts';
export { abs, ceil, floor, round, sign, step, type StepOptions } from './rounding.ts';
export { acos, asin, atan, atan2, cos, sin, tan } from './trigonometric.ts';
export { exp, expm1, log, log10, log1p, log2, reciprocal, rsqrt, sqrt, square } from './unary.ts';
export { where } from './where.ts';
// Gather and scatter
export { embedding } from './embedding.ts';
export { gather, type GatherOptions, scatterAdd, type ScatterAddOptions } from './gather.ts';
export { gatherNd, type GatherNdOptions, scatterNd, type ScatterNdOptions } from './gatherNd.ts';
export { type GatheredData, gatherOnHost } from './gatherOnHost.ts';
export type { IndexOptions } from './indices.ts';
export { oneHot, type OneHotOptions } from './oneHot.ts';
export { segmentMax, segmentMin } from './segmentExtrema.ts';
export { segmentMean } from './segmentMean.ts';
export { segmentProd } from './segmentProd.ts';
export { segmentSum, type SegmentSumOptions } from './segmentSum.ts';
export { tensorScatterUpdate, type TensorScatterUpdateOptions } from './tensorScatterUpdate.ts';
export { bincount, type BincountOptions } from './bincount.ts';
export { confusionMatrix, type ConfusionMatrixOptions } from './confusionMatrix.ts';
export { booleanMask, type BooleanMaskOptions, nonzero } from './nonzero.ts';
export { unique, type UniqueOptions } from './unique.ts';
export {
  scatterAddAlongAxis,
  type ScatterAddAlongAxisOptions,
  takeAlongAxis,
  type TakeAlongAxisOptions,
} from './takeAlongAxis.ts';
// Arrangement
export { concat, type ConcatOptions } from './concat.ts';
export { expandDims, type ExpandDimsOptions } from './expandDims.ts';
export { type BlockOptions, depthToSpace, spaceToDepth } from './depthToSpace.ts';
export { diag, diagonal, type DiagonalOptions, type DiagOptions, trace } from './diagonal.ts';
export { extractPatches, type ExtractPatchesOptions } from './extractPatches.ts';
export { flip, type FlipOptions } from './flip.ts';
export { meshgrid, type MeshgridOptions } from './meshgrid.ts';
export { moveAxis, type MoveAxisOptions, swapAxes, type SwapAxesOptions } from './moveAxis.ts';
export { repeat, type RepeatOptions } from './repeat.ts';
export { roll, type RollOptions } from './roll.ts';
export { type TriangleOptions, tril, triu } from './triangle.ts';
export { pad, type PadOptions, slice, type SliceOptions } from './slice.ts';
export { sliceUpdate, type SliceUpdateOptions } from './sliceUpdate.ts';
export {
  batchToSpace,
  type BatchToSpaceOptions,
  spaceToBatch,
  type SpaceToBatchOptions,
} from './spaceToBatch.ts';
export { split, type SplitOptions } from './split.ts';
export { squeeze, type SqueezeOptions } from './squeeze.ts';
export { stack, type StackOptions } from './stack.ts';
export {
  stridedScatter,
  type StridedScatterOptions,
  stridedSlice,
  type StridedSliceOptions,
} from './stridedSlice.ts';
export { tile, type TileOptions } from './tile.ts';
export { transpose, type TransposeOptions } from './transpose.ts';
export { unstack } from './unstack.ts';
// Reductions
export { all, any } from './anyAll.ts';
export { type ArgOptions, argMax, argMin } from './argExtrema.ts';
export { max, min } from './extrema.ts';
export { logSumExp } from './logSumExp.ts';
export { mean } from './mean.ts';
export { prod } from './prod.ts';
export { norm, type NormOptions } from './norm.ts';
export { normalize, type NormalizeOptions } from './normalize.ts';
export { median, quantile, type QuantileOptions } from './quantile.ts';
export type { ReduceOptions } from './reduction.ts';
export { sum } from './sum.ts';
export { moments, std, variance } from './variance.ts';
// Scans
export { cumsum, type CumsumOptions } from './cumsum.ts';
export { cummax, type CummaxOptions, cumprod } from './cumulative.ts';
export { inTopK, type InTopKOptions } from './inTopK.ts';
export { topK, type TopKOptions } from './topK.ts';
export { searchSorted, type SearchSortedOptions } from './searchSorted.ts';
export { argsort, sort, type SortOptions } from './sort.ts';
// Softmax
export { logSoftmax, softmax, type SoftmaxOptions } from './softmax.ts';
// Attention
export { dotProductAttention, type DotProductAttentionOptions } from './dotProductAttention.ts';
export { rotaryEmbedding, type RotaryEmbeddingOptions } from './rotaryEmbedding.ts';
export { biasGelu } from './biasGelu.ts';
export { gatedActivation, type GatedActivationOptions } from './gatedActivation.ts';
export { linearTopK, type LinearTopKOptions } from './linearTopK.ts';
export { sampleTokens, type SampleTokensOptions } from './sampleTokens.ts';
// Recurrences
export { gruSteps } from './gruSteps.ts';
export { lstmSteps } from './lstmSteps.ts';
// Pools and resizes of images
export { avgPool, avgPool1d } from './avgPool.ts';
export { globalAveragePool, globalMaxPool, type GlobalPoolOptions } from './globalPool.ts';
export { maxPool, maxPool1d } from './maxPool.ts';
export { dilation2d, type Dilation2dOptions } from './dilation2d.ts';
export { maxPoolWithArgmax, type MaxPoolWithArgmaxOptions } from './maxPoolWithArgmax.ts';
export { avgPool3d, maxPool3d } from './pool3d.ts';
export type { PoolOptions } from './pooling.ts';
export {
  resizeBilinear,
  type ResizeOptions,
  resizeNearest,
  type UpSamplingOptions,
  upSampling2d,
} from './resize.ts';
// Linear algebra
export { cholesky } from './cholesky.ts';
export { eigh } from './eigh.ts';
export { qr, type QrOptions } from './qr.ts';
export { luFactor } from './luFactor.ts';
export { det, inv, solve } from './solve.ts';
export { solveTriangular, type SolveTriangularOptions } from './solveTriangular.ts';
export { svd, type SvdOptions } from './svd.ts';
// Signals
export { fft, ifft, irfft, rfft, type RfftOptions } from './fourier.ts';
export { extractSequences, type ExtractSequencesOptions, stft, type StftOptions } from './stft.ts';
export { istft, type IstftOptions } from './istft.ts';
// Images
export { hsvToRgb, rgbToGrayscale, rgbToHsv } from './colours.ts';
export { resizeBicubic, resizeLanczos, type ResizeLanczosOptions } from './resizeBicubic.ts';
export { type Interpolation, resizeImages, type ResizeImagesOptions } from './resizeImages.ts';
export type { ResizeBicubicOptions } from './resizeWeights.ts';
export { gaussianBlur, type GaussianBlurOptions } from './gaussianBlur.ts';
export { cropAndResize, type CropAndResizeOptions } from './cropAndResize.ts';
export { nonMaxSuppression, type NonMaxSuppressionOptions } from './nonMaxSuppression.ts';
export { transformImages, type TransformImagesOptions } from './transformImages.ts';
// Normalization
export { addRmsNorm } from './addRmsNorm.ts';
export { batchNorm, type BatchNormOptions, batchNormTrain } from './batchNorm.ts';
export { groupNorm, type GroupNormOptions } from './groupNorm.ts';
export { layerNorm, type LayerNormOptions } from './layerNorm.ts';
export {
  localResponseNormalization,
  type LocalResponseNormalizationOptions,
} from './localResponseNormalization.ts';
export { rmsNorm, type RmsNormOptions } from './rmsNorm.ts';
