/** @file The base of merging layers: checks of the inputs, and masks. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import { any } from '../../../ops/reductions/anyAll.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { zerosLike } from '../../../ops/creation/like.ts';
import { logicalOr } from '../../../ops/elementwise/logical.ts';
import { isSymbolic } from '../../../ops/define/recorders.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Nest } from '../../tensorNest.ts';
import { type CallOptions, Layer } from '../base/layer.ts';

export type Mask = Tensor | null;

/** A layer that takes a list of tensors. */
export abstract class Merge extends Layer<readonly Tensor[], Tensor> {
  override readonly supportsMasking: boolean = true;

  /** Takes the shapes of all inputs, in a list. Errors: ValueError, ShapeError for shapes that can't be merged. */
  override build(inputShape: readonly OpenShape[]): void {
    if (!Array.isArray(inputShape) || inputShape.length === 0 || !inputShape.every(Array.isArray))
      throw this.notAList(inputShape);
    this.requireFitting(inputShape);
  }

  /** Throws a ShapeError unless tensors of these shapes can be merged. */
  protected abstract requireFitting(shapes: readonly OpenShape[]): void;

  protected notAList(received: unknown): ValueError {
    return new ValueError({
      op: this.name,
      rule: `a ${this.className} layer is called on a list of one tensor or more.`,
      received: describe(received),
      hint: 'pass an array: layer.apply([a, b]).',
    });
  }

  /** Throws unless the inputs are a non-empty list of tensors with the same batch size. */
  protected requireList(inputs: readonly Tensor[]): void {
    if (!Array.isArray(inputs) || inputs.length === 0) throw this.notAList(inputs);
    const batches = new Set(inputs.map(({ shape }) => shape[0]).filter((size) => typeof size === 'number'));
    if (batches.size <= 1) return;
    throw new ShapeError({
      op: this.name,
      rule: 'tensors to merge must have the same batch size.',
      received: inputs.map((input) => formatSpec(input)).join(', '),
      hint: 'merge tensors of the same samples.',
    });
  }
}

/** Merges elementwise. Inputs of lower rank get axes of size 1 after the batch axis; shapes broadcast. */
export abstract class ElementwiseMerge extends Merge {
  /** Merges inputs of the same rank. `masks` is null if no input has a mask. */
  protected abstract merge(inputs: readonly Tensor[], masks: readonly Mask[] | null): Tensor;

  protected override requireFitting(shapes: readonly OpenShape[]): void {
    const rank = Math.max(...shapes.map(({ length }) => length));
    // Axes are counted from the last; the batch is the first of the raised shapes.
    const sizesOf = (axis: number) =>
      new Set(
        shapes
          .map((shape) =>
            axis === 0 ? shape[0] : axis < rank - shape.length + 1 ? 1 : shape.at(axis - rank),
          )
          .filter((size) => typeof size === 'number' && size !== 1),
      );
    if (Array.from({ length: rank }, (_, axis) => sizesOf(axis)).every(({ size }) => size <= 1)) return;
    throw new ShapeError({
      op: this.name,
      rule: 'shapes of tensors to merge have the same sizes, except where one is 1; axes of size 1 follow the batch of the shorter.',
      received: shapes.map((shape) => describe(shape)).join(' and '),
      hint: 'reshape or expandDims one of them so that the axes line up.',
    });
  }

  override call(inputs: readonly Tensor[], { mask }: CallOptions): Tensor {
    this.requireList(inputs);
    const rank = Math.max(...inputs.map((input) => input.rank));
    const raised = inputs.map((input) => raise(input, rank));
    const masks = Array.isArray(mask) ? (mask as readonly Mask[]) : null;
    return this.merge(raised, raised.some(isSymbolic) ? null : masks);
  }

  /** Returns the logical or of all masks; null if an input has no mask. */
  override computeMask(_inputs: readonly Tensor[], masks: Nest<Tensor | null>): Mask {
    const list = Array.isArray(masks) ? (masks as readonly Mask[]) : [];
    if (list.length === 0 || list.includes(null)) return null;
    return (list as readonly Tensor[]).reduce((either, mask) => logicalOr(either, mask));
  }
}

function raise(x: Tensor, rank: number): Tensor {
  let raised = x;
  while (raised.rank < rank) raised = expandDims(raised, { axis: 1 });
  return raised;
}

/** The mask of steps, broadcast to the shape of `x`, which may have open sizes: by the ops that Keras uses. */
export function maskOverValues(mask: Tensor, x: Tensor): Tensor {
  return logicalOr(expandDims(mask, { axis: -1 }), cast(zerosLike(x), { dtype: 'bool' }));
}

/** The mask of steps with at least one unmasked value. */
export function maskOfSteps(overValues: Tensor): Tensor {
  return any(overValues, { axis: -1 });
}
