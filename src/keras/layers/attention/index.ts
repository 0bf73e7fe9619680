/** @file Attention layers. */
export {
  additiveAttention,
  AdditiveAttention,
  type AdditiveAttentionOptions,
  attention,
  Attention,
  type AttentionLayerOptions,
} from './attention.ts';
export {
  type AttentionOptions,
  multiHeadAttention,
  MultiHeadAttention,
  type MultiHeadAttentionOptions,
} from './multiHeadAttention.ts';
