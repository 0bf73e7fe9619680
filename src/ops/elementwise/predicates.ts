/** @file Elementwise predicates: isNaN, isInf, isFinite. Their results are bools, without gradients. */
import * as math from '../../kernels/elementwise/math.ts';
import { defineUnary, type PredicateOp } from './elementwise.ts';

/* @__NO_SIDE_EFFECTS__ */
function definePredicate(name: string, test: math.MathFunction): PredicateOp {
  return defineUnary({ name, expression: () => `u32(${test('a')})`, result: () => 'bool', gradient: null });
}

/**
 * Whether x is NaN. Dtype: bool.
 * Shape: that of x, which is float32. Errors: DTypeError for other dtypes.
 */
const nan: PredicateOp = /* @__PURE__ */ definePredicate('isNaN', math.isNan);
/**
 * Whether x is Infinity or -Infinity. Dtype: bool.
 * Shape: that of x, which is float32. Errors: DTypeError for other dtypes.
 */
const infinite: PredicateOp = /* @__PURE__ */ definePredicate('isInf', math.isInfinite);
/**
 * Whether x is neither NaN nor infinite. Dtype: bool.
 * Shape: that of x, which is float32. Errors: DTypeError for other dtypes.
 */
const finite: PredicateOp = /* @__PURE__ */ definePredicate('isFinite', math.finite);

// Renamed, since two of the names are also globals.
export { finite as isFinite, infinite as isInf, nan as isNaN };
