/** @file Backbones of images: transformers without a head, from pixels to a vector for each patch. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/describe.ts';
import { isListOf } from '../../core/lists.ts';
import type { OpenShape } from '../../core/shape.ts';
import type { CallOptions } from '../../keras/layers/base/layer.ts';
import { checked } from '../../keras/layers/base/declare.ts';
import type { Option } from '../../keras/options/option.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { ViTPatchingAndEmbedding } from '../layers/vitPatchingAndEmbedding.ts';
import { Backbone } from './backbone.ts';

/** The shape of an image: height, width and channels. */
export const imageShape: Option<readonly number[]> = /* @__PURE__ */ checked(requireImageShape);

/** A transformer of images without a head: [batch, height, width, channels] → [batch, 1 + patches, hiddenDim]. */
export abstract class ImageBackbone extends Backbone<Tensor> {
  get task(): 'imageBackbone' {
    return 'imageBackbone';
  }

  abstract readonly embeddings: ViTPatchingAndEmbedding;

  override build(inputShape: OpenShape): void {
    this.embeddings.ensureBuilt(inputShape);
    super.build(inputShape);
  }

  /** The vectors of the whole image and of its patches, before the first block. */
  protected abstract embed(images: Tensor): Tensor;

  /** What follows the last block. */
  protected abstract finish(x: Tensor): Tensor;

  override call(images: Tensor, _options: CallOptions): Tensor {
    let x = this.embed(images);
    for (const layer of this.transformerLayers) x = layer.apply(x);
    return this.finish(x);
  }

  /** The features below the first block, and after each, before the last normalization: [batch, 1 + patches, hiddenDim] each. */
  override hiddenStates(images: Tensor): Tensor[] {
    const states = [this.embed(images)];
    for (const layer of this.transformerLayers) states.push(layer.apply(states.at(-1) as Tensor));
    return states;
  }
}

function requireImageShape(op: string, what: string, given: unknown): readonly number[] {
  const isSize = (size: unknown) => Number.isSafeInteger(size) && (size as number) > 0;
  if (isListOf(given, isSize) && (given as readonly unknown[]).length === 3)
    return given as readonly number[];
  throw new ValueError({
    op,
    rule: `\`${what}\` is [height, width, channels] of an image.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass [224, 224, 3], for example.',
  });
}
