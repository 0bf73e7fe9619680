/** @file The base of layers that change images: one image or a batch of them, in float32. */
import type { DType } from '../../../core/dtype.ts';
import { ShapeError } from '../../../core/errors.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { describe } from '../../../core/shape.ts';
import { cast } from '../../../ops/cast.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { SeedSequence } from '../../../ops/seeds.ts';
import { squeeze } from '../../../ops/squeeze.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';
import { type CallOptions, Layer, type LayerOptions } from '../base/layer.ts';
import { seedOf } from '../base/randomOptions.ts';

/** Options of layers that change images. */
export interface ImageLayerOptions extends LayerOptions, DataFormatOptions {}

export abstract class ImageLayer extends Layer {
  readonly dataFormat = 'channelsLast';

  constructor(options: ImageLayerOptions) {
    super(options);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ minRank: 3 }];
  }

  /** What becomes of images [batch, height, width, channels]. */
  protected abstract changed(images: Tensor, options: CallOptions): Tensor;

  /** Height and width of the result. Default: those of the input. */
  protected sizeOf(height: number | null, width: number | null): readonly (number | null)[] {
    return [height, width];
  }

  override call(x: Tensor, options: CallOptions): Tensor {
    const single = this.#isSingle(x.shape);
    const y = this.changed(single ? expandDims(x, { axis: 0 }) : x, options);
    return single ? squeeze(y, { axis: 0 }) : y;
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    const batch = this.#isSingle(inputShape) ? [] : [inputShape[0] ?? null];
    const [height = null, width = null, channels = null] = inputShape.slice(-3);
    return [...batch, ...this.sizeOf(height, width), channels];
  }

  protected override outputDType(): DType {
    return 'float32';
  }

  #isSingle(shape: OpenShape): boolean {
    if (shape.length === 3 || shape.length === 4) return shape.length === 3;
    throw new ShapeError({
      op: this.name,
      rule: 'its input is an image [height, width, channels], or a batch of them.',
      received: describe(shape),
      hint: 'reshape the input.',
    });
  }
}

export const asFloats = (x: Tensor): Tensor => (x.dtype === 'float32' ? x : cast(x, 'float32'));

/** Options of layers that change images at random. */
export interface RandomImageOptions extends ImageLayerOptions {
  /** A whole number in [0, 2^53): the calls of the layer draw from its sequence. Default null: drawn at every call. */
  seed?: number | null;
}

/**
 * A layer that changes images at random, as in Keras also where nobody says whether it is trained: where `training` isn't false.
 * `Drawn` is what it draws for a batch.
 */
export abstract class RandomImageLayer<Drawn> extends ImageLayer {
  readonly seed: number | null;
  /** Where its draws are, which a checkpoint keeps. */
  readonly seeds: SeedSequence | null;

  constructor(options: RandomImageOptions) {
    super(options);
    this.seed = seedOf(this.name, options.seed);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
  }

  /** Draws a change for images [batch, height, width, channels]. */
  abstract getRandomTransformation(images: Tensor): Drawn;

  /** The images, changed as `transformation` says. */
  abstract transformImages(images: Tensor, transformation: Drawn): Tensor;

  /** What becomes of images when the layer isn't trained. Default: nothing. */
  protected unchanged(images: Tensor): Tensor {
    return images;
  }

  protected override changed(images: Tensor, { training = true }: CallOptions): Tensor {
    const x = asFloats(images);
    return training ? this.transformImages(x, this.getRandomTransformation(x)) : this.unchanged(x);
  }
}
