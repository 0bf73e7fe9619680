/** @file Add, Subtract, Average, Multiply, Maximum, Minimum: elementwise merges of a list of tensors. */
import { ValueError } from '../../../core/errors.ts';
import { type OpenShape, sameShape } from '../../../core/shape.ts';
import { addN } from '../../../ops/elementwise/addN.ts';
import { add as sum, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { logicalOr } from '../../../ops/elementwise/logical.ts';
import { maximum as larger, minimum as smaller } from '../../../ops/elementwise/maximum.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { ElementwiseMerge, type Mask, maskOverValues } from './baseMerge.ts';
import { factoryOf, layer, type LayerOptions } from '../base/declare.ts';

const none = () => ({});

export class Add extends /* @__PURE__ */ layer<LayerOptions, ElementwiseMerge>(
  'Add',
  none,
  ElementwiseMerge,
) {
  protected override merge(inputs: readonly Tensor[]): Tensor {
    return total(inputs);
  }
}

export class Average extends /* @__PURE__ */ layer<LayerOptions, ElementwiseMerge>(
  'Average',
  none,
  ElementwiseMerge,
) {
  protected override get roundsResults(): boolean {
    return false;
  }

  protected override merge(inputs: readonly Tensor[]): Tensor {
    return mul(total(inputs), 1 / inputs.length);
  }
}

export class Subtract extends /* @__PURE__ */ layer<LayerOptions, ElementwiseMerge>(
  'Subtract',
  none,
  ElementwiseMerge,
) {
  protected override requireFitting(shapes: readonly OpenShape[]): void {
    this.#requireTwo(shapes);
    super.requireFitting(shapes);
  }

  protected override merge(inputs: readonly Tensor[]): Tensor {
    this.#requireTwo(inputs);
    return sub(inputs[0] as Tensor, inputs[1] as Tensor);
  }

  #requireTwo({ length }: readonly unknown[]): void {
    if (length === 2) return;
    throw new ValueError({
      op: this.name,
      rule: 'a Subtract layer must be called on two tensors.',
      received: `${length} tensors`,
      hint: 'pass [a, b] to compute a - b.',
    });
  }
}

/** Three or more tensors of the same shape and dtype are added in one pass. */
function total(inputs: readonly Tensor[]): Tensor {
  const [first, ...rest] = inputs as [Tensor, ...Tensor[]];
  const alike = rest.every(({ shape, dtype }) => sameShape(shape, first.shape) && dtype === first.dtype);
  if (inputs.length > 2 && alike) return addN([...inputs]);
  return rest.reduce((partial, input) => sum(partial, input), first);
}

export class Multiply extends /* @__PURE__ */ layer<LayerOptions, ElementwiseMerge>(
  'Multiply',
  none,
  ElementwiseMerge,
) {
  /** Masked values count as 1; where every input is masked the result is 0. */
  protected override merge(inputs: readonly Tensor[], masks: readonly Mask[] | null): Tensor {
    const expanded = inputs.map((x, i) => expandedMask(x, masks?.[i]));
    const product = inputs
      .map((x, i) => {
        const mask = expanded[i];
        return mask ? where(mask, x, 1) : x;
      })
      .reduce((partial, x) => mul(partial, x));
    if (expanded.includes(null)) return product;
    const visible = (expanded as readonly Tensor[]).reduce((either, mask) => logicalOr(either, mask));
    return where(visible, product, 0);
  }
}

abstract class Extremum extends ElementwiseMerge {
  protected abstract pick(a: Tensor, b: Tensor): Tensor;

  /** Masked values are ignored: the result comes from the other inputs. */
  protected override merge(inputs: readonly Tensor[], masks: readonly Mask[] | null): Tensor {
    let result = inputs[0] as Tensor;
    let visible = expandedMask(result, masks?.[0]);
    for (let i = 1; i < inputs.length; i++) {
      let x = inputs[i] as Tensor;
      const mask = expandedMask(x, masks?.[i]);
      if (mask) x = where(mask, x, result);
      if (visible) result = where(visible, result, x);
      visible = mask && visible ? logicalOr(visible, mask) : null;
      result = this.pick(result, x);
    }
    return result;
  }
}

/** Returns the mask of `x`, expanded to its shape; null if it has none. */
function expandedMask(x: Tensor, mask: Mask | undefined): Tensor | null {
  return mask ? maskOverValues(mask, x) : null;
}

export class Maximum extends /* @__PURE__ */ layer<LayerOptions, Extremum>('Maximum', none, Extremum) {
  protected override pick(a: Tensor, b: Tensor): Tensor {
    return larger(a, b);
  }
}

export class Minimum extends /* @__PURE__ */ layer<LayerOptions, Extremum>('Minimum', none, Extremum) {
  protected override pick(a: Tensor, b: Tensor): Tensor {
    return smaller(a, b);
  }
}

/**
 * The sum of a list of tensors. Shapes: the inputs broadcast; inputs of lower rank get axes of size 1 after the batch
 * axis. Dtypes promote.
 * Errors: ValueError if the input is not a list; ShapeError for shapes that do not broadcast.
 */
export const add = /* @__PURE__ */ factoryOf(Add);

/**
 * The elementwise mean of a list of tensors. Shapes as for `add`.
 * Errors: ShapeError where the shapes don’t broadcast; ValueError for too few tensors.
 */
export const average = /* @__PURE__ */ factoryOf(Average);

/**
 * The first of two tensors minus the second. Shapes as for `add`.
 * Errors: ShapeError where the shapes don’t broadcast; ValueError for too few tensors.
 */
export const subtract = /* @__PURE__ */ factoryOf(Subtract);

/**
 * The product of a list of tensors. Shapes as for `add`. Masked values count as 1.
 * Errors: ShapeError where the shapes don’t broadcast; ValueError for too few tensors.
 */
export const multiply = /* @__PURE__ */ factoryOf(Multiply);

/**
 * The elementwise maximum of a list of tensors. Shapes as for `add`. Masked values are ignored.
 * Errors: ShapeError where the shapes don’t broadcast; ValueError for too few tensors.
 */
export const maximum = /* @__PURE__ */ factoryOf(Maximum);

/**
 * The elementwise minimum of a list of tensors. Shapes as for `add`. Masked values are ignored.
 * Errors: ShapeError where the shapes don’t broadcast; ValueError for too few tensors.
 */
export const minimum = /* @__PURE__ */ factoryOf(Minimum);
