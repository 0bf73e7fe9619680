/** @file Logic on bools, with broadcasting. Nothing here carries a gradient. */
import type { DType } from '../core/dtype.ts';
import { type BinaryOp, defineBinary, defineUnary, type UnaryOp } from './elementwise.ts';

const bools: readonly DType[] = ['bool'];

/** Whether both hold, elementwise. Dtype: bool. */
export const logicalAnd: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'logicalAnd',
  expression: 'a & b',
  dtypes: bools,
  gradient: null,
});

/** Whether one or both hold, elementwise. Dtype: bool. */
export const logicalOr: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'logicalOr',
  expression: 'a | b',
  dtypes: bools,
  gradient: null,
});

/** Whether exactly one holds, elementwise. Dtype: bool. */
export const logicalXor: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'logicalXor',
  expression: 'a ^ b',
  dtypes: bools,
  gradient: null,
});

/** Whether x doesn't hold, elementwise. Dtype: bool. */
export const logicalNot: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'logicalNot',
  expression: '1u - a',
  dtypes: bools,
  gradient: null,
});
