/** @file gcd, lcm */
import * as math from '../../kernels/elementwise/math.ts';
import type { DType } from '../../core/dtype.ts';
import { type BinaryOp, defineBinary } from './elementwise.ts';

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
