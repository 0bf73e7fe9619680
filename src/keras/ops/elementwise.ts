/** @file Elementwise functions of keras.ops that are formulas of the library's ops. */
import { requireFinite, requireBoolean } from '../../core/shape.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { all } from '../../ops/reductions/anyAll.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { equal, less, lessEqual } from '../../ops/elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { floorDiv, mod } from '../../ops/elementwise/division.ts';
import { logAddExp } from '../../ops/elementwise/logAddExp.ts';
import { logicalAnd, logicalOr } from '../../ops/elementwise/logical.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import { pow } from '../../ops/elementwise/pow.ts';
import { isFinite as isFiniteOf, isNaN as isNaNOf } from '../../ops/elementwise/predicates.ts';
import { abs, ceil, floor, sign } from '../../ops/elementwise/rounding.ts';
import { sin } from '../../ops/elementwise/trigonometric.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { isFloating } from '../../core/dtype.ts';
import { composeFloats, composeNumbers, composeValues } from './composites.ts';

type OfOne = CompositeOp<[x: Tensor]>;
type OfTwo = CompositeOp<[x: Tensor, y: Tensor]>;

/* @__NO_SIDE_EFFECTS__ */
function ofOne(name: string, compose: (x: Tensor) => Tensor): OfOne {
  return composeFloats({ name, inputs: ['x'], options: {}, compose: ([x]) => compose(x) });
}

/* @__NO_SIDE_EFFECTS__ */
function ofTwo(name: string, compose: (x: Tensor, y: Tensor) => Tensor): OfTwo {
  return composeFloats({ name, inputs: ['x', 'y'], options: {}, compose: ([x, y]) => compose(x, y) });
}

/** The cube root; of negative numbers, too. float32. Shape: that of x. The gradient isn't finite at 0. Errors: DTypeError. */
export const cbrt: OfOne = /* @__PURE__ */ ofOne('cbrt', (x) => mul(sign(x), pow(abs(x), 1 / 3)));

/** x · π / 180. float32. Shape: that of x. Errors: DTypeError. */
export const deg2rad: OfOne = /* @__PURE__ */ ofOne('deg2rad', (x) => mul(x, Math.PI / 180));

/** x · 180 / π. float32. Shape: that of x. Errors: DTypeError. */
export const rad2deg: OfOne = /* @__PURE__ */ ofOne('rad2deg', (x) => mul(x, 180 / Math.PI));

/** 2^x, float32 also of integers. Shape: that of x. Errors: none for tensors. */
export const exp2: OfOne = /* @__PURE__ */ ofOne('exp2', (x) => pow(2, cast(x, 'float32')));

/** Rounds towards 0. Any dtype. Shape: that of x. Gradient: 0. Errors: none for tensors. */
export const trunc: OfOne = /* @__PURE__ */ defineComposite({
  name: 'trunc',
  inputs: ['x'],
  options: {},
  compose: ([x]) => (isFloating(x.dtype) ? where(less(x, 0), ceil(x), floor(x)) : identity(x)),
});

/** sin(πx) / (πx), and 1 at 0, where the gradient is 0. float32. Shape: that of x. Errors: DTypeError. */
export const sinc: OfOne = /* @__PURE__ */ ofOne('sinc', (x) => {
  const isZero = equal(x, 0);
  const angle = mul(where(isZero, 1, x), Math.PI);
  return where(isZero, 1, div(sin(angle), angle));
});

/** Whether the sign bit is set, also that of -0; false for NaN. Bool. Shape: that of x, float32. Errors: DTypeError. */
export const signbit: OfOne = /* @__PURE__ */ ofOne('signbit', (x) =>
  logicalOr(less(x, 0), logicalAnd(equal(x, 0), less(div(1, x), 0))),
);

/** Whether x is -Infinity. Bool. Shape: that of x. Errors: none for numbers. */
export const isNegInf: OfOne = /* @__PURE__ */ ofOne('isNegInf', (x) => equal(x, Number.NEGATIVE_INFINITY));

/** Whether x is Infinity. Bool. Shape: that of x. Errors: none for numbers. */
export const isPosInf: OfOne = /* @__PURE__ */ ofOne('isPosInf', (x) => equal(x, Number.POSITIVE_INFINITY));

/** x / y, and 0 where y is 0. float32. Shapes broadcast. Errors: ShapeError, DTypeError. */
export const divideNoNan: OfTwo = /* @__PURE__ */ ofTwo('divideNoNan', (x, y) => {
  const isZero = equal(y, 0);
  return where(isZero, 0, div(x, where(isZero, 1, y)));
});

/** √(x² + y²), without overflow. float32. Shapes broadcast. Gradient: 0 where both are 0. Errors: ShapeError, DTypeError. */
export const hypot: OfTwo = /* @__PURE__ */ ofTwo('hypot', (x, y) => {
  const [a, b] = [abs(x), abs(y)];
  const longer = maximum(a, b);
  const isPlain = logicalAnd(less(0, longer), less(longer, Number.POSITIVE_INFINITY));
  const ratio = div(minimum(a, b), where(isPlain, longer, 1));
  return where(isPlain, mul(longer, sqrt(add(1, square(where(isPlain, ratio, 0))))), longer);
});

