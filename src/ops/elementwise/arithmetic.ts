/** @file Arithmetic with broadcasting: add, sub, mul, div, neg, squaredDifference. */
import { readsOther } from '../define/definition.ts';
import { type BinaryOp, defineBinary, defineUnary, type FloatBinaryOp, type UnaryOp } from './elementwise.ts';

/**
 * x + y, elementwise. Shapes broadcast; dtypes promote, and integers wrap around.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const add: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'add',
  expression: 'a + b',
  gradient: (dy) => [dy, dy],
  reads: { inputs: [] },
});

/**
 * x - y, elementwise. Shapes broadcast; dtypes promote, and integers wrap around.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const sub: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'sub',
  expression: 'a - b',
  gradient: (dy, _x, _y, needs) => [dy, needs[1] ? neg(dy) : null],
  reads: { inputs: [] },
});

/**
 * x · y, elementwise. Shapes broadcast; dtypes promote, and integers wrap around.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const mul: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'mul',
  expression: 'a * b',
  gradient: (dy, x, y, needs) => [needs[0] ? mul(dy, y) : null, needs[1] ? mul(dy, x) : null],
  readsInputs: readsOther,
});

/**
 * x / y, elementwise, as float32: integers are converted first. Shapes broadcast. For integer division, see `floorDiv`.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for int32 with uint32.
 */
export const div: FloatBinaryOp = /* @__PURE__ */ defineBinary({
  name: 'div',
  expression: 'a / b',
  computes: () => 'float32',
  gradient: (dy, _x, y, needs, out) => [
    needs[0] ? div(dy, y) : null,
    needs[1] ? neg(div(mul(dy, out), y)) : null,
  ],
  reads: { inputs: [1], outputs: [0] },
  readsOutputs: ([, y]) => [y],
});

/**
 * -x. Dtypes: float32, int32.
 * Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const neg: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'neg',
  expression: '-a',
  dtypes: ['float32', 'int32'],
  gradient: (dy) => neg(dy),
  reads: 'neither',
});

/**
 * (x - y)², elementwise. Shapes broadcast; dtypes promote, and integers wrap around.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const squaredDifference: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'squaredDifference',
  expression: '(a - b) * (a - b)',
  gradient: (dy, x, y, needs) => {
    const dx = mul(mul(dy, 2), sub(x, y));
    return [dx, needs[1] ? neg(dx) : null];
  },
});
