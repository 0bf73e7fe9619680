/** @file maximum and minimum of two operands. */
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type BinaryOp, defineBinary } from './elementwise.ts';
import { type Choice, defineChoice } from './derivative.ts';

/** The gradients of both operands. */
const chooses =
  (first: Choice, second: Choice) =>
  (dy: Tensor, x: Tensor, y: Tensor, needs: readonly [boolean, boolean]): [Tensor | null, Tensor | null] => [
    needs[0] ? first(dy, x, y) : null,
    needs[1] ? second(dy, x, y) : null,
  ];

const greaterOrTied = /* @__PURE__ */ defineChoice('maximumOfFirst', 'b >= c');
const exceeded = /* @__PURE__ */ defineChoice('maximumOfSecond', '!(b >= c)');
const lessOrTied = /* @__PURE__ */ defineChoice('minimumOfFirst', 'b <= c');
const undercut = /* @__PURE__ */ defineChoice('minimumOfSecond', '!(b <= c)');

/**
 * The larger of x and y, elementwise; NaN where one of them is. Shapes broadcast; dtypes promote.
 * Gradient: to the larger; in a tie, to x.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const maximum: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'maximum',
  expression: (dtype) => (dtype === 'float32' ? math.larger('a', 'b') : 'max(a, b)'),
  gradient: /* @__PURE__ */ chooses(greaterOrTied, exceeded),
});

/**
 * The smaller of x and y, elementwise; NaN where one of them is. Shapes broadcast; dtypes promote.
 * Gradient: to the smaller; in a tie, to x.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const minimum: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'minimum',
  expression: (dtype) => (dtype === 'float32' ? math.smaller('a', 'b') : 'min(a, b)'),
  gradient: /* @__PURE__ */ chooses(lessOrTied, undercut),
});
