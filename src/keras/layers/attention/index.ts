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
  groupQueryAttention,
  GroupQueryAttention,
  type GroupQueryAttentionOptions,
} from './groupQueryAttention.ts';
export {
  multiHeadAttention,
  MultiHeadAttention,
  type MultiHeadAttentionOptions,
} from './multiHeadAttention.ts';
export type { AttentionOptions } from './headsAttention.ts';
