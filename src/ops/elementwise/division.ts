/**
 * @file Floor division and its remainder, as in Python: x = floorDiv(x, y) · y + mod(x, y), and the remainder has the divisor's
 * sign. For integers divided by 0, both are 0, as in NumPy. Also gcd and lcm.
 */
import * as math from '../../kernels/elementwise/math.ts';
import { mul, neg } from './arithmetic.ts';
import { type BinaryOp, defineBinary } from './elementwise.ts';
import { zerosLike } from '../creation/like.ts';
import type { DType } from '../../core/dtype.ts';

const quotients = {
  float32: math.floorDiv,
  int32: math.floorDivI32,
  uint32: math.floorDivU32,
  bool: math.floorDivU32,
};
const remainders = {
  float32: math.floorMod,
  int32: math.floorModI32,
  uint32: math.floorModU32,
  bool: math.floorModU32,
};

/**
 * ⌊x / y⌋, elementwise, exact even if x / y would round. Shapes broadcast; dtypes promote. Division by 0 gives 0 for
 * integers, ±Infinity or NaN for floats. Gradient: 0.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const floorDiv: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'floorDiv',
  expression: (dtype) => quotients[dtype]('a', 'b'),
  gradient: (dy) => [zerosLike(dy), zerosLike(dy)],
  reads: { inputs: [] },
});

/**
 * x - floorDiv(x, y) · y, elementwise, exact. Shapes broadcast; dtypes promote. Modulo 0 gives 0 for integers, NaN for
 * floats.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const mod: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'mod',
  expression: (dtype) => remainders[dtype]('a', 'b'),
  gradient: (dy, x, y, needs) => [dy, needs[1] ? neg(mul(dy, floorDiv(x, y))) : null],
  readsInputs: ([, y]) => [y, y],
});

const integers: readonly DType[] = ['int32', 'uint32'];

/**
 * The greatest common divisor, elementwise, at least 0; gcd(x, 0) is |x|. int32, uint32. Shapes broadcast; dtypes promote.
 * There is no gradient. Source: Euclid's algorithm (Knuth, The art of computer programming, 4.5.2).
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for floats, two bools, and for int32 with uint32.
 */
export const gcd: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'gcd',
  dtypes: integers,
  expression: (dtype) => (dtype === 'uint32' ? math.gcdU32 : math.gcdI32)('a', 'b'),
  gradient: null,
  reads: { inputs: [] },
});

/**
 * The least common multiple, elementwise, at least 0; lcm(x, 0) is 0. One that is too large for the dtype wraps around.
 * int32, uint32. Shapes broadcast; dtypes promote. There is no gradient.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for floats, two bools, and for int32 with uint32.
 */
export const lcm: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'lcm',
  dtypes: integers,
  expression: (dtype) => (dtype === 'uint32' ? math.lcmU32 : math.lcmI32)('a', 'b'),
  gradient: null,
  reads: { inputs: [] },
});
