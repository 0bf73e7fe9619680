/**
 * @file Steps and kinks: abs, sign, floor, ceil, round, step. The derivative of a function that is constant almost
 * everywhere is 0, also at its steps.
 */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { defineUnary, type UnaryOp } from './elementwise.ts';
import { zerosLike } from './like.ts';
import { defineSlope } from './slope.ts';

const absSlope = /* @__PURE__ */ defineSlope({
  name: 'absSlope',
  expression: 'select(select(-a, a, b > 0.0), 0.0, b == 0.0)',
  curve: null,
});

/** |x|. Dtypes: float32, int32. Gradient: 0 at 0. */
export const abs: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'abs',
  expression: 'abs(a)',
  dtypes: ['float32', 'int32'],
  gradient: absSlope,
});

/** -1, 0 or 1 by the sign of x; NaN of NaN. Dtypes: float32, int32. Gradient: 0. */
export const sign: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'sign',
  expression: (dtype) => (dtype === 'float32' ? 'select(sign(a), a, is_nan(a))' : 'sign(a)'),
  dtypes: ['float32', 'int32'],
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

/** The largest whole number not above x. Gradient: 0. */
export const floor: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'floor',
  expression: 'floor(a)',
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

/** The smallest whole number not below x. Gradient: 0. */
export const ceil: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'ceil',
  expression: 'ceil(a)',
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

/** The nearest whole number; halves go to the even one. Gradient: 0. */
export const round: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'round',
  expression: 'round(a)',
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

export interface StepOptions {
  /** The value for x ≤ 0. Default 0. */
  alpha?: number;
}

/** Throws unless `value` is a finite number. */
export function requireFinite(
  op: string,
  what: string,
  value: unknown,
  min = Number.NEGATIVE_INFINITY,
): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= min) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be a finite number${Number.isFinite(min) ? ` of at least ${min}` : ''}.`,
    received: `${what}: ${describe(value)}`,
    mend: `pass a number such as ${Math.max(min, 0) + 0.5}.`,
  });
}

/** 1 where x > 0, and alpha elsewhere; NaN of NaN. Gradient: 0. Errors: ValueError for an alpha that isn't finite. */
export const step: UnaryOp<StepOptions> = /* @__PURE__ */ defineUnary<StepOptions>({
  name: 'step',
  expression: 'select(select(params.alpha, 1.0, a > 0.0), a, is_nan(a))',
  check: ({ alpha = 0 }) => requireFinite('step', 'alpha', alpha),
  scalars: ({ alpha = 0 }) => ({ alpha }),
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});
