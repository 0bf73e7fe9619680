/** @file The layers. */
export { activation, Activation, type ActivationOptions } from './activation.ts';
export {
  bidirectional,
  Bidirectional,
  type BidirectionalOptions,
  type MergeMode,
} from './bidirectional.ts';
export { conv2d, Conv2D, type Conv2DOptions } from './conv2d.ts';
export { dense, Dense, type DenseOptions } from './dense.ts';
export { embedding, Embedding, type EmbeddingOptions } from './embedding.ts';
export { flatten, Flatten } from './flatten.ts';
export { inputLayer, InputLayer, type InputOptions } from './inputLayer.ts';
export type { InputSpec } from './inputSpec.ts';
export { type CallOptions, Layer, type LayerOptions, type WeightOptions } from './layer.ts';
export { maxPooling2d, MaxPooling2D, type MaxPooling2DOptions } from './maxPooling.ts';
export { masking, Masking, type MaskingOptions } from './masking.ts';
export * from './recurrent/index.ts';
export { timeDistributed, TimeDistributed, type TimeDistributedOptions } from './timeDistributed.ts';
