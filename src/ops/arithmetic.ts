/** @file Arithmetic of two operands, with broadcasting: add, sub, mul, div. */
import type { Tensor } from '../tensor/tensor.ts';
import { defineBinary } from './elementwise.ts';
import type { Op } from './define.ts';
import { neg } from './unary.ts';

type Binary = Op<[x: Tensor, y: Tensor], object, Tensor>;

/** x + y, elementwise. */
export const add: Binary = /* @__PURE__ */ defineBinary({
  name: 'add',
  expression: 'a + b',
  gradient: (dy) => [dy, dy],
  reads: { inputs: [] },
});

/** x - y, elementwise. */
export const sub: Binary = /* @__PURE__ */ defineBinary({
  name: 'sub',
  expression: 'a - b',
  gradient: (dy, _x, _y, needs) => [dy, needs[1] ? neg(dy) : null],
  reads: { inputs: [] },
});

/** x · y, elementwise. */
export const mul: Binary = /* @__PURE__ */ defineBinary({
  name: 'mul',
  expression: 'a * b',
  gradient: (dy, x, y, needs) => [needs[0] ? mul(dy, y) : null, needs[1] ? mul(dy, x) : null],
});
