/** @file RandomRotation: rotates images around their centres. */
import { add, mul, neg, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { cos, sin } from '../../../../ops/elementwise/trigonometric.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type Factor, factorOf } from './imageOptions.ts';
import { type AffineOptions, affineTable, maps, RandomAffine } from './randomAffine.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export interface RandomRotationOptions extends AffineOptions {
  /** Bounds of the angle in whole turns, from -1 to 1; positive angles are counter-clockwise. */
  factor: Factor;
}

export class RandomRotation extends /* @__PURE__ */ layer<RandomRotationOptions, RandomAffine>(
  'RandomRotation',
  () => ({ factor: factorOf({ min: -1 }), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const angle = mul(this.column(images, this.factor), 2 * Math.PI);
    const [x, y] = [(width - 1) / 2, (height - 1) / 2];
    const [c, s] = [cos(angle), sin(angle)];
    // Keeps the centre fixed.
    const across = sub(x, sub(mul(c, x), mul(s, y)));
    const down = sub(y, add(mul(s, x), mul(c, y)));
    return maps([c, neg(s), across, s, c, down], angle);
  }
}

/**
 * Rotates each image around its centre, by an angle between the bounds of `factor`, in whole turns. Inputs are unchanged
 * where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomRotation = /* @__PURE__ */ factoryOf(RandomRotation);
