/** @file Backbone: a transformer without a head, which makes a vector of features for each position of what it is given. */
import type { OpenShape } from '../../core/shape.ts';
import type { Shapes } from '../../keras/layers/base/layer.ts';
import { Model } from '../../keras/models/model.ts';
import type { Nest } from '../../keras/tensorNest.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { ensureBuilt } from '../layers/building.ts';
import type { TransformerBlock } from '../layers/transformerBlock.ts';

/** A stack of blocks: inputs → [batch, length, hiddenDim]. Its weights exist once it is created. */
export abstract class Backbone<Inputs extends Nest<Tensor>> extends Model<Inputs, Tensor> {
  /** The number of features of a position. */
  declare readonly hiddenDim: number;
  declare readonly numLayers: number;
  /** transformers' name of its kind of model. */
  abstract readonly modelType: string;
  /** The blocks, once the backbone is built. */
  readonly transformerLayers: TransformerBlock[] = [];

  /** Makes block number `index`. */
  protected abstract block(name: string, index: number): TransformerBlock;

  /** The features below the first block, and after each. */
  abstract hiddenStates(inputs: Inputs): Tensor[];

  /** Builds the layers. A subclass calls it at the end of its constructor. */
  protected buildLayers(inputShape: OpenShape): void {
    try {
      this.ensureBuilt(inputShape as never);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  override build(_inputShape: Shapes<Inputs>): void {
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

type Sublayer = Model['sublayers'][number];
