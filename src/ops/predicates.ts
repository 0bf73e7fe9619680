/** @file Tests of single values: isNaN, isInf, isFinite. Their results are bools and carry no gradient. */
import { defineUnary, type UnaryOp } from './elementwise.ts';

/* @__NO_SIDE_EFFECTS__ */
function definePredicate(name: string, test: string): UnaryOp {
  return defineUnary({ name, expression: `u32(${test}(a))`, result: () => 'bool', gradient: null });
}

const nan: UnaryOp = /* @__PURE__ */ definePredicate('isNaN', 'is_nan');
const infinite: UnaryOp = /* @__PURE__ */ definePredicate('isInf', 'is_infinite');
const finite: UnaryOp = /* @__PURE__ */ definePredicate('isFinite', 'is_finite');

export {
  /** Whether x is NaN. Dtype: bool. */
  nan as isNaN,
  /** Whether x is Infinity or -Infinity. Dtype: bool. */
  infinite as isInf,
  /** Whether x is neither NaN nor infinite. Dtype: bool. */
  finite as isFinite,
};
