/** @file Bitwise operations on integers: and, or, xor, not and shifts, with broadcasting. None has a gradient. */
import type { DType } from '../../core/dtype.ts';
import { type BinaryOp, defineBinary, defineUnary, type UnaryOp } from './elementwise.ts';

const integers: readonly DType[] = ['int32', 'uint32'];

/* @__NO_SIDE_EFFECTS__ */
function defineBits(name: string, expression: string | ((dtype: string) => string)): BinaryOp {
  return defineBinary({ name, expression, dtypes: integers, gradient: null });
}

/** WGSL shifts by the low five bits of the distance; NumPy by all of it: from 32 on, only copies of the sign remain. */
const isFar = 'u32(b) > 31u';

/**
 * Bitwise AND, elementwise. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const bitwiseAnd: BinaryOp = /* @__PURE__ */ defineBits('bitwiseAnd', 'a & b');

/**
 * Bitwise OR, elementwise. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const bitwiseOr: BinaryOp = /* @__PURE__ */ defineBits('bitwiseOr', 'a | b');

/**
 * Bitwise XOR, elementwise. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const bitwiseXor: BinaryOp = /* @__PURE__ */ defineBits('bitwiseXor', 'a ^ b');

/**
 * All bits inverted: -x - 1 for int32. int32, uint32. Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const bitwiseNot: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'bitwiseNot',
  expression: '~a',
  dtypes: integers,
  gradient: null,
});

/**
 * x · 2^y modulo 2^32, elementwise: bits move up by y, filled with zeros. 0 for y above 31 or below 0. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const leftShift: BinaryOp = /* @__PURE__ */ defineBits(
  'leftShift',
  (dtype) => `select(a << (u32(b) & 31u), ${dtype === 'int32' ? '0' : '0u'}, ${isFar})`,
);

/**
 * ⌊x / 2^y⌋, elementwise: bits move down by y, filled with copies of the sign. For y above 31 or below 0, the result is 0,
 * or -1 if x is negative. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const rightShift: BinaryOp = /* @__PURE__ */ defineBits(
  'rightShift',
  (dtype) => `select(a >> (u32(b) & 31u), ${dtype === 'int32' ? 'a >> 31u' : '0u'}, ${isFar})`,
);
