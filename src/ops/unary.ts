/** @file Unary ops. */
import type { Tensor } from '../tensor/tensor.ts';
import type { Op } from './define.ts';
import { defineUnary } from './elementwise.ts';
import { mul } from './arithmetic.ts';

type Unary = Op<[x: Tensor], object, Tensor>;

/** -x. */
export const neg: Unary = /* @__PURE__ */ defineUnary({
  name: 'neg',
  expression: '-a',
  dtypes: ['float32', 'int32'],
  gradient: (dy) => neg(dy),
  reads: 'neither',
});

/** x². */
export const square: Unary = /* @__PURE__ */ defineUnary({
  name: 'square',
  expression: 'a * a',
  dtypes: ['float32', 'int32', 'uint32'],
  gradient: (dy, x) => mul(mul(dy, x), 2),
});
