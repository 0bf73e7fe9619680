/** @file Add, Subtract, Average: sums of tensors, value by value. */
import { ValueError } from '../../../core/errors.ts';
import { addN } from '../../../ops/addN.ts';
import { add as sum, mul, sub } from '../../../ops/arithmetic.ts';
import { sameShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { LayerOptions } from '../base/layer.ts';
import { ElementwiseMerge } from './baseMerge.ts';

export class Add extends ElementwiseMerge {
  static override readonly className: string = 'Add';

  protected override merge(inputs: readonly Tensor[]): Tensor {
    return total(inputs);
  }
}

export class Average extends ElementwiseMerge {
  static override readonly className: string = 'Average';

  protected override merge(inputs: readonly Tensor[]): Tensor {
    return mul(total(inputs), 1 / inputs.length);
  }
}

export class Subtract extends ElementwiseMerge {
  static override readonly className: string = 'Subtract';

  protected override merge(inputs: readonly Tensor[]): Tensor {
    if (inputs.length === 2) return sub(inputs[0] as Tensor, inputs[1] as Tensor);
    throw new ValueError({
      op: this.name,
      rule: 'a Subtract layer is called on two tensors.',
      received: `${inputs.length} tensors`,
      hint: 'pass what is subtracted from, then what is subtracted.',
    });
  }
}

/** Three and more of one shape are added in one pass. */
function total(inputs: readonly Tensor[]): Tensor {
  const [first, ...rest] = inputs as [Tensor, ...Tensor[]];
  const alike = rest.every(({ shape, dtype }) => sameShape(shape, first.shape) && dtype === first.dtype);
  if (inputs.length > 2 && alike) return addN([...inputs]);
  return rest.reduce((partial, input) => sum(partial, input), first);
}

/**
 * The sum of a list of tensors. Shapes: those of the inputs, which broadcast; inputs of lower rank get axes of size 1
 * behind the batch. Dtypes promote.
 * Errors: ValueError for what is no list; ShapeError for shapes that don't fit.
 */
export function add(options?: LayerOptions): Add {
  return new Add(options);
}

/** The mean of a list of tensors, value by value. Shapes and errors are those of `add`. */
export function average(options?: LayerOptions): Average {
  return new Average(options);
}

/** The first of two tensors less the second. Shapes and errors are those of `add`; ValueError for another number. */
export function subtract(options?: LayerOptions): Subtract {
  return new Subtract(options);
}
