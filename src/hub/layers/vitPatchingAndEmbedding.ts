/** @file ViTPatchingAndEmbedding: an image as a sequence: a vector for the whole of it, and one for each patch. */
import { ShapeError } from '../../core/errors.ts';
import { describe, type OpenShape } from '../../core/shape.ts';
import {
  factoryOf,
  flag,
  type InputSpec,
  integer,
  layer,
  type LayerOptions,
  perAxisOf,
} from '../../keras/layers/base/declare.ts';
import type { Pair } from '../../keras/layers/base/dataFormat.ts';
import { Conv2D } from '../../keras/layers/convolutional/conv.ts';
import { perAxis } from '../../core/windows.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { broadcastTo } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { PositionEmbedding } from './positionEmbedding.ts';

/** Options of `vitPatchingAndEmbedding`. */
export interface ViTPatchingAndEmbeddingOptions extends LayerOptions {
  /** Height and width of an image. */
  imageSize: Pair;
  /** Height and width of a patch. */
  patchSize: Pair;
  /** The number of features of a patch. */
  hiddenDim: number;
  /** Whether the projection of patches adds a bias. Default true. */
  usePatchBias?: boolean;
}

/** The numbers of patches along both sides of an image. */
export function patchGrid(imageSize: readonly number[], patchSize: Pair): [number, number] {
  const [down, across] = perAxis('patchGrid', 'patchSize', patchSize, 2);
  return [Math.floor((imageSize[0] as number) / down), Math.floor((imageSize[1] as number) / across)];
}

/** The class of layers created by `vitPatchingAndEmbedding`. */
export class ViTPatchingAndEmbedding extends /* @__PURE__ */ layer<ViTPatchingAndEmbeddingOptions>(
  'ViTPatchingAndEmbedding',
  () => ({
    imageSize: perAxisOf(2),
    patchSize: perAxisOf(2),
    hiddenDim: integer(),
    usePatchBias: flag(true),
  }),
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];
  classToken: Variable | null = null;
  readonly patchEmbedding: Conv2D;
  readonly positionEmbedding: PositionEmbedding;

  constructor(options: ViTPatchingAndEmbeddingOptions) {
    super(options);
    const { imageSize, patchSize, hiddenDim: filters, usePatchBias: useBias, dtype } = this;
    const [down, across] = patchGrid(imageSize, patchSize);
    if (down * across === 0) {
      throw new ShapeError({
        op: this.name,
        rule: 'an image has at least one patch.',
        received: `imageSize: ${describe(imageSize)}, patchSize: ${describe(patchSize)}`,
        hint: 'pass a smaller `patchSize`.',
      });
    }
    const window = { kernelSize: patchSize as Pair, strides: patchSize as Pair };
    this.patchEmbedding = new Conv2D({ name: 'patch_embedding', filters, ...window, useBias, dtype });
    this.positionEmbedding = new PositionEmbedding({
      name: 'position_embedding',
      sequenceLength: down * across + 1,
      dtype,
    });
  }

  override build(inputShape: OpenShape): void {
    const { hiddenDim } = this;
    this.classToken = this.addWeight('class_token', {
      shape: [1, 1, hiddenDim],
      initializer: 'glorotUniform',
    });
    this.patchEmbedding.ensureBuilt(inputShape);
    this.positionEmbedding.ensureBuilt([null, null, hiddenDim]);
  }

  override call(images: Tensor): Tensor {
    this.#requireSize(images);
    const patches = this.patchEmbedding.apply(images);
    const [batch, , , features] = patches.shape as [number, number, number, number];
    const sequence = reshape(patches, { shape: [batch, -1, features] });
    const whole = broadcastTo(this.classToken as Variable, { shape: [batch, 1, features] });
    const x = concat([whole, sequence], { axis: 1 });
    return add(x, this.positionEmbedding.apply(x));
  }

  override computeOutputShape([batch = null]: OpenShape): OpenShape {
    return [batch, this.positionEmbedding.sequenceLength, this.hiddenDim];
  }

  #requireSize({ shape }: Tensor): void {
    const [height, width] = this.imageSize as [number, number];
    if (shape[1] === height && shape[2] === width) return;
    throw new ShapeError({
      op: this.name,
      rule: `images are [batch, ${height}, ${width}, channels]: each patch has a position of its own.`,
      received: describe(shape),
      hint: 'resize the images; loadImageConverter does it as the network was trained.',
    });
  }
}

/**
 * Images as sequences: a trained vector for the whole image, then a projection of each patch, each with the vector of its position added.
 * Shapes: [batch, height, width, channels] → [batch, 1 + patches, hiddenDim], patches row by row. Weights: class_token [1, 1, hiddenDim];
 * kernel [patchHeight, patchWidth, channels, hiddenDim] and bias under patch_embedding; position_embedding/embeddings [1 + patches,
 * hiddenDim]. Source: Dosovitskiy et al., "An image is worth 16×16 words", 2020.
 * Errors: ValueError for invalid options; ShapeError for images of another size.
 */
export const vitPatchingAndEmbedding = /* @__PURE__ */ factoryOf(ViTPatchingAndEmbedding);
