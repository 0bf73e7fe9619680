/**
 * @file Whole quotients and their remainders, rounded towards -∞: x = floorDiv(x, y) · y + mod(x, y), and the remainder
 * has the divisor's sign, as in Python. Of integers divided by 0 both are 0, as in NumPy.
 */
import { mul, neg } from './arithmetic.ts';
import { type BinaryOp, defineBinary } from './elementwise.ts';
import { zerosLike } from './like.ts';

const suffixes = { float32: '', int32: '_i32', uint32: '_u32', bool: '_u32' } as const;

/**
 * ⌊x / y⌋, elementwise, exact also where x / y rounds. Shapes broadcast; dtypes promote. Division by 0 gives 0 for
 * integers, ±Infinity or NaN for floats. Gradient: 0.
 */
export const floorDiv: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'floorDiv',
  expression: (dtype) => `floor_div${suffixes[dtype]}(a, b)`,
  gradient: (dy) => [zerosLike(dy), zerosLike(dy)],
  reads: { inputs: [] },
});

/**
 * x - floorDiv(x, y) · y, elementwise, exact. Shapes broadcast; dtypes promote. Modulo 0 gives 0 for integers, NaN for
 * floats.
 */
export const mod: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'mod',
  expression: (dtype) => `floor_mod${suffixes[dtype]}(a, b)`,
  gradient: (dy, x, y, needs) => [dy, needs[1] ? neg(mul(dy, floorDiv(x, y))) : null],
});
