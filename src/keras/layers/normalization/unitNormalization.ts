/** @file UnitNormalization: scales vectors to length 1. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { mul } from '../../../ops/elementwise/arithmetic.ts';
import { maximum } from '../../../ops/elementwise/maximum.ts';
import { sum } from '../../../ops/reductions/sum.ts';
import { rsqrt, square } from '../../../ops/elementwise/unary.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Option } from '../../options/option.ts';
import { checked, factoryOf, layer, type LayerOptions } from '../base/declare.ts';

export interface UnitNormalizationOptions extends LayerOptions {
  /** The axis, or the axes, along which a vector runs. Default -1. */
  axis?: number | readonly number[];
}

/** Lower bound of the squared length. */
const smallestSquare = 1e-24;

/** `x` with vectors along `axis` scaled to length 1; zero vectors stay zero. */
export function unitLength(x: Tensor, axis: number | readonly number[]): Tensor {
  const squares = sum(square(x), { axis, keepDims: true });
  return mul(x, rsqrt(maximum(squares, smallestSquare)));
}

export class UnitNormalization extends /* @__PURE__ */ layer<UnitNormalizationOptions>(
  'UnitNormalization',
  () => ({ axis: checked(axisOrAxes, -1) }),
) {
  override readonly supportsMasking: boolean = true;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override call(x: Tensor): Tensor {
    return unitLength(x, this.axis);
  }
}

/** One or more axes, as a list. */
export const axes = (fallback: number): Option<readonly number[]> =>
  checked((op, what, given: unknown) => [axisOrAxes(op, what, given)].flat(), fallback);

/** Throws unless `axis` is an integer, or a list of one or more. */
export function axisOrAxes(op: string, _what: string, axis: unknown): number | readonly number[] {
  const list: readonly unknown[] = Array.isArray(axis) ? axis : [axis];
  if (list.length > 0 && list.every((one) => Number.isInteger(one))) return axis as number | number[];
  throw new ValueError({
    op,
    rule: '`axis` is an integer, or a list of them.',
    received: `axis: ${describe(axis)}`,
    hint: 'pass -1, or [1, 2].',
  });
}

/**
 * Vectors along `axis` scaled to length 1; zero vectors stay zero. Shapes: that of the input. float32.
 * Errors: ValueError for an invalid axis; ShapeError for one that the input lacks.
 */
export const unitNormalization = /* @__PURE__ */ factoryOf(UnitNormalization, ['axis']);
