/** @file maximum and minimum of two operands. */
import { type DType, promote } from '../core/dtype.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type BinaryOp, converted, defineBinary } from './elementwise.ts';
import { defineChoice, type Choice } from './slope.ts';

/** What the operand chosen, or the other, passes on. */
/* @__NO_SIDE_EFFECTS__ */
function chooses(name: string, first: Choice, second: Choice) {
  return (dy: Tensor, x: Tensor, y: Tensor, needs: readonly boolean[]) => {
    const dtype: DType = promote(name, x.dtype, y.dtype);
    const pass = (choice: Choice) => choice(dy, converted(x, dtype), converted(y, dtype));
    return [needs[0] ? pass(first) : null, needs[1] ? pass(second) : null];
  };
}

const greaterOrTied = /* @__PURE__ */ defineChoice('maximumOfFirst', 'b >= c');
const exceeded = /* @__PURE__ */ defineChoice('maximumOfSecond', '!(b >= c)');
const lessOrTied = /* @__PURE__ */ defineChoice('minimumOfFirst', 'b <= c');
const undercut = /* @__PURE__ */ defineChoice('minimumOfSecond', '!(b <= c)');

/**
 * The larger of x and y, elementwise; NaN where one of them is. Shapes broadcast; dtypes promote.
 * Gradient: to the larger; at a tie to x.
 */
export const maximum: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'maximum',
  expression: (dtype) => (dtype === 'float32' ? 'larger(a, b)' : 'max(a, b)'),
  gradient: /* @__PURE__ */ chooses('maximum', greaterOrTied, exceeded),
});

/**
 * The smaller of x and y, elementwise; NaN where one of them is. Shapes broadcast; dtypes promote.
 * Gradient: to the smaller; at a tie to x.
 */
export const minimum: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'minimum',
  expression: (dtype) => (dtype === 'float32' ? 'smaller(a, b)' : 'min(a, b)'),
  gradient: /* @__PURE__ */ chooses('minimum', lessOrTied, undercut),
});
