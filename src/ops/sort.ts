/** @file sort, argsort: on topK, which orders from the largest element down. */
import { normalizeAxis, requireBoolean } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sub } from './arithmetic.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { flip } from './flip.ts';
import { moveAxis } from './moveAxis.ts';
import { topK } from './topK.ts';

/** Options of `sort`. */
export interface SortOptions {
  /** The axis along which elements are ordered. Negative axes count from the last. Default -1. */
  axis?: number;
  /** From the largest element down. Default false. */
  descending?: boolean;
}

const optionNames = { axis: true, descending: true } as const;

/**
 * The elements of `x` in order along `axis`. float32, int32, uint32. Shape: that of x. NaN counts as the largest. The
 * cotangent of an element goes to where it came from.
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
 * The indices (int32) that put `x` in order along `axis`: takeAlongAxis(x, argsort(x), { axis: -1 }) is sort(x). Equal
 * elements keep their order. It has no gradient.
 * Errors: as of `sort`.
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
  // Of equal elements topK takes the first; both reversals together keep that order.
  const reversed = (y: Tensor) => flip(y, { axis: -1 });
  const [values, indices] = topK(reversed(last), { k: n });
  return { values: back(reversed(values)), indices: back(sub(n - 1, reversed(indices))) };
}
