/** @file RandomPerspective: distorts the perspective of randomly chosen images. */
import { add, mul } from '../../../../ops/elementwise/arithmetic.ts';
import { broadcastTo } from '../../../../ops/reductions/sum.ts';
import { transformImages } from '../../../../ops/images/transformImages.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import { tensor } from '../../../../tensor/create.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { homography } from '../../../ops/homography.ts';
import { fraction } from '../../base/randomOptions.ts';
import { asImages, RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { betweenPixels, type Factor, factorOf } from './imageOptions.ts';
import { factoryOf, layer, number } from '../../base/declare.ts';

export interface RandomPerspectiveOptions extends RandomImageOptions {
  /** The probability of a change, or the bounds between which it is sampled; a number means [0, factor]. Default 1. */
  factor?: Factor;
  /** How far corners move, from 0 to 1: up to scale / 2 times their coordinates. Default 1. */
  scale?: number;
  /** The interpolation between pixels. Default 'bilinear'. */
  interpolation?: 'bilinear' | 'nearest';
  /** The value of pixels outside of an image. Default 0. */
  fillValue?: number;
}

/** The random parameters of a batch. */
interface Perspective {
  /** Which images are changed, bool [batch, 1, 1, 1]. */
  applyPerspective: Tensor;
  /** The corners (x, y) of images, [batch, 4, 2], and where they move to. */
  startPoints: Tensor;
  endPoints: Tensor;
}

export class RandomPerspective extends /* @__PURE__ */ layer<
  RandomPerspectiveOptions,
  RandomImageLayer<Perspective>
>(
  'RandomPerspective',
  () => ({
    factor: factorOf({ min: 0 }, 1),
    scale: fraction(1),
    interpolation: betweenPixels(),
    fillValue: number({ default: 0 }),
    ...randomTable(),
  }),
  RandomImageLayer,
) {
  override getRandomTransformation(images: Tensor): Perspective {
    const [batch, height, width] = images.shape as [number, number, number];
    const [right, bottom] = [width - 1, height - 1];
    const corners = [
      [
        [0, 0],
        [right, 0],
        [0, bottom],
        [right, bottom],
      ],
    ];
    const startPoints = broadcastTo(tensor(corners) as Tensor, { shape: [batch, 4, 2] });
    const moves = this.uniform([batch, 4, 2], [-this.scale / 2, this.scale / 2]);
    const endPoints = add(startPoints, mul(startPoints, moves));
    return { applyPerspective: this.chosen(images, this.factor), startPoints, endPoints };
  }

  override transformImages(images: Tensor, transformation: Perspective): Tensor {
    return this.#seen(images, transformation, this.interpolation);
  }

  override transformSegmentationMasks(masks: Tensor, transformation: Perspective): Tensor {
    return asImages(masks, (x) => this.#seen(x, transformation, 'nearest'));
  }

  #seen(images: Tensor, transformation: Perspective, interpolation: 'bilinear' | 'nearest'): Tensor {
    const transforms = homography(transformation.endPoints, transformation.startPoints);
    const seen = transformImages(images, transforms, { interpolation, fillValue: this.fillValue });
    return where(transformation.applyPerspective, seen, images);
  }
}

/**
 * Moves the corners of randomly chosen images at random. Inputs are unchanged where `training` is false. Shapes:
 * [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomPerspective = /* @__PURE__ */ factoryOf(RandomPerspective, [
  'factor',
  'scale',
  'interpolation',
  'fillValue',
  'seed',
]);
