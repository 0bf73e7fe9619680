/** @file Dot: products of the samples of two tensors, summed over an axis of each. */
import { type DType, isFloating } from '../../../core/dtype.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, normalizeAxis, type OpenShape, sizeOf } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Merge } from './baseMerge.ts';
import { unitLength } from '../normalization/unitNormalization.ts';
import { checked, factoryOf, flag, layer, type LayerOptions } from '../base/declare.ts';

export interface DotOptions extends LayerOptions {
  /** The axis of both tensors that is summed over, or one for each; not the batch. */
  axes: number | readonly [number, number];
  /** Whether vectors along the axes are scaled to length 1 first: the result is their cosine. Default false. */
  normalize?: boolean;
}

export class Dot extends /* @__PURE__ */ layer<DotOptions, Merge>(
  'Dot',
  () => ({ axes: checked(axesOf), normalize: flag(false) }),
  Merge,
) {
  protected override requireFitting(shapes: readonly OpenShape[]): void {
    this.#plan(shapes);
  }

  override computeOutputShape(inputShape: readonly OpenShape[]): OpenShape {
    const { a, b, rest } = this.#plan(inputShape);
    const shape = [a[0] ?? b[0] ?? null, ...rest.flat()];
    return shape.length === 1 ? [...shape, 1] : shape;
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    const { dtype } = input as OpenSpec;
    return this.normalize && !isFloating(dtype) ? this.dtype : dtype;
  }

  override call(inputs: readonly Tensor[]): Tensor {
    this.requireList(inputs);
    const { axes, rest } = this.#plan(inputs.map(({ shape }) => shape));
    const [a, b] = inputs.map((x, i) => this.#rowsOf(x, axes[i] as number)) as [Tensor, Tensor];
    const sizes = rest.flat() as number[];
    const shape = [(inputs[0] as Tensor).shape[0] as number, ...sizes, ...(sizes.length === 0 ? [1] : [])];
    return reshape(matMul(a, b, { transposeB: true }), { shape });
  }

  /** x as [batch, all other axes, the axis that is summed over]. */
  #rowsOf(x: Tensor, axis: number): Tensor {
    const others = x.shape.map((_, i) => i).filter((i) => i !== 0 && i !== axis);
    const last = axis === x.shape.length - 1 ? x : transpose(x, { perm: [0, ...others, axis] });
    const shape = [x.shape[0], sizeOf(others.map((i) => x.shape[i] as number)), x.shape[axis]];
    const rows = reshape(last, { shape: shape as number[] });
    return this.normalize ? unitLength(rows, -1) : rows;
  }

  /** Returns the shapes, the axes counted from the front, and the remaining sizes of each. */
  #plan(shapes: readonly OpenShape[]) {
    if (shapes.length !== 2 || !shapes.every(Array.isArray)) {
      throw new ValueError({
        op: this.name,
        rule: 'a Dot layer is called on a list of two tensors.',
        received: describe(shapes),
        hint: 'pass an array: layer.apply([a, b]).',
      });
    }
    const [a, b] = shapes as unknown as readonly [OpenShape, OpenShape];
    const given = Array.isArray(this.axes) ? this.axes : [this.axes, this.axes];
    const axes = [a, b].map((shape, i) => normalizeAxis(this.name, given[i], shape.length, 'axes'));
    const [sizeA, sizeB] = [a[axes[0] as number], b[axes[1] as number]];
    if (axes.includes(0) || (sizeA !== sizeB && sizeA !== null && sizeB !== null)) {
      throw new ShapeError({
        op: this.name,
        rule: 'the axes that are summed over have the same size, and are not the batch.',
        received: `axes ${describe(axes)} of ${describe(a)} and ${describe(b)}`,
        hint: 'name axes of the same size; the batch is axis 0.',
      });
    }
    const rest = [a, b].map((shape, i) => shape.filter((_, axis) => axis !== 0 && axis !== axes[i]));
    return { a, b, axes, rest };
  }

  override computeMask(): null {
    return null;
  }
}

function axesOf(op: string, what: string, axes: unknown): void {
  const list: readonly unknown[] = Array.isArray(axes) ? axes : [axes, axes];
  if (list.length === 2 && list.every((axis) => Number.isInteger(axis))) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, or a pair of them.`,
    received: `${what}: ${describe(axes)}`,
    hint: 'pass -1, or [2, 1].',
  });
}

/**
 * Products of the samples of two tensors, summed over an axis of each. Shapes: [batch, …a] and [batch, …b] → [batch, …a
 * without its axis, …b without its axis], or [batch, 1] where no axes remain. float32.
 * Errors: ValueError for bad options and anything but a pair; ShapeError for axes that don't fit.
 */
export const dot = /* @__PURE__ */ factoryOf(Dot, ['axes', 'normalize']);
