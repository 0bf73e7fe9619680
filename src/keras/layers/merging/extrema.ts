/** @file Maximum, Minimum: the largest and the smallest of tensors, value by value. */
import { maximum as larger, minimum as smaller } from '../../../ops/maximum.ts';
import { logicalOr } from '../../../ops/logical.ts';
import { where } from '../../../ops/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { LayerOptions } from '../base/layer.ts';
import { ElementwiseMerge, type Mask, maskOverValues } from './baseMerge.ts';

abstract class Extremum extends ElementwiseMerge {
  protected abstract pick(a: Tensor, b: Tensor): Tensor;

  /** What a mask hides counts as what the other inputs have in its place. */
  protected override merge(inputs: readonly Tensor[], masks: readonly Mask[] | null): Tensor {
    const maskAt = (i: number) => {
      const mask = masks?.[i] ?? null;
      return mask && maskOverValues(mask, inputs[i] as Tensor);
    };
    let result = inputs[0] as Tensor;
    let shown = maskAt(0);
    for (let i = 1; i < inputs.length; i++) {
      const mask = maskAt(i);
      let x = inputs[i] as Tensor;
      if (mask) x = where(mask, x, result);
      if (shown) result = where(shown, result, x);
      shown = mask && shown ? logicalOr(shown, mask) : null;
      result = this.pick(result, x);
    }
    return result;
  }
}

export class Maximum extends Extremum {
  static override readonly className: string = 'Maximum';

  protected override pick(a: Tensor, b: Tensor): Tensor {
    return larger(a, b);
  }
}

export class Minimum extends Extremum {
  static override readonly className: string = 'Minimum';

  protected override pick(a: Tensor, b: Tensor): Tensor {
    return smaller(a, b);
  }
}

/**
 * The largest of a list of tensors, value by value. Shapes: those of the inputs, which broadcast; inputs of lower rank
 * get axes of size 1 behind the batch. Dtypes promote. What the mask of an input hides doesn't count.
 * Errors: ValueError for what is no list; ShapeError for shapes that don't fit.
 */
export function maximum(options?: LayerOptions): Maximum {
  return new Maximum(options);
}

/** The smallest of a list of tensors, value by value. As `maximum` otherwise. */
export function minimum(options?: LayerOptions): Minimum {
  return new Minimum(options);
}
