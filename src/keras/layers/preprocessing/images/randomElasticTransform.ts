/** @file RandomElasticTransform: shifts the pixels of images smoothly. */
import { add, div, mul } from '../../../../ops/elementwise/arithmetic.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { lessEqual } from '../../../../ops/elementwise/comparison.ts';
import { type FillMode, fillModes } from '../../../../ops/images/fillModes.ts';
import { bell, windowed } from '../../../../ops/images/gaussianBlur.ts';
import { maximum } from '../../../../ops/elementwise/maximum.ts';
import { randomNormal } from '../../../../ops/random/random.ts';
import { range } from '../../../../ops/creation/range.ts';
import { reshape } from '../../../../ops/arrangement/reshape.ts';
import { abs, floor } from '../../../../ops/elementwise/rounding.ts';
import { type Interpolation, sampleImages } from '../../../../ops/images/sampleImages.ts';
import { stack } from '../../../../ops/arrangement/stack.ts';
import { unstack } from '../../../../ops/arrangement/unstack.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asImages, RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { betweenPixels, type Bounds, type Factor, factorOf, valueRange } from './imageOptions.ts';
import { factoryOf, layer, number, oneOf } from '../../base/declare.ts';

export interface RandomElasticTransformOptions extends RandomImageOptions {
  /** The probability of a change, or the bounds between which it is sampled; a number means [0, factor]. Default 1. */
  factor?: Factor;
  /** Bounds of the strength, from 0 to 1; a number means [0, scale]. Default 1. */
  scale?: Factor;
  /** The interpolation between pixels. Default 'bilinear'. */
  interpolation?: Interpolation;
  /**
   * How pixels outside of an image are filled: with its mirror image including the edge ('reflect', default) or without it
   * ('mirror'), and others.
   */
  fillMode?: FillMode;
  /** The value of pixels outside of an image, for fillMode 'constant'. Default 0. */
  fillValue?: number;
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The random parameters of a batch. */
interface Distortion {
  /** Which images are changed, bool [batch, 1, 1, 1]. */
  applyTransform: Tensor;
  /** The strength, a scalar. */
  distortionFactor: Tensor;
  /** Normal values, [batch, height, width, 2]: how far pixels move across and down, before smoothing. */
  noise: Tensor;
}

/** The standard deviation of the smoothing, as a fraction of an image's smaller side. */
const smoothness = 0.05;

/** The length of the shifts, as a fraction of an image's larger side. */
const reach = 0.1;

export class RandomElasticTransform extends /* @__PURE__ */ layer<
  RandomElasticTransformOptions,
  RandomImageLayer<Distortion>
>(
  'RandomElasticTransform',
  () => ({
    factor: factorOf({ min: 0 }, 1),
    scale: factorOf({ min: 0 }, 1),
    interpolation: betweenPixels(),
    fillMode: oneOf(fillModes, 'reflect'),
    fillValue: number({ default: 0 }),
    valueRange: valueRange(),
    ...randomTable(),
  }),
  RandomImageLayer,
) {
  override getRandomTransformation(images: Tensor): Distortion {
    const applyTransform = this.chosen(images, this.factor);
    const distortionFactor = this.uniform([], this.scale);
    const shape = [...images.shape.slice(0, 3), 2];
    return { applyTransform, distortionFactor, noise: randomNormal(shape, { seed: this.seeds?.draw() }) };
  }

  override transformImages(images: Tensor, transformation: Distortion): Tensor {
    const [min, max] = this.valueRange;
    return clip(this.#distorted(images, transformation, this.interpolation), { min, max });
  }

  override transformSegmentationMasks(masks: Tensor, transformation: Distortion): Tensor {
    return asImages(masks, (x) => this.#distorted(x, transformation, 'nearest'));
  }

  #distorted(images: Tensor, transformation: Distortion, interpolation: Interpolation): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const { fillMode, fillValue } = this;
    const [across, down] = unstack(this.#shifts(transformation), { axis: 3 }) as [Tensor, Tensor];
    const column = reshape(range(0, width), { shape: [1, 1, width] });
    const row = reshape(range(0, height), { shape: [1, height, 1] });
    const points = stack([add(row, down), add(column, across)], { axis: -1 });
    const options = { size: [height, width], interpolation, fillMode, fillValue } as const;
    return where(transformation.applyTransform, sampleImages(images, points, null, options), images);
  }

  /** Returns how far pixels move, in pixels, [batch, height, width, 2]. */
  #shifts({ distortionFactor, noise }: Distortion): Tensor {
    const [, height, width] = noise.shape as [number, number, number];
    const side = smoothness * Math.min(height, width);
    const sigma = mul(distortionFactor, side);
    // Keras sizes its window by the sampled deviation; this one has room for the largest.
    const half = Math.floor(Math.trunc(6 * side * this.scale[1]) / 2);
    const distance = abs(range(-half, half + 1));
    const isInside = lessEqual(distance, floor(div(floor(mul(sigma, 6)), 2)));
    const weights = where(isInside, bell(2 * half + 1, maximum(sigma, 1e-12)), 0);
    const length = mul(mul(distortionFactor, reach * Math.max(height, width)), sigma);
    return mul(windowed(noise, weights, weights), length);
  }
}

/**
 * Shifts the pixels of randomly chosen images by smoothed noise; the strength is sampled for the batch. Inputs are
 * unchanged where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Source: P. Simard et al., "Best Practices for Convolutional Neural Networks Applied to Visual Document Analysis", 2003.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomElasticTransform = /* @__PURE__ */ factoryOf(RandomElasticTransform, [
  'factor',
  'scale',
  'interpolation',
  'fillMode',
  'fillValue',
  'valueRange',
  'seed',
]);
