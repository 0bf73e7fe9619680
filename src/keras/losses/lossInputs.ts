/** @file Converts the arguments of a loss to tensors of matching ranks. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { OpenSpec } from '../../core/spec.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { isSymbolic, type SymbolicTensor } from '../../ops/define/recorders.ts';
import { toLabels } from '../../ops/indexing/toIndices.ts';
import { tensor } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Tensors, host values or symbolic tensors. */
export type LossInput = TensorLike | SymbolicTensor;

/**
 * `value` as a tensor of `dtype`. int32 is for labels: in a tensor, NaN and fractions become a
 * label that is not a class; host values are checked here. Symbolic tensors stay
 * symbolic, with the type that ops take and return.
 */
export function toTensor(op: string, what: string, value: unknown, dtype: DType = 'float32'): Tensor {
  if (value instanceof Tensor || isSymbolic(value)) {
    const found = value as Tensor;
    if (found.dtype === dtype) return found;
    return dtype === 'int32' && value instanceof Tensor ? toLabels(value) : cast(found, dtype);
  }
  if (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    Array.isArray(value) ||
    ArrayBuffer.isView(value)
  ) {
    // Must be first, because it rejects endless lists.
    const made = tensor(value as Float32Array, { dtype });
    if (dtype === 'int32') requireWhole(op, what, value, made);
    return made;
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` must be a tensor, a number or nested arrays.`,
    received: describe(value),
    hint: 'call a loss on targets and predictions: loss.call(yTrue, yPred).',
  });
}

/** Errors: ValueError for a fraction among labels on the host: truncated, it would look like a class. */
function requireWhole(op: string, what: string, values: unknown, made: Tensor): void {
  const fraction = fractionIn(values);
  if (fraction === undefined) return;
  made.dispose();
  throw new ValueError({
    op,
    rule: 'labels of classes are integers.',
    received: `${what}: ${describe(fraction)}`,
    hint: 'round them first; for probabilities of classes use categoricalCrossentropy.',
  });
}

function fractionIn(values: unknown): number | undefined {
  if (typeof values === 'number') return Number.isFinite(values) && values % 1 !== 0 ? values : undefined;
  if (Array.isArray(values)) {
    for (const value of values) {
      const fraction = fractionIn(value);
      if (fraction !== undefined) return fraction;
    }
    return undefined;
  }
  const isFloats = values instanceof Float32Array || values instanceof Float64Array;
  return isFloats ? (values as Float64Array).find((value) => fractionIn(value) !== undefined) : undefined;
}

/**
 * Matches two tensors whose ranks differ by one if the last axis of the longer one has size 1. As in Keras, a vector gets
 * such an axis; otherwise the axis is removed from the longer tensor.
 */
export function sameRank(a: Tensor, b: Tensor): [Tensor, Tensor] {
  if (a.shape.length === b.shape.length + 1) return matched(a, b);
  if (b.shape.length === a.shape.length + 1) return matched(b, a).reverse() as [Tensor, Tensor];
  return [a, b];
}

function matched(long: Tensor, short: Tensor): [Tensor, Tensor] {
  if (long.shape.at(-1) !== 1) return [long, short];
  if (short.shape.length === 1) return [long, expandDims(short, { axis: -1 })];
  return [squeeze(long, { axis: -1 }), short];
}

/** Whether `x` is known to have no elements. */
export function isEmpty({ shape }: OpenSpec): boolean {
  return shape.includes(0);
}
