/** @file Bits of integers: and, or, xor, not and shifts, with broadcasting. Nothing here carries a gradient. */
import type { DType } from '../core/dtype.ts';
import { type BinaryOp, defineBinary, defineUnary, type UnaryOp } from './elementwise.ts';

const integers: readonly DType[] = ['int32', 'uint32'];

/* @__NO_SIDE_EFFECTS__ */
function defineBits(name: string, expression: string | ((dtype: string) => string)): BinaryOp {
  return defineBinary({ name, expression, dtypes: integers, gradient: null });
}

/** WGSL shifts by the low five bits of the distance; NumPy, by as many as asked: from 32 on nothing is left but signs. */
const isFar = 'u32(b) > 31u';

/**
 * The bits that both have, elementwise. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const bitwiseAnd: BinaryOp = /* @__PURE__ */ defineBits('bitwiseAnd', 'a & b');

/**
 * The bits that one or both have, elementwise. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const bitwiseOr: BinaryOp = /* @__PURE__ */ defineBits('bitwiseOr', 'a | b');

/**
 * The bits that exactly one has, elementwise. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const bitwiseXor: BinaryOp = /* @__PURE__ */ defineBits('bitwiseXor', 'a ^ b');

/**
 * All bits inverted: -x - 1 of int32. int32, uint32. Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const bitwiseNot: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'bitwiseNot',
  expression: '~a',
  dtypes: integers,
  gradient: null,
});

/**
 * x · 2^y modulo 2^32, elementwise: bits move up by y, and zeros follow. 0 for y above 31 or below 0. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const leftShift: BinaryOp = /* @__PURE__ */ defineBits(
  'leftShift',
  (dtype) => `select(a << (u32(b) & 31u), ${dtype === 'int32' ? '0' : '0u'}, ${isFar})`,
);

/**
 * ⌊x / 2^y⌋, elementwise: bits move down by y, and copies of the sign follow. For y above 31 or below 0, what is left is 0, or -1
 * of a negative x. int32, uint32.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes.
 */
export const rightShift: BinaryOp = /* @__PURE__ */ defineBits(
  'rightShift',
  (dtype) => `select(a >> (u32(b) & 31u), ${dtype === 'int32' ? 'a >> 31u' : '0u'}, ${isFar})`,
);
