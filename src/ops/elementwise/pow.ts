/** @file pow */
import { broadcastShapes } from '../../core/shape.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from './arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import { type BinaryOp, defineBinary, defineUnary, type FloatOp } from './elementwise.ts';
import { sumToShape } from '../reductions/sum.ts';
import { onesLike } from '../creation/like.ts';
import { numberIn } from '../define/scalars.ts';
import { defineDerivative, type Derivative } from './derivative.ts';
import { square } from './unary.ts';

const logOrZeroDerivative: Derivative<object> = /* @__PURE__ */ defineDerivative({
  name: 'logOrZeroDerivative',
  expression: 'select(0.0, a / b, b > 0.0)',
  secondDerivative: (x) => neg(square(logOrZeroDerivative(onesLike(x), x))),
});

/** log x, but 0 where x isn't positive: the exponent gets no gradient there. */
const logOrZero: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'logOrZero',
  expression: () => `select(0.0, ${math.preciseLog('a')}, a > 0.0)`,
  gradient: logOrZeroDerivative,
});

/** The largest integer exponents whose powers are products of factors: see `precisePow`. */
const largestWhole = 64;

/** x^y as an expression of `x`, for the exponent `exponent`, whose value is `y` if that is known. */
function power(x: string, exponent: string, y: number | undefined): string {
  if (!Number.isInteger(y) || y === 0 || Math.abs(y as number) > largestWhole)
    return math.precisePow(x, exponent);
  const factors: string[] = [];
  let square = x;
  for (let rest = Math.abs(y as number); rest > 0; rest >>= 1) {
    if (rest & 1) factors.push(square);
    square = math.squareOf(square);
  }
  const product = factors.join(' * ');
  return (y as number) < 0 ? `(1.0 / (${product}))` : `(${product})`;
}

/** dy · y x^(y - 1), and 0 where y is 0; dy has the broadcast shape of x and y. */
const powDerivative: Op<[dy: Tensor, x: Tensor, y: Tensor]> = /* @__PURE__ */ defineOp({
  name: 'powDerivative',
  inputs: ['dy', 'x', 'y'],
  elementwise: true,
  infer: ([dy, x, y]) => ({ shape: broadcastShapes('powDerivative', x.shape, y.shape), dtype: dy.dtype }),
  forward: (operands, plan) => {
    const y = numberIn(operands[2].storage);
    const lower = power('b', 'c - 1.0', y === undefined ? y : y - 1);
    return kernels().elementwiseKernel(
      'powDerivative',
      `select(a * c * ${lower}, 0.0, c == 0.0)`,
      operands,
      plan,
    );
  },
  backward: ([g], { inputs: [dy, x, y], inputSpecs: [, xSpec, ySpec], needs }) => {
    const weight = mul(g, dy);
    const forY = () => mul(mul(weight, pow(x, sub(y, 1))), add(mul(y, logOrZero(x)), 1));
    return [
      needs[0] ? powDerivative(g, x, y) : null,
      needs[1] ? sumToShape(powDerivative(mul(weight, y), x, sub(y, 1)), xSpec.shape) : null,
      needs[2] ? sumToShape(forY(), ySpec.shape) : null,
    ];
  },
});

const powers = {
  int32: math.powerI32,
  uint32: math.powerU32,
  bool: math.powerU32,
};

/**
 * x^y, elementwise. Shapes broadcast; dtypes promote. Floats follow IEEE 754: x^0 = 1, and a negative base with a fractional
 * exponent gives NaN. Integers wrap around; with a negative exponent, 1 / x^-y is rounded towards zero, and is 0 for x = 0.
 * Gradient: for y, it is 0 where x isn't positive.
 * Errors: ShapeError where the shapes don’t broadcast; DTypeError for two bools, and for int32 with uint32.
 */
export const pow: BinaryOp = /* @__PURE__ */ defineBinary({
  name: 'pow',
  expression: (dtype, y) =>
    dtype === 'float32' ? power('a', 'b', numberIn(y.storage)) : powers[dtype]('a', 'b'),
  gradient: (dy, x, y, needs, out) => [
    needs[0] ? powDerivative(dy, x, y) : null,
    needs[1] ? mul(mul(dy, out), logOrZero(x)) : null,
  ],
  reads: { inputs: [0, 1], outputs: [0] },
  readsInputs: ([x]) => [true, x],
  readsOutputs: ([, y]) => [y],
});
