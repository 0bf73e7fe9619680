/**
 * @file The base classes of layers that change images: a single image or a batch, in float32, with their labels and masks.
 */
import type { DType } from '../../../../core/dtype.ts';
import { ShapeError, ValueError } from '../../../../core/errors.ts';
import { isBranch, type Nest } from '../../../../core/nest.ts';
import { checkOptions } from '../../../../core/options.ts';
import { describe, type OpenShape } from '../../../../core/shape.ts';
import type { OpenSpec } from '../../../../core/spec.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { less } from '../../../../ops/elementwise/comparison.ts';
import { fill } from '../../../../ops/creation/creation.ts';
import { expandDims, squeeze } from '../../../../ops/arrangement/expandDims.ts';
import { randomUniform } from '../../../../ops/random/random.ts';
import type { SymbolicTensor } from '../../../../ops/define/recorders.ts';
import type { SeedSequence } from '../../../../ops/define/seeds.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { KerasTensor } from '../../../graph/kerasTensor.ts';
import { trace } from '../../../graph/tracing.ts';
import { dataFormat, type DataFormatOptions } from '../../base/dataFormat.ts';
import { type ApplyOptions, type CallOptions, Layer, type LayerOptions } from '../../base/layer.ts';
import { seeded, sequenceOf } from '../../base/randomOptions.ts';
import type { Bounds } from './imageOptions.ts';

/** Options of layers that change images. */
export interface ImageLayerOptions extends LayerOptions, DataFormatOptions {}

/**
 * Images with their `labels` [batch, …], and `segmentationMasks`: a class for each pixel, [batch, height, width, 1]. With channels first,
 * masks are [batch, 1, height, width].
 */
export interface ImageBatch<T = Tensor> {
  readonly images: T;
  readonly labels?: T;
  readonly segmentationMasks?: T;
}

/** The change of each part of a batch; a part that isn't listed is unchanged. */
export type ImageChanges = { readonly [part in keyof ImageBatch]?: (x: Tensor) => Tensor };

const parts: readonly (keyof ImageBatch)[] = ['images', 'labels', 'segmentationMasks'];

const hint = 'pass { images, labels, segmentationMasks }; bounding boxes are not transformed.';

/** The table of these options. Images may come without a batch. */
export const imageTable = () => ({ dataFormat: dataFormat({ axis: -3, except: ['labels'] }) });

export abstract class ImageLayer extends Layer {
  /** Transforms a batch with images [batch, height, width, channels]. */
  protected abstract changes(images: Tensor, options: CallOptions): ImageChanges;

  /** Height and width of the result. Default: those of the input. */
  protected sizeOf(height: number | null, width: number | null): readonly (number | null)[] {
    return [height, width];
  }

  override apply(inputs: SymbolicTensor, options?: ApplyOptions): KerasTensor;
  override apply(inputs: Tensor, options?: ApplyOptions): Tensor;
  override apply<B extends ImageBatch<Tensor | SymbolicTensor>>(inputs: B, options?: ApplyOptions): B;
  override apply(inputs: unknown, options?: ApplyOptions): unknown {
    return super.apply(inputs as Tensor, options);
  }

  override call(inputs: Tensor, options: CallOptions): Tensor;
  override call(inputs: ImageBatch, options: CallOptions): ImageBatch;
  override call(inputs: Tensor | ImageBatch, options: CallOptions): Tensor | ImageBatch {
    if (!isBranch(inputs)) return this.#changed({ images: inputs as Tensor }, options).images;
    return this.#changed(this.#requireBatch<Tensor>(inputs), options);
  }

  #changed(given: ImageBatch, options: CallOptions): ImageBatch {
    const single = this.#isSingle(given.images.shape);
    const batch = single ? each(given, (x) => expandDims(x, { axis: 0 })) : given;
    const changes = this.changes(batch.images, options);
    const changed = each(batch, (x, part) => changes[part]?.(x) ?? x);
    return single ? each(changed, (x) => squeeze(x, { axis: 0 })) : changed;
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape;
  override computeOutputShape(inputShape: ImageBatch<OpenShape>): ImageBatch<OpenShape>;
  override computeOutputShape(
    inputShape: OpenShape | ImageBatch<OpenShape>,
  ): OpenShape | ImageBatch<OpenShape> {
    if ('images' in inputShape)
      return each(inputShape, (shape, part) => (part === 'labels' ? shape : this.#changedShape(shape)));
    return this.#changedShape(inputShape);
  }

  #changedShape(inputShape: OpenShape): OpenShape {
    const batch = this.#isSingle(inputShape) ? [] : [inputShape[0] ?? null];
    const [height = null, width = null, channels = null] = inputShape.slice(-3);
    return [...batch, ...this.sizeOf(height, width), channels];
  }

  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (!isBranch(inputs)) return super.computeOutputSpec(inputs, options);
    const batch = this.#requireBatch<KerasTensor>(inputs);
    const shapes = this.computeOutputShape(each(batch, ({ shape }) => shape));
    const dtypeOf = (part: keyof ImageBatch, { shape, dtype }: KerasTensor) =>
      part === 'images' ? this.outputDType([{ shape, dtype }]) : this.partDType(part, dtype);
    return trace(() => ({
      ...each(
        batch,
        (x, part) => new KerasTensor({ shape: shapes[part] as OpenShape, dtype: dtypeOf(part, x) }),
      ),
    }));
  }

