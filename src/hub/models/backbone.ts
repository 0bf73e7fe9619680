/** @file Backbones: transformers without a head, from tokens to a vector for each position. */
import type { CallOptions } from '../../keras/layers/base/layer.ts';
import type { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { Model } from '../../keras/models/model.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache } from '../layers/attentionCache.ts';
import { ensureBuilt } from '../layers/building.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';

/** Tokens with what is known about them, all [batch, length]. */
export type TextRecord = {
  /** int32. */
  readonly tokenIds: Tensor;
  /** bool or integers: 0 where a token is padding. Default: none is. */
  readonly paddingMask?: Tensor;
  /** int32, for encoders: which of two texts a token belongs to. Default: the first. */
  readonly segmentIds?: Tensor;
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
export abstract class TextBackbone extends Model<TextInputs, Tensor> {
  static override readonly callOptionNames: readonly string[] = ['training', 'mask', 'cache'];

  /** The number of features of a position. */
  declare readonly hiddenDim: number;
  /** transformers' name of its kind of model. */
  abstract readonly modelType: string;
  abstract readonly tokenEmbedding: ReversibleEmbedding;
  /** The blocks, once the backbone is built. */
  readonly transformerLayers: TransformerBlock[] = [];
  declare readonly numLayers: number;

  /** Makes block number `index`. */
  protected abstract block(name: string, index: number): TransformerBlock;

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
  hiddenStates(inputs: TextInputs): Tensor[] {
    const text = textOf(inputs);
    const states = [this.embed(text, null)];
    for (const layer of this.transformerLayers)
      states.push(this.#after(layer, states.at(-1) as Tensor, text, null));
    return [...states.slice(0, -1), this.finish(states.at(-1) as Tensor)];
  }

  #after(layer: TransformerBlock, x: Tensor, text: TextRecord, cache: AttentionCache | null): Tensor {
    return layer.apply(x, { paddingMask: text.paddingMask ?? null, cache });
  }

  /** Builds the layers. A subclass calls it at the end of its constructor. */
  protected buildLayers(): void {
    try {
      this.ensureBuilt([null, null]);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  override build(): void {
    const features = [null, null, this.hiddenDim];
    const build = (layer: Sublayer) => layer.built || ensureBuilt(layer as never, features);
    // Each block has its weights before the next is made: a file that says that it has a billion is soon found out.
    for (let i = 0; i < this.numLayers; i++) {
      const made = this.block(`transformer_layer_${i}`, i);
      this.transformerLayers.push(made);
      build(made as unknown as Sublayer);
    }
    for (const layer of this.sublayers) build(layer);
  }
}

type Sublayer = TextBackbone['sublayers'][number];
