/** @file The layers. */
export { input, inputLayer, InputLayer, type InputOptions } from './core/inputLayer.ts';
export type { InputSpec } from './base/inputSpec.ts';
export { type CallOptions, Layer, type LayerOptions, type WeightOptions } from './base/layer.ts';
// Dense and convolutional
export {
  conv1d,
  Conv1D,
  type Conv1DOptions,
  conv2d,
  Conv2D,
  type Conv2DOptions,
} from './convolutional/conv.ts';
export { conv3d, Conv3D, type Conv3DOptions } from './convolutional/conv3d.ts';
export {
  conv3dTranspose,
  Conv3DTranspose,
  type Conv3DTransposeOptions,
} from './convolutional/conv3dTranspose.ts';
export {
  conv1dTranspose,
  Conv1DTranspose,
  type Conv1DTransposeOptions,
  conv2dTranspose,
  Conv2DTranspose,
  type Conv2DTransposeOptions,
} from './convolutional/convTranspose.ts';
export { dense, Dense, type DenseOptions } from './core/dense.ts';
export {
  depthwiseConv1d,
  DepthwiseConv1D,
  type DepthwiseConv1DOptions,
  depthwiseConv2d,
  DepthwiseConv2D,
  type DepthwiseConv2DOptions,
} from './convolutional/depthwiseConv.ts';
export {
  separableConv1d,
  SeparableConv1D,
  type SeparableConv1DOptions,
  separableConv2d,
  SeparableConv2D,
  type SeparableConv2DOptions,
} from './convolutional/separableConv.ts';
// Pools
export {
  averagePooling1d,
  AveragePooling1D,
  type AveragePooling1DOptions,
  averagePooling2d,
  AveragePooling2D,
  type AveragePooling2DOptions,
  maxPooling1d,
  MaxPooling1D,
  type MaxPooling1DOptions,
  maxPooling2d,
  MaxPooling2D,
  type MaxPooling2DOptions,
  averagePooling3d,
  AveragePooling3D,
  maxPooling3d,
  MaxPooling3D,
  type Pooling3DOptions,
} from './pooling/pooling.ts';
export {
  adaptiveAveragePooling1d,
  AdaptiveAveragePooling1D,
  adaptiveAveragePooling2d,
  AdaptiveAveragePooling2D,
  adaptiveAveragePooling3d,
  AdaptiveAveragePooling3D,
  adaptiveMaxPooling1d,
  AdaptiveMaxPooling1D,
  adaptiveMaxPooling2d,
  AdaptiveMaxPooling2D,
  adaptiveMaxPooling3d,
  AdaptiveMaxPooling3D,
  type AdaptivePooling1DOptions,
  type AdaptivePooling2DOptions,
  type AdaptivePooling3DOptions,
} from './pooling/adaptivePooling.ts';
export {
  globalAveragePooling1d,
  GlobalAveragePooling1D,
  globalAveragePooling2d,
  GlobalAveragePooling2D,
  globalAveragePooling3d,
  GlobalAveragePooling3D,
  globalMaxPooling1d,
  GlobalMaxPooling1D,
  globalMaxPooling2d,
  GlobalMaxPooling2D,
  globalMaxPooling3d,
  GlobalMaxPooling3D,
  type GlobalPoolingOptions,
} from './pooling/globalPooling.ts';
// Arrangement
export {
  cropping1d,
  Cropping1D,
  type Cropping1DOptions,
  cropping2d,
  Cropping2D,
  type Cropping2DOptions,
  cropping3d,
  Cropping3D,
  type Cropping3DOptions,
} from './reshaping/cropping.ts';
export {
  zeroPadding1d,
  ZeroPadding1D,
  type ZeroPadding1DOptions,
  zeroPadding2d,
  ZeroPadding2D,
  type ZeroPadding2DOptions,
  zeroPadding3d,
  ZeroPadding3D,
  type ZeroPadding3DOptions,
} from './reshaping/zeroPadding.ts';
export { flatten, Flatten, type FlattenOptions } from './reshaping/flatten.ts';
export { permute, Permute, type PermuteOptions } from './reshaping/permute.ts';
export { repeatVector, RepeatVector, type RepeatVectorOptions } from './reshaping/repeatVector.ts';
export { reshape, Reshape, type ReshapeOptions } from './reshaping/reshape.ts';
export {
  upSampling1d,
  UpSampling1D,
  type UpSampling1DOptions,
  upSampling2d,
  UpSampling2D,
  type UpSampling2DOptions,
  upSampling3d,
  UpSampling3D,
  type UpSampling3DOptions,
} from './reshaping/upSampling.ts';
// Merges
export { concatenate, Concatenate, type ConcatenateOptions } from './merging/concatenate.ts';
export { dot, Dot, type DotOptions } from './merging/dot.ts';
export {
  add,
  Add,
  average,
  Average,
  maximum,
  Maximum,
  minimum,
  Minimum,
  multiply,
  Multiply,
  subtract,
  Subtract,
} from './merging/elementwiseMerges.ts';
// Activations
export { activation, Activation, type ActivationOptions } from './activations/activation.ts';
export { prelu, PReLU, type PReLUOptions } from './activations/prelu.ts';
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
} from './activations/rectifiers.ts';
export { softmax, Softmax, type SoftmaxOptions } from './activations/softmax.ts';
// Normalization
export {
  batchNormalization,
  BatchNormalization,
  type BatchNormalizationOptions,
} from './normalization/batchNormalization.ts';
export {
  groupNormalization,
  GroupNormalization,
  type GroupNormalizationOptions,
} from './normalization/groupNormalization.ts';
export {
  layerNormalization,
  LayerNormalization,
  type LayerNormalizationOptions,
} from './normalization/layerNormalization.ts';
export {
  rmsNormalization,
  RMSNormalization,
  type RMSNormalizationOptions,
} from './normalization/rmsNormalization.ts';
export {
  spectralNormalization,
  SpectralNormalization,
  type SpectralNormalizationOptions,
} from './normalization/spectralNormalization.ts';
export { normalization, Normalization, type NormalizationOptions } from './preprocessing/normalization.ts';
export { rescaling, Rescaling, type RescalingOptions } from './preprocessing/rescaling.ts';
export {
  unitNormalization,
  UnitNormalization,
  type UnitNormalizationOptions,
} from './normalization/unitNormalization.ts';
// Regularization
export {
  activityRegularization,
  ActivityRegularization,
  type ActivityRegularizationOptions,
} from './regularization/activityRegularization.ts';
export { alphaDropout, AlphaDropout } from './regularization/alphaDropout.ts';
export {
  dropout,
  Dropout,
  type DropoutOptions,
  spatialDropout1d,
  SpatialDropout1D,
  spatialDropout2d,
  SpatialDropout2D,
  type SpatialDropout2DOptions,
  spatialDropout3d,
  SpatialDropout3D,
  type SpatialDropoutOptions,
} from './regularization/dropout.ts';
export {
  gaussianDropout,
  GaussianDropout,
  type GaussianDropoutOptions,
  gaussianNoise,
  GaussianNoise,
  type GaussianNoiseOptions,
} from './regularization/gaussian.ts';
export { identity, Identity } from './core/identity.ts';
// Sequences
export {
  reversibleEmbedding,
  ReversibleEmbedding,
  type ReversibleEmbeddingOptions,
} from './core/reversibleEmbedding.ts';
export { embedding, Embedding, type EmbeddingOptions } from './core/embedding.ts';
export {
  lambda,
  Lambda,
  type LambdaFunction,
  type LambdaOptions,
  type LambdaSettings,
  type LambdaShape,
} from './core/lambda.ts';
export { masking, Masking, type MaskingOptions } from './core/masking.ts';
export * from './recurrent/index.ts';
// Attention
export * from './attention/index.ts';
export { einsumDense, EinsumDense, type EinsumDenseOptions } from './core/einsumDense.ts';
// Wrappers
export {
  bidirectional,
  Bidirectional,
  type BidirectionalOptions,
  type MergeMode,
} from './recurrent/bidirectional.ts';
export {
  timeDistributed,
  TimeDistributed,
  type TimeDistributedOptions,
} from './recurrent/timeDistributed.ts';
// Preprocessing
export * from './preprocessing/index.ts';
export * from './aliases.ts';