  /** Returns the dtype of labels and masks of the result, from that of the input. Default: the same. */
  protected partDType(_part: string, dtype: DType): DType {
    return dtype;
  }

  protected override outputDType(_inputs: readonly OpenSpec[] = []): DType {
    return 'float32';
  }

  #requireBatch<T>(inputs: unknown): ImageBatch<T> {
    checkOptions(this.name, inputs as object, parts, hint);
    if ('images' in (inputs as object)) return inputs as ImageBatch<T>;
    throw new ValueError({
      op: this.name,
      rule: 'a batch has `images`.',
      received: Object.keys(inputs as object).join(', ') || 'nothing',
      hint,
    });
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

/** Returns the batch with `change` applied to each part. */
function each<T, R>(batch: ImageBatch<T>, change: (x: T, part: keyof ImageBatch) => R): ImageBatch<R> {
  const entries = Object.entries(batch) as [keyof ImageBatch, T][];
  return Object.fromEntries(entries.map(([part, x]) => [part, change(x, part)])) as unknown as ImageBatch<R>;
}

export const asFloats = (x: Tensor): Tensor => (x.dtype === 'float32' ? x : cast(x, 'float32'));

/** Applies `change` to masks as float32, and casts the result back to the dtype of the masks. */
export function asImages(masks: Tensor, change: (x: Tensor) => Tensor): Tensor {
  const changed = change(asFloats(masks));
  return masks.dtype === 'float32' ? changed : cast(changed, masks.dtype);
}

/** Options of layers that change images at random. */
export interface RandomImageOptions extends ImageLayerOptions {
  /** An integer in [0, 2^53): it seeds the random sequence of the layer. Default null: a new seed for every call. */
  seed?: number | null;
}

/** The table of these options. */
export const randomTable = () => ({ seed: seeded(), ...imageTable() });

/**
 * A layer that changes images at random unless `training` is false: as in Keras, also where `training` isn't given.
 * `Transformation` is the type of the random parameters of a batch.
 */
export abstract class RandomImageLayer<Transformation> extends ImageLayer {
  declare readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  seeds: SeedSequence | null = sequenceOf(this);

  /** Draws a change for images [batch, height, width, channels]. As in the methods below, channels are last in either format. */
  abstract getRandomTransformation(images: Tensor): Transformation;

  /** The images, changed by `transformation`. */
  abstract transformImages(images: Tensor, transformation: Transformation): Tensor;

  /** Returns the labels, changed by `transformation`. Default: unchanged. */
  transformLabels(labels: Tensor, _transformation: Transformation): Tensor {
    return labels;
  }

  /** Returns the masks, changed by `transformation`. Default: unchanged. */
  transformSegmentationMasks(masks: Tensor, _transformation: Transformation): Tensor {
    return masks;
  }

  /** Images and masks outside of training. Default: unchanged. */
  protected unchanged(images: Tensor): Tensor {
    return images;
  }

  protected override changes(images: Tensor, { training = true }: CallOptions): ImageChanges {
    const x = asFloats(images);
    if (!training)
      return {
        images: () => this.unchanged(x),
        segmentationMasks: (y) => asImages(y, (z) => this.unchanged(z)),
      };
    const transformation = this.getRandomTransformation(x);
    return {
      images: () => this.transformImages(x, transformation),
      labels: (y) => this.transformLabels(y, transformation),
      segmentationMasks: (y) => this.transformSegmentationMasks(y, transformation),
    };
  }

  /** Uniform values between the bounds. */
  protected uniform(shape: readonly number[], [min, max]: Bounds = [0, 1]): Tensor {
    return min < max ? randomUniform(shape, { min, max, seed: this.seeds?.draw() }) : fill(shape, min);
  }

  /** Returns whether each image is changed, bool [batch, 1, 1, 1], with a probability sampled between the bounds. */
  protected chosen(images: Tensor, bounds: Bounds): Tensor {
    const probability = this.perImage(images, bounds);
    return less(this.perImage(images), probability);
  }

  /** Returns a value between the bounds for each image, [batch, 1, 1, 1]. */
  protected perImage({ shape: [batch] }: Tensor, bounds?: Bounds): Tensor {
    return this.uniform([batch as number, 1, 1, 1], bounds);
  }
}
