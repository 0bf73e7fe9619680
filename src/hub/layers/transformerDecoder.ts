/** @file TransformerDecoder: a block of a transformer in which a position sees no later ones. */
import { factoryOf, layer } from '../../keras/layers/base/declare.ts';
import { TransformerBlock, type TransformerOptions, transformerTable } from './transformerBlock.ts';

export class TransformerDecoder extends /* @__PURE__ */ layer<TransformerOptions, TransformerBlock>(
  'TransformerDecoder',
  transformerTable,
  TransformerBlock,
) {
  protected override get isCausal(): boolean {
    return true;
  }
}

/**
 * A block of a transformer that continues sequences: causal self-attention, then a feed-forward layer, each with a residual
 * connection. Called with a `cache`, the tokens of a call follow those of the calls before. Shapes: [batch, length, features] →
 * the same. Weights: those of `cachedMultiHeadAttention` under self_attention, of `feedForward` under feedforward, and of
 * normalizations. Source: Vaswani et al., "Attention is all you need", 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs that don't fit.
 */
export const transformerDecoder = /* @__PURE__ */ factoryOf(TransformerDecoder);
