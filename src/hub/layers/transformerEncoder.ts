/** @file TransformerEncoder: a block of a transformer in which each position sees all others. */
import { factoryOf, layer } from '../../keras/layers/base/declare.ts';
import { TransformerBlock, type TransformerOptions, transformerTable } from './transformerBlock.ts';

export class TransformerEncoder extends /* @__PURE__ */ layer<TransformerOptions, TransformerBlock>(
  'TransformerEncoder',
  transformerTable,
  TransformerBlock,
) {
  protected override get isCausal(): boolean {
    return false;
  }
}

/**
 * A block of a transformer that reads sequences: self-attention in both directions, then a feed-forward layer, each with a residual
 * connection. Shapes: [batch, length, features] → the same. Weights: those of `cachedMultiHeadAttention` under self_attention, of
 * `feedForward` under feedforward, and of normalizations. Source: Vaswani et al., "Attention is all you need", 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs that don't fit.
 */
export const transformerEncoder = /* @__PURE__ */ factoryOf(TransformerEncoder);