/** 0 for x < 0, y for 0, 1 above; NaN of NaN. float32. Shapes broadcast. Errors: ShapeError, DTypeError. */
export const heaviside: OfTwo = /* @__PURE__ */ ofTwo('heaviside', (x, y) =>
  where(isNaNOf(x), x, where(equal(x, 0), y, where(less(x, 0), 0, 1))),
);

/* @__NO_SIDE_EFFECTS__ */
function extremum(name: string, chosen: (x: Tensor, y: Tensor) => Tensor): OfTwo {
  return composeValues({
    name,
    inputs: ['x', 'y'],
    options: {},
    compose: ([x, y]) => {
      const both = chosen(x, y);
      // Of integers, none is NaN.
      return isFloating(both.dtype) ? where(isNaNOf(x), y, where(isNaNOf(y), x, both)) : both;
    },
  });
}

/** The larger of both; if one is NaN, the other. Any dtype. Shapes broadcast. Errors: ShapeError, DTypeError. */
export const fmax: OfTwo = /* @__PURE__ */ extremum('fmax', maximum);

/** The smaller of both; if one is NaN, the other. Any dtype. Shapes broadcast. Errors: ShapeError, DTypeError. */
export const fmin: OfTwo = /* @__PURE__ */ extremum('fmin', minimum);

/**
 * x - trunc(x / y) · y, exact: the remainder has the sign of x. float32, int32. Shapes broadcast. Errors: ShapeError,
 * DTypeError.
 */
export const fmod: OfTwo = /* @__PURE__ */ composeNumbers({
  name: 'fmod',
  inputs: ['x', 'y'],
  options: {},
  compose: ([x, y]) => mul(sign(x), mod(abs(x), abs(y))),
});

/**
 * x · 2^y, y int32. float32. Shapes broadcast. In two steps, since 2^y may overflow where the product doesn't. Errors:
 * ShapeError, DTypeError.
 */
export const ldexp: OfTwo = /* @__PURE__ */ ofTwo('ldexp', (x, y) => {
  const half = floorDiv(y, 2);
  const power = (n: Tensor) => pow(2, cast(n, 'float32'));
  return mul(mul(x, power(half)), power(sub(y, half)));
});

/** log₂(2^x + 2^y), without overflow. float32. Shapes broadcast. Errors: ShapeError, DTypeError. */
export const logAddExp2: OfTwo = /* @__PURE__ */ ofTwo('logAddExp2', (x, y) =>
  div(logAddExp(mul(x, Math.LN2), mul(y, Math.LN2)), Math.LN2),
);

/** Options of `isClose` and `allClose`. */
export interface CloseOptions {
  /** Relative tolerance: the fraction of |y| by which x may differ. Default 1e-5. */
  rtol?: number;
  /** Absolute tolerance. Default 1e-8. */
  atol?: number;
  /** Whether NaN is close to NaN. Default false. */
  equalNan?: boolean;
}

const closeOptionNames = { rtol: true, atol: true, equalNan: true } as const;

function closeness(op: string, x: Tensor, y: Tensor, options: CloseOptions): Tensor {
  const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
  requireFinite(op, 'rtol', rtol, 0);
  requireFinite(op, 'atol', atol, 0);
  requireBoolean(op, 'equalNan', equalNan);
  const isNear = lessEqual(abs(sub(x, y)), add(atol, mul(abs(y), rtol)));
  const isClose = logicalOr(equal(x, y), logicalAnd(isNear, isFiniteOf(y)));
  return equalNan ? logicalOr(isClose, logicalAnd(isNaNOf(x), isNaNOf(y))) : isClose;
}

/**
 * Whether |x - y| ≤ atol + rtol |y|, elementwise; equal infinities are close. Bool, of float32. Shapes broadcast.
 * Errors: ValueError, ShapeError, DTypeError.
 */
export const isClose: CompositeOp<
  [x: Tensor, y: Tensor],
  CloseOptions,
  Tensor,
  ['rtol', 'atol', 'equalNan']
> = /* @__PURE__ */ composeFloats({
  name: 'isClose',
  inputs: ['x', 'y'],
  options: closeOptionNames,
  compose: ([x, y], options) => closeness('isClose', x, y, options),
});

/** Whether all elements are close: see `isClose`. Shape [], bool. Errors: as of `isClose`. */
export const allClose: CompositeOp<
  [x: Tensor, y: Tensor],
  CloseOptions,
  Tensor,
  ['rtol', 'atol', 'equalNan']
> = /* @__PURE__ */ composeFloats({
  name: 'allClose',
  inputs: ['x', 'y'],
  options: closeOptionNames,
  compose: ([x, y], options) => all(closeness('allClose', x, y, options)),
});
