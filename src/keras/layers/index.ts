/** @file The layers. */
export { input, inputLayer, InputLayer, type InputOptions } from './inputLayer.ts';
export type { InputSpec } from './inputSpec.ts';
export { type CallOptions, Layer, type LayerOptions, type WeightOptions } from './layer.ts';
// Dense and convolutional
export { conv1d, Conv1D, type Conv1DOptions } from './conv1d.ts';
export { conv2d, Conv2D, type Conv2DOptions } from './conv2d.ts';
export { conv2dTranspose, Conv2DTranspose, type Conv2DTransposeOptions } from './conv2dTranspose.ts';
export { dense, Dense, type DenseOptions } from './dense.ts';
export {
  depthwiseConv1d,
  DepthwiseConv1D,
  type DepthwiseConv1DOptions,
  depthwiseConv2d,
  DepthwiseConv2D,
  type DepthwiseConv2DOptions,
} from './depthwiseConv.ts';
export {
  separableConv1d,
  SeparableConv1D,
  type SeparableConv1DOptions,
  separableConv2d,
  SeparableConv2D,
  type SeparableConv2DOptions,
} from './separableConv.ts';
// Pools
export {
  averagePooling1d,
  AveragePooling1D,
  type AveragePooling1DOptions,
  averagePooling2d,
  AveragePooling2D,
  type AveragePooling2DOptions,
} from './averagePooling.ts';
export {
  globalAveragePooling1d,
  GlobalAveragePooling1D,
  globalAveragePooling2d,
  GlobalAveragePooling2D,
  globalMaxPooling1d,
  GlobalMaxPooling1D,
  globalMaxPooling2d,
  GlobalMaxPooling2D,
  type GlobalPoolingOptions,
} from './globalPooling.ts';
export {
  maxPooling1d,
  MaxPooling1D,
  type MaxPooling1DOptions,
  maxPooling2d,
  MaxPooling2D,
  type MaxPooling2DOptions,
} from './maxPooling.ts';
// Arrangement
export {
  cropping1d,
  Cropping1D,
  type Cropping1DOptions,
  cropping2d,
  Cropping2D,
  type Cropping2DOptions,
} from './cropping.ts';
export { flatten, Flatten, type FlattenOptions } from './flatten.ts';
export { permute, Permute, type PermuteOptions } from './permute.ts';
export { repeatVector, RepeatVector, type RepeatVectorOptions } from './repeatVector.ts';
export { reshape, Reshape, type ReshapeOptions } from './reshape.ts';
export {
  upSampling1d,
  UpSampling1D,
  type UpSampling1DOptions,
  upSampling2d,
  UpSampling2D,
  type UpSampling2DOptions,
} from './upSampling.ts';
export {
  zeroPadding1d,
  ZeroPadding1D,
  type ZeroPadding1DOptions,
  zeroPadding2d,
  ZeroPadding2D,
  type ZeroPadding2DOptions,
} from './zeroPadding.ts';
// Merges
export { concatenate, Concatenate, type ConcatenateOptions } from './concatenate.ts';
export { dot, Dot, type DotOptions } from './dot.ts';
export { maximum, Maximum, minimum, Minimum } from './extrema.ts';
export { multiply, Multiply } from './multiply.ts';
export { add, Add, average, Average, subtract, Subtract } from './sums.ts';
// Activations
export { activation, Activation, type ActivationOptions } from './activation.ts';
export { prelu, PReLU, type PReLUOptions } from './prelu.ts';
export {
  elu,
  ELU,
  type ELUOptions,
  leakyReLU,
  LeakyReLU,
  type LeakyReLUOptions,
  reLU,
  ReLU,
  type ReLUOptions,
} from './rectifiers.ts';
export { softmax, Softmax, type SoftmaxOptions } from './softmax.ts';
// Normalisation
export {
  batchNormalization,
  BatchNormalization,
  type BatchNormalizationOptions,
} from './batchNormalization.ts';
export {
  groupNormalization,
  GroupNormalization,
  type GroupNormalizationOptions,
} from './groupNormalization.ts';
export {
  layerNormalization,
  LayerNormalization,
  type LayerNormalizationOptions,
} from './layerNormalization.ts';
export { normalization, Normalization, type NormalizationOptions } from './normalization.ts';
export { rescaling, Rescaling, type RescalingOptions } from './rescaling.ts';
export {
  unitNormalization,
  UnitNormalization,
  type UnitNormalizationOptions,
} from './unitNormalization.ts';
// Regularisation
export {
  activityRegularization,
  ActivityRegularization,
  type ActivityRegularizationOptions,
} from './activityRegularization.ts';
export {
  dropout,
  Dropout,
  type DropoutOptions,
  spatialDropout1d,
  SpatialDropout1D,
  spatialDropout2d,
  SpatialDropout2D,
  type SpatialDropout2DOptions,
  type SpatialDropoutOptions,
} from './dropout.ts';
export {
  gaussianDropout,
  GaussianDropout,
  type GaussianDropoutOptions,
  gaussianNoise,
  GaussianNoise,
  type GaussianNoiseOptions,
} from './gaussian.ts';
export { identity, Identity } from './identity.ts';
// Sequences
export { embedding, Embedding, type EmbeddingOptions } from './embedding.ts';
export {
  lambda,
  Lambda,
  type LambdaFunction,
  type LambdaOptions,
  type LambdaSettings,
  type LambdaShape,
} from './lambda.ts';
export { masking, Masking, type MaskingOptions } from './masking.ts';
export * from './recurrent/index.ts';
// Attention
export * from './attention/index.ts';
export { einsumDense, EinsumDense, type EinsumDenseOptions } from './einsumDense.ts';
// Wrappers
export {
  bidirectional,
  Bidirectional,
  type BidirectionalOptions,
  type MergeMode,
} from './bidirectional.ts';
export { timeDistributed, TimeDistributed, type TimeDistributedOptions } from './timeDistributed.ts';
