/** @file Logic on bools, with broadcasting. None has a gradient. */
import type { DType } from '../../core/dtype.ts';
import { type ComparisonOp, defineBinary, defineUnary, type PredicateOp } from './elementwise.ts';

const bools: readonly DType[] = ['bool'];

/**
 * Whether both hold, elementwise. Dtype: bool.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes than bool.
 */
export const logicalAnd: ComparisonOp = /* @__PURE__ */ defineBinary({
  name: 'logicalAnd',
  expression: 'a & b',
  dtypes: bools,
  gradient: null,
});

/**
 * Whether one or both hold, elementwise. Dtype: bool.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes than bool.
 */
export const logicalOr: ComparisonOp = /* @__PURE__ */ defineBinary({
  name: 'logicalOr',
  expression: 'a | b',
  dtypes: bools,
  gradient: null,
});

/**
 * Whether exactly one holds, elementwise. Dtype: bool.
 * Shapes broadcast. Errors: ShapeError where they don’t; DTypeError for other dtypes than bool.
 */
export const logicalXor: ComparisonOp = /* @__PURE__ */ defineBinary({
  name: 'logicalXor',
  expression: 'a ^ b',
  dtypes: bools,
  gradient: null,
});

/**
 * Whether x doesn't hold, elementwise. Dtype: bool.
 * Shape: that of x. Errors: DTypeError for other dtypes than bool.
 */
export const logicalNot: PredicateOp = /* @__PURE__ */ defineUnary({
  name: 'logicalNot',
  expression: '1u - a',
  dtypes: bools,
  gradient: null,
});
