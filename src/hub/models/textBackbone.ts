/** @file Backbones of texts: transformers without a head, from tokens to a vector for each position. */
import type { CallOptions } from '../../keras/layers/base/layer.ts';
import type { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache } from '../layers/attentionCache.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';
import { Backbone } from './backbone.ts';

/** Tokens with what is known about them, all [batch, length]. */
export type TextRecord = {
  /** int32. */
  readonly tokenIds: Tensor;
  /** bool or integers: 0 where a token is padding. Default: none is. */
  readonly paddingMask?: Tensor;
  /** int32, for encoders: which of two texts a token belongs to. Default: the first. */
  readonly segmentIds?: Tensor;
  /** [batch, steps, features], for decoders of two towers: what the encoder made. */
  readonly encoderSequence?: Tensor;
};

/** The inputs of a text model: tokens, int32 [batch, length], or a record. */
export type TextInputs = Tensor | TextRecord;

/** Options of a call of a text model, besides `training`. */
export interface TextCall extends CallOptions {
  /** The state of a generation. */
  cache?: AttentionCache | null;
}

/** The inputs as a record. */
export function textOf(inputs: TextInputs): TextRecord {
  return 'tokenIds' in inputs ? inputs : { tokenIds: inputs };
}

/** A transformer without a head: [batch, length] → [batch, length, hiddenDim]. Its weights exist once it is created. */
export abstract class TextBackbone extends Backbone<TextInputs> {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'cache'];

  abstract readonly tokenEmbedding: ReversibleEmbedding;

  get task(): 'backbone' {
    return 'backbone';
  }

  /** The vectors of the tokens, before the first layer. */
  protected abstract embed(text: TextRecord, positions: Tensor | null): Tensor;

  /** What follows the last layer. Default: nothing. */
  protected finish(x: Tensor): Tensor {
    return x;
  }

  override call(inputs: TextInputs, { cache = null }: TextCall): Tensor {
    const text = textOf(inputs);
    // Positions of padding are negative; what stands there isn't read.
    let x = this.embed(text, cache && maximum(cache.positions, 0));
    for (const layer of this.transformerLayers) x = this.#after(layer, x, text, cache);
    return this.finish(x);
  }

  /**
   * The features below the first layer, and after each: [batch, length, hiddenDim] each. As in transformers, those after the last one
   * are what the model returns.
   */
  override hiddenStates(inputs: TextInputs): Tensor[] {
    const text = textOf(inputs);
    const states = [this.embed(text, null)];
    for (const layer of this.transformerLayers)
      states.push(this.#after(layer, states.at(-1) as Tensor, text, null));
    return [...states.slice(0, -1), this.finish(states.at(-1) as Tensor)];
  }

  #after(layer: TransformerBlock, x: Tensor, text: TextRecord, cache: AttentionCache | null): Tensor {
    const { paddingMask = null, encoderSequence = null } = text;
    return layer.apply(x, { paddingMask, cache, encoderSequence });
  }

  protected override buildLayers(): void {
    super.buildLayers([null, null]);
  }
}
