/** @file rgbToGrayscale, rgbToHsv, hsvToRgb */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { coloursKernel } from '../../kernels/images/colours.ts';
import { add, div, mul, sub } from '../elementwise/arithmetic.ts';
import { clip } from '../elementwise/clip.ts';
import { equal, greater, less } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { maximum, minimum } from '../elementwise/maximum.ts';
import { activeRecorders, isAbstract } from '../define/recorders.ts';
import { abs } from '../elementwise/rounding.ts';
import { stack } from '../arrangement/stack.ts';
import { unstack } from '../arrangement/unstack.ts';
import { sum } from '../reductions/sum.ts';
import { where } from '../elementwise/where.ts';

type Channels = [Tensor, Tensor, Tensor];

/**
 * Returns a conversion in one launch. It has no gradient: where one may be asked for, the formula is computed op by op (`needsOps`).
 */
/* @__NO_SIDE_EFFECTS__ */
function defineConversion(name: 'rgbToHsv' | 'hsvToRgb', from: 'rgb' | 'hsv'): Op<[images: Tensor]> {
  return defineOp({
    name,
    inputs: ['images'],
    options: {},
    infer: ([{ shape, dtype }]) => ({ shape, dtype }),
    forward: ([images], _, { op }) => coloursKernel(op, from, images),
    backward: null,
    cost: perResult,
  });
}

const hsvOf = /* @__PURE__ */ defineConversion('rgbToHsv', 'rgb');
const rgbOf = /* @__PURE__ */ defineConversion('hsvToRgb', 'hsv');

/** Whether a conversion must be composed of ops: a recorder is active, or `images` are abstract. */
const needsOps = (images: Tensor) => activeRecorders().length > 0 || isAbstract(images);

/** Weights of red, green and blue (CCIR 601, as Keras rounds them). */
const luma = /* @__PURE__ */ Float32Array.of(0.2989, 0.587, 0.114);

/**
 * The luma of colours, 0.2989 red + 0.587 green + 0.114 blue. float32. Shapes: images [..., 3] → [..., 1].
 * Errors: ShapeError unless the last axis has three channels; DTypeError.
 */
export const rgbToGrayscale: CompositeOp<[images: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'rgbToGrayscale',
  acceptsFloat16: false,
  inputs: ['images'],
  options: {},
  compose: ([images]) => {
    requireColours('rgbToGrayscale', images);
    return sum(mul(images, luma), { axis: -1, keepDims: true });
  },
});

/**
 * Red, green and blue in [0, 1] as hue, saturation and value in [0, 1]. float32. Shapes: images [..., 3] → the same. Greys
 * have hue 0.
 * Source: A. R. Smith, "Color gamut transform pairs", 1978.
 * Errors: as for `rgbToGrayscale`.
 */
export const rgbToHsv: CompositeOp<[images: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'rgbToHsv',
  acceptsFloat16: false,
  inputs: ['images'],
  options: {},
  compose: ([images]) => {
    requireColours('rgbToHsv', images);
    if (!needsOps(images)) return hsvOf(images);
    const [red, green, blue] = unstack(images, { axis: -1 }) as Channels;
    const value = maximum(maximum(red, green), blue);
    const range = sub(value, minimum(minimum(red, green), blue));
    const isColour = greater(range, 0);
    const isLit = greater(value, 0);
    // For greys and black, a divisor of 1 keeps gradients finite.
    const saturation = div(where(isLit, range, 0), where(isLit, value, 1));
    const sixth = div(1 / 6, where(isColour, range, 1));
    const from = (a: Tensor, b: Tensor, first: number) => add(mul(sub(a, b), sixth), first);
    const ofOthers = where(equal(green, value), from(blue, red, 2 / 6), from(red, green, 4 / 6));
    const shifted = where(equal(red, value), from(green, blue, 0), ofOthers);
    const hue = where(less(shifted, 0), add(shifted, 1), shifted);
    return stack([where(isColour, hue, 0), saturation, value], { axis: -1 });
  },
});

/**
 * Hue, saturation and value in [0, 1] as red, green and blue in [0, 1]: the inverse of `rgbToHsv`. float32. Shapes: images
 * [..., 3] → the same.
 * Errors: as for `rgbToGrayscale`.
 */
export const hsvToRgb: CompositeOp<[images: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'hsvToRgb',
  acceptsFloat16: false,
  inputs: ['images'],
  options: {},
  compose: ([images]) => {
    requireColours('hsvToRgb', images);
    if (!needsOps(images)) return rgbOf(images);
    const [hue, saturation, value] = unstack(images, { axis: -1 }) as Channels;
    const sixths = mul(hue, 6);
    const within = (x: Tensor) => clip(x, { min: 0, max: 1 });
    const pure = [
      within(sub(abs(sub(sixths, 3)), 1)),
      within(sub(2, abs(sub(sixths, 2)))),
      within(sub(2, abs(sub(sixths, 4)))),
    ];
    const mixed = pure.map((part) => mul(add(mul(sub(part, 1), saturation), 1), value));
    return stack(mixed, { axis: -1 });
  },
});

function requireColours(op: string, { shape, dtype }: Tensor): void {
  requireDType(op, 'images', dtype, ['float32']);
  if (shape.at(-1) === 3) return;
  throw new ShapeError({
    op,
    rule: 'the last axis of `images` must hold three channels.',
    received: `images ${formatShape(shape)}`,
    hint: 'slice off an alpha channel first.',
  });
}
