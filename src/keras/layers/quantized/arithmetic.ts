/** @file The arithmetic of Keras 3.15's quantizers, in float32: integers of 4 and 8 bits, and float8, are exact in it. */
import { stopGradient } from '../../../ops/arrangement/stopGradient.ts';
import { add, div, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { clip } from '../../../ops/elementwise/clip.ts';
import { max } from '../../../ops/reductions/extrema.ts';
import { gather } from '../../../ops/indexing/gather.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { abs, floor, round } from '../../../ops/elementwise/rounding.ts';
import { slice } from '../../../ops/arrangement/slice.ts';
import { stack } from '../../../ops/arrangement/stack.ts';
import { exp, log2 } from '../../../ops/elementwise/unary.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { isTracing } from '../../graph/tracing.ts';

/** Keras's AbsMaxQuantizer. */
export interface AbsMax {
  readonly range: readonly [low: number, high: number];
  readonly epsilon: number;
}

/** `x`, rounded to integers that share a scale along `axes`. Its gradient is that of x, as in Keras. */
export function throughIntegers(
  x: Tensor,
  { range: [low, high], epsilon }: AbsMax,
  axes: readonly number[],
): Tensor {
  const scale = div(high, add(max(abs(x), { axis: [...axes], keepDims: true }), epsilon));
  return withGradientOf(x, div(clip(round(mul(x, scale)), { min: low, max: high }), scale));
}

/** The largest float8 with 4 bits of exponent and 3 of mantissa, and its smallest normal exponent. */
const [largest, smallestExponent, mantissa] = [448, -6, 3];

/** `x`, divided by `scale`, rounded to float8 (e4m3fn) and multiplied again. Its gradient is that of x, as in Keras. */
export function throughFloat8(x: Tensor, scale: Tensor): Tensor {
  const given = clip(div(x, scale), { min: -largest, max: largest });
  const exponent = floor(log2(clip(abs(given), { min: 2 ** smallestExponent })));
  const step = exp(mul(sub(exponent, mantissa), Math.LN2));
  return withGradientOf(x, mul(mul(round(div(given, step)), step), scale));
}

function withGradientOf(x: Tensor, value: Tensor): Tensor {
  return add(x, stopGradient(sub(value, x)));
}

/** Pairs of 4-bit integers in the bytes of `packed`, along `axis`, of which `length` count. The lower half of a byte comes first. */
export function unpacked(packed: Tensor, axis: 0 | -1, length: number, isSigned: boolean): Tensor {
  const given = cast(packed, 'float32');
  const byte = sub(given, mul(floor(div(given, 256)), 256));
  const high = floor(div(byte, 16));
  const parts = [sub(byte, mul(high, 16)), high].map((half) =>
    isSigned ? sub(half, mul(floor(div(half, 8)), 16)) : half,
  );
  const at = axis === 0 ? 1 : packed.rank;
  const both = stack(parts, { axis: at });
  const shape = axis === 0 ? [-1, ...packed.shape.slice(1)] : [...packed.shape.slice(0, -1), -1];
  const whole = reshape(both, { shape: shape as number[] });
  const where = axis === 0 ? 0 : packed.rank - 1;
  const size = whole.shape.map((n, i) => (i === where ? length : n));
  return slice(whole, { begin: whole.shape.map(() => 0), size });
}

/** Integers as the numbers that they stand for: each position along `axis` has the zero and the scale of its group. */
export function byGroups(
  integers: Tensor,
  { scale, zero, groups, axis }: { scale: Tensor; zero: Tensor; groups: Tensor; axis: number },
): Tensor {
  const indices = cast(groups, 'int32');
  // A layer is traced before its weights have values.
  const validateIndices = !isTracing();
  const each = (part: Tensor) => gather(cast(part, 'float32'), indices, { axis, validateIndices });
  return mul(sub(integers, each(zero)), each(scale));
}
