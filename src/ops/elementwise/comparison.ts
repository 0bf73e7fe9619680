/** @file Comparisons of two operands with broadcasting. Their results are bools and carry no gradient. */
import type { DType } from '../../core/dtype.ts';
import * as math from '../../kernels/elementwise/math.ts';
import { type ComparisonOp, defineBinary } from './elementwise.ts';

const all: readonly DType[] = ['float32', 'int32', 'uint32', 'bool'];

/**
 * Tests for NaN explicitly, since compilers may turn a < b into !(a >= b), which differs for NaN. Both tests are made: on a software
 * adapter, a branch costs more.
 */
/* @__NO_SIDE_EFFECTS__ */
function defineComparison(name: string, operator: string): ComparisonOp {
  return defineBinary({
    name,
    expression: (dtype) =>
      dtype === 'float32' ? `u32((a ${operator} b) & ${math.ordered('a', 'b')})` : `u32(a ${operator} b)`,
    dtypes: all,
    result: () => 'bool',
    gradient: null,
  });
}

/**
 * Whether x = y, elementwise. Shapes broadcast; dtypes promote. NaN equals nothing.
 * Result: bool. Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const equal: ComparisonOp = /* @__PURE__ */ defineComparison('equal', '==');

/**
 * Whether x ≠ y, elementwise. Shapes broadcast; dtypes promote. True for NaN.
 * Result: bool. Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const notEqual: ComparisonOp = /* @__PURE__ */ defineBinary({
  name: 'notEqual',
  expression: (dtype) => (dtype === 'float32' ? `u32((a != b) | !${math.ordered('a', 'b')})` : 'u32(a != b)'),
  dtypes: all,
  result: () => 'bool',
  gradient: null,
});

/**
 * Whether x > y, elementwise. Shapes broadcast; dtypes promote. False for NaN.
 * Result: bool. Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const greater: ComparisonOp = /* @__PURE__ */ defineComparison('greater', '>');

/**
 * Whether x ≥ y, elementwise. Shapes broadcast; dtypes promote. False for NaN.
 * Result: bool. Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const greaterEqual: ComparisonOp = /* @__PURE__ */ defineComparison('greaterEqual', '>=');

/**
 * Whether x < y, elementwise. Shapes broadcast; dtypes promote. False for NaN.
 * Result: bool. Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const less: ComparisonOp = /* @__PURE__ */ defineComparison('less', '<');

/**
 * Whether x ≤ y, elementwise. Shapes broadcast; dtypes promote. False for NaN.
 * Result: bool. Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const lessEqual: ComparisonOp = /* @__PURE__ */ defineComparison('lessEqual', '<=');
