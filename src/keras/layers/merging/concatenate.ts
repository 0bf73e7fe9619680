/** @file Concatenate: joins tensors along an axis. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, normalizeAxis, type OpenShape } from '../../../core/shape.ts';
import { concat } from '../../../ops/arrangement/concat.ts';
import { onesLike } from '../../../ops/creation/like.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Nest } from '../../tensorNest.ts';
import { type Mask, maskOfSteps, maskOverValues, Merge } from './baseMerge.ts';
import { checked, factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface ConcatenateOptions extends LayerOptions {
  /** The axis along which the inputs follow one another. Default -1. */
  axis?: number;
}

export class Concatenate extends /* @__PURE__ */ layer<ConcatenateOptions, Merge>(
  'Concatenate',
  () => ({ axis: checked(axisOf, -1) }),
  Merge,
) {
  protected override requireFitting(shapes: readonly OpenShape[]): void {
    const [first] = shapes as [OpenShape];
    const along = normalizeAxis(this.name, this.axis, first.length);
    const fits = (shape: OpenShape) =>
      shape.length === first.length &&
      shape.every((n, axis) => axis === along || n === first[axis] || n === null || first[axis] === null);
    if (shapes.every(fits)) return;
    throw new ShapeError({
      op: this.name,
      rule: `tensors to concatenate have the same shape, but for axis ${along}.`,
      received: shapes.map((shape) => describe(shape)).join(' and '),
      hint: 'reshape, pad or slice them to one shape.',
    });
  }

  override call(inputs: readonly Tensor[]): Tensor {
    if (this.axis !== 0) this.requireList(inputs);
    return concat([...inputs], { axis: this.axis });
  }

  /** An input without a mask counts as unmasked. A step is unmasked if any of its values is. */
  override computeMask(inputs: readonly Tensor[], masks: Nest<Tensor | null>): Mask {
    const list = Array.isArray(masks) ? (masks as readonly Mask[]) : [];
    if (list.every((mask) => mask === null)) return null;
    const over = inputs.map((input, i) => {
      const mask = list[i] ?? null;
      if (!mask) return cast(onesLike(input), 'bool');
      return mask.shape.length < input.shape.length ? maskOverValues(mask, input) : mask;
    });
    return maskOfSteps(concat(over, { axis: this.axis }));
  }
}

function axisOf(op: string, what: string, axis: unknown): void {
  if (Number.isInteger(axis)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer.`,
    received: `${what}: ${describe(axis)}`,
    hint: 'pass -1 for the channels.',
  });
}

/**
 * Joins a list of tensors along `axis`. Shapes: the inputs agree in all axes but `axis`, whose sizes add up. All have the
 * same dtype.
 * Errors: ValueError for anything but a list; ShapeError, DTypeError for inputs that don't fit.
 */
export const concatenate = /* @__PURE__ */ factoryOf(Concatenate, ['axis']);
