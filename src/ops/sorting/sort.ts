/** @file sort, argsort: built on topK, which sorts in descending order. */
import { normalizeAxis, requireBoolean } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sub } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { flip } from '../arrangement/flip.ts';
import { moveAxis } from '../arrangement/moveAxis.ts';
import { topK } from './topK.ts';

export interface SortOptions {
  /** The axis along which elements are ordered. Negative axes count from the last. Default -1. */
  axis?: number;
  /** Whether the largest element comes first. Default false. */
  descending?: boolean;
}

const optionNames = { axis: true, descending: true } as const;

/**
 * The elements of `x` sorted along `axis`. float32, int32, uint32. Shape: that of x. NaN counts as the largest. The
 * cotangent of an element goes to its original position.
 * Errors: ShapeError for a scalar, or an axis that x lacks; DTypeError for bools.
 */
export const sort: CompositeOp<[x: Tensor], SortOptions, Tensor, ['axis', 'descending']> =
  /* @__PURE__ */ defineComposite({
    name: 'sort',
    inputs: ['x'],
    options: optionNames,
    compose: ([x], options) => ordered('sort', x, options).values,
  });

/**
 * The indices (int32) that sort `x` along `axis`: takeAlongAxis(x, argsort(x), { axis: -1 }) is sort(x). Equal
 * elements keep their order. It has no gradient.
 * Errors: as for `sort`.
 * Shape: that of x.
 */
export const argsort: CompositeOp<[x: Tensor], SortOptions, Tensor, ['axis', 'descending']> =
  /* @__PURE__ */ defineComposite({
    name: 'argsort',
    inputs: ['x'],
    options: optionNames,
    backward: null,
    compose: ([x], options) => ordered('argsort', x, options).indices,
  });

function ordered(
  op: string,
  x: Tensor,
  { axis = -1, descending = false }: SortOptions,
): { values: Tensor; indices: Tensor } {
  requireBoolean(op, 'descending', descending);
  const along = normalizeAxis(op, axis, x.shape.length);
  const n = x.shape[along] as number;
  const last = moveAxis(x, { source: along, destination: -1 });
  const back = (y: Tensor) => moveAxis(y, { source: -1, destination: along });
  if (descending) {
    const [values, indices] = topK(last, { k: n });
    return { values: back(values), indices: back(indices) };
  }
  // Among equal elements topK takes the first; the two reversals together keep that order.
  const reversed = (y: Tensor) => flip(y, { axis: -1 });
  const [values, indices] = topK(reversed(last), { k: n });
  return { values: back(reversed(values)), indices: back(sub(n - 1, reversed(indices))) };
}
