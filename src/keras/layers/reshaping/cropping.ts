/** @file Cropping1D, Cropping2D, Cropping3D: sequences, images and volumes without their edges. */
import type { DType } from '../../../core/dtype.ts';
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { slice } from '../../../ops/arrangement/slice.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import { type Sides, sidesOfImage, sidesOfSequence, sidesOfVolume } from './edgeSizes.ts';
import { checked, factoryOf, type InputSpec, Layer, layer, type LayerOptions } from '../base/declare.ts';

export interface Cropping1DOptions extends LayerOptions {
  /** Steps to take away at both ends, or [before, after]. Default 1. */
  cropping?: number | readonly [number, number];
}

export interface Cropping2DOptions extends LayerOptions, DataFormatOptions {
  /** Pixels to take away: on all sides, [above and below, left and right], or [[top, bottom], [left, right]]. Default 0. */
  cropping?:
    | number
    | readonly [number, number]
    | readonly [readonly [number, number], readonly [number, number]];
}

export interface Cropping3DOptions extends LayerOptions, DataFormatOptions {
  /** Elements to take away: on all sides, on both sides of each axis, or [before, after] of each. Default 1. */
  cropping?: number | readonly [number, number, number] | readonly [Sides, Sides, Sides];
}

/** Removes elements before and after, on each axis between the first and the last. */
abstract class Cropping extends Layer {
  protected abstract get sides(): readonly (readonly [number, number])[];

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    const sides = [[0, 0], ...this.sides, [0, 0]] as [number, number][];
    return inputShape.map((size, axis) => {
      const [before, after] = sides[axis] as [number, number];
      if (size === null) return null;
      const left = size - before - after;
      if (left > 0 || before + after === 0) return left;
      throw new ShapeError({
        op: this.name,
        rule: '`cropping` leaves something of every axis.',
        received: `cropping ${describe([before, after])} of axis ${axis} of ${describe(inputShape)}`,
        hint: 'take away less, or give larger inputs.',
      });
    });
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }

  override call(x: Tensor): Tensor {
    const begin = [0, ...this.sides.map(([before]) => before), 0];
    return slice(x, { begin, size: this.computeOutputShape(x.shape) as number[] });
  }
}

export class Cropping1D extends /* @__PURE__ */ layer<Cropping1DOptions, Cropping>(
  'Cropping1D',
  () => ({
    cropping: checked(sidesOfSequence, 1),
  }),
  Cropping,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  protected override get sides() {
    return [this.cropping];
  }
}

export class Cropping2D extends /* @__PURE__ */ layer<Cropping2DOptions, Cropping>(
  'Cropping2D',
  () => ({
    cropping: checked(sidesOfImage, 0) as never,
    dataFormat: dataFormat(),
  }),
  Cropping,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  protected override get sides() {
    return this.cropping;
  }
}

export class Cropping3D extends /* @__PURE__ */ layer<Cropping3DOptions, Cropping>(
  'Cropping3D',
  () => ({
    cropping: checked(sidesOfVolume, 1) as never,
    dataFormat: dataFormat(),
  }),
  Cropping,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  protected override get sides() {
    return this.cropping;
  }
}

/**
 * A sequence without its ends, of any dtype. Shapes: [batch, steps, channels] → [batch, steps - cropping, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't sequences, or if no elements would remain.
 */
export const cropping1d = /* @__PURE__ */ factoryOf(Cropping1D, ['cropping']);

/**
 * An image without its edges, of any dtype. Shapes: [batch, height, width, channels] → [batch, height - top - bottom,
 * width - left - right, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or if no elements would remain.
 */
export const cropping2d = /* @__PURE__ */ factoryOf(Cropping2D, ['cropping']);

/**
 * A volume without its edges, of any dtype. Shapes: [batch, depth, height, width, channels] → the same, with smaller spatial
 * axes. Errors: ValueError for invalid options; ShapeError for inputs that aren't volumes, or if no elements would remain.
 */
export const cropping3d = /* @__PURE__ */ factoryOf(Cropping3D);
