/** @file Multiply: the product of tensors, value by value. */
import { mul } from '../../../ops/arithmetic.ts';
import { logicalOr } from '../../../ops/logical.ts';
import { where } from '../../../ops/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { LayerOptions } from '../base/layer.ts';
import { ElementwiseMerge, type Mask, maskOverValues } from './baseMerge.ts';

export class Multiply extends ElementwiseMerge {
  static override readonly className: string = 'Multiply';

  /** What a mask hides counts as 1; what all masks hide is 0. */
  protected override merge(inputs: readonly Tensor[], masks: readonly Mask[] | null): Tensor {
    const over = inputs.map((x, i) => {
      const mask = masks?.[i] ?? null;
      return mask && maskOverValues(mask, x);
    });
    const product = inputs
      .map((x, i) => {
        const mask = over[i];
        return mask ? where(mask, x, 1) : x;
      })
      .reduce((partial, x) => mul(partial, x));
    if (over.includes(null)) return product;
    const shown = (over as readonly Tensor[]).reduce((either, mask) => logicalOr(either, mask));
    return where(shown, product, 0);
  }
}

/**
 * The product of a list of tensors. Shapes: those of the inputs, which broadcast; inputs of lower rank get axes of size 1
 * behind the batch. Dtypes promote. What the mask of an input hides counts as 1.
 * Errors: ValueError for what is no list; ShapeError for shapes that don't fit.
 */
export function multiply(options?: LayerOptions): Multiply {
  return new Multiply(options);
}
