/** @file toCategorical: classes as one-hot rows. */
import { ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf } from '../../core/options.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { type HostArray, tensor } from '../../tensor/create.ts';
import type { NestedArray, Tensor } from '../../tensor/tensor.ts';
import { type Numbers, numbersOf } from '../../core/nestedNumbers.ts';

export interface ToCategoricalOptions {
  /** Number of classes, the size of the last axis. Default: the largest class plus one. */
  numClasses?: number | null;
}

const optionNames: OptionNames<ToCategoricalOptions> = { numClasses: true };

/**
 * Classes, integers from 0, as one-hot rows for a categorical loss. Shapes: [..samples] or [..samples, 1] → [..samples,
 * numClasses], float32.
 *
 *     const y = toCategorical([0, 2, 1]);   // [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
 *
 * For tensors, use `oneHot`. Errors: ValueError for anything but classes, and for a class not below `numClasses`.
 */
export function toCategorical(
  classes: NestedArray | HostArray,
  options?: ToCategoricalOptions,
): Tensor<'float32'>;
export function toCategorical(classes: unknown, ...args: unknown[]): Tensor<'float32'> {
  const op = 'toCategorical';
  const options: ToCategoricalOptions = optionsOf(op, args, optionNames, ['classes']);
  const { shape, values } = classesOf(op, classes);
  const largest = values.reduce((a, b) => Math.max(a, b), -1);
  const numClasses = options.numClasses ?? largest + 1;
  requireInteger(op, 'numClasses', numClasses, Math.max(1, largest + 1));
  const rows = new Float32Array(values.length * numClasses);
  values.forEach((index, i) => {
    rows[i * numClasses + index] = 1;
  });
  // A last axis of size 1 is dropped, as in Keras.
  const samples = shape.length > 1 && shape.at(-1) === 1 ? shape.slice(0, -1) : shape;
  return tensor(rows, { shape: [...samples, numClasses] }) as Tensor<'float32'>;
}

function classesOf(op: string, classes: unknown): Numbers {
  const found = numbersOf(classes);
  if (found && found.shape.length > 0 && found.values.every((n) => Number.isInteger(n) && n >= 0))
    return found;
  throw new ValueError({
    op,
    rule: 'classes are integers from 0, in a list or in nested lists of equal lengths.',
    received: describe(classes),
    hint: 'pass [0, 2, 1]; for a tensor, oneHot(x, { depth }).',
  });
}
