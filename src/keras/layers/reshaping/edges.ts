/** @file Layers that crop or pad the edges of sequences, images and volumes. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { DType } from '../../../core/dtype.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { slice } from '../../../ops/arrangement/slice.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import { checked, factoryOf, type InputSpec, Layer, layer, type LayerOptions } from '../base/declare.ts';
import { pad } from '../../../ops/arrangement/pad.ts';

/** Before and after an axis. */
type Sides = readonly [number, number];

/** Numbers before and after each of two axes: from one for all, one for each axis, or [before, after] for each. */
function sidesOfImage(
  op: string,
  what: string,
  value: unknown,
): readonly [readonly [number, number], readonly [number, number]] {
  const axes = Array.isArray(value) ? value : [value, value];
  const sides = axes.map((axis) => (Array.isArray(axis) ? axis : [axis, axis]));
  if (sides.length === 2 && sides.every(isCountPair)) return sides as never;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, one for height and one for width, or [[top, bottom], [left, right]].`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, [1, 2], or [[0, 1], [0, 1]].',
  });
}

/** Numbers before and after each of three axes: from one for all, one for each axis, or [before, after] for each. */
function sidesOfVolume(op: string, what: string, value: unknown): readonly Sides[] {
  const axes: readonly unknown[] = Array.isArray(value) ? value : [value, value, value];
  const sides = axes.map((axis): unknown => (Array.isArray(axis) ? axis : [axis, axis]));
  if (sides.length === 3 && sides.every(isCountPair)) return sides;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, one for each of three axes, or [before, after] for each.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, [1, 2, 1], or [[0, 1], [0, 1], [0, 1]].',
  });
}

/** Numbers before and after a sequence: from one for both, or [before, after]. */
function sidesOfSequence(op: string, what: string, value: unknown): readonly [number, number] {
  const sides = Array.isArray(value) ? value : [value, value];
  if (isCountPair(sides)) return sides;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, or [before, after].`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, or [1, 0].',
  });
}

function isCountPair(sides: unknown): sides is readonly [number, number] {
  return (
    Array.isArray(sides) &&
    sides.length === 2 &&
    sides.every((n) => Number.isInteger(n) && (n as number) >= 0)
  );
}

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

export interface ZeroPadding1DOptions extends LayerOptions, DataFormatOptions {
  /** Steps to add at both ends, or [before, after]. Default 1. */
  padding?: number | readonly [number, number];
}

export interface ZeroPadding2DOptions extends LayerOptions, DataFormatOptions {
  /** Pixels to add: on all sides, [above and below, left and right], or [[top, bottom], [left, right]]. Default 1. */
  padding?:
    | number
    | readonly [number, number]
    | readonly [readonly [number, number], readonly [number, number]];
}

export interface ZeroPadding3DOptions extends LayerOptions, DataFormatOptions {
  /** Elements to add: on all sides, on both sides of each axis, or [before, after] of each. Default 1. */
  padding?: number | readonly [number, number, number] | readonly [Sides, Sides, Sides];
}

export class ZeroPadding1D extends /* @__PURE__ */ layer<ZeroPadding1DOptions>('ZeroPadding1D', () => ({
  padding: checked(sidesOfSequence, 1),
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], this.padding, [0, 0]] });
  }
}

export class ZeroPadding2D extends /* @__PURE__ */ layer<ZeroPadding2DOptions>('ZeroPadding2D', () => ({
  padding: checked(sidesOfImage, 1) as never,
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], ...this.padding, [0, 0]] });
  }
}

export class ZeroPadding3D extends /* @__PURE__ */ layer<ZeroPadding3DOptions>('ZeroPadding3D', () => ({
  padding: checked(sidesOfVolume, 1) as never,
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], ...this.padding, [0, 0]] });
  }
}

/**
 * Zeros at the ends of a sequence, of any dtype. Shapes: [batch, steps, channels] → [batch, steps + padding, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const zeroPadding1d = /* @__PURE__ */ factoryOf(ZeroPadding1D, ['padding']);

/**
 * Zeros around an image, of any dtype. Shapes: [batch, height, width, channels] → [batch, top + height + bottom, left +
 * width + right, channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const zeroPadding2d = /* @__PURE__ */ factoryOf(ZeroPadding2D, ['padding']);

/**
 * Zeros around a volume, of any dtype. Shapes: [batch, depth, height, width, channels] → the same, with larger spatial axes.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const zeroPadding3d = /* @__PURE__ */ factoryOf(ZeroPadding3D);
