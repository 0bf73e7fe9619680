/**
 * @file Hashes of combined integers on the device, which has no integers of 64 bits: each is a pair of uint32 tensors. The hash is that of
 * `concatenated` in farmHash.ts.
 */
import { add, mul } from '../../../../ops/elementwise/arithmetic.ts';
import {
  bitwiseAnd,
  bitwiseOr,
  bitwiseXor,
  leftShift,
  rightShift,
} from '../../../../ops/elementwise/bitwise.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { mod } from '../../../../ops/elementwise/division.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';

/** An integer of 64 bits for each element. A half that is the same for all of them is a number. */
interface Words {
  readonly high: Tensor | number;
  readonly low: Tensor;
}

const factor = { high: 0xc6a4a793, low: 0x5bd1e995 };

/** The bucket of each combination of int32 features, int32. All have one shape. */
export function crossedBuckets(features: readonly Tensor[], key: bigint, buckets: number): Tensor {
  const start = { high: Number(key >> 32n), low: Number(key & 0xffffffffn) };
  const [first, ...others] = features.map(hashOf) as [Words, ...Words[]];
  let hash = concatenated(first, start);
  for (const other of others) hash = concatenated(other, hash);
  return cast(remainder(hash, buckets), 'int32');
}

/** Integers are their own hashes: the upper half has copies of the sign. */
function hashOf(x: Tensor): Words {
  return { high: cast(rightShift(x, 31), 'uint32'), low: cast(x, 'uint32') };
}

function concatenated(second: Words, first: { high: Tensor | number; low: Tensor | number }): Words {
  const mixed = multiplied(shiftMixed(multiplied(second)));
  const joined = xor(xor(mixed, factor), first);
  return shiftMixed(multiplied(shiftMixed(multiplied(joined))));
}

function xor(a: Words, b: { high: Tensor | number; low: Tensor | number }): Words {
  return { high: bitwiseXor(a.high as Tensor, b.high), low: bitwiseXor(a.low, b.low) };
}

/** x ^ (x >> 47) */
function shiftMixed({ high, low }: Words): Words {
  return { high, low: bitwiseXor(low, rightShift(high as Tensor, 15)) };
}

/** The product with the factor, modulo 2^64. */
function multiplied({ high, low }: Words): Words {
  const crossed = add(mul(low, factor.high), mul(high as Tensor, factor.low));
  return { high: add(upperHalf(low, factor.low), crossed), low: mul(low, factor.low) };
}

/** The upper 32 bits of a product of uint32, from products of 16 bits each. */
function upperHalf(x: Tensor, y: number): Tensor {
  const [yHigh, yLow] = [y >>> 16, y & 0xffff];
  const [xHigh, xLow] = [rightShift(x, 16), bitwiseAnd(x, 0xffff)];
  const middle = add(mul(xHigh, yLow), rightShift(mul(xLow, yLow), 16));
  const carried = rightShift(add(mul(xLow, yHigh), bitwiseAnd(middle, 0xffff)), 16);
  return add(add(mul(xHigh, yHigh), rightShift(middle, 16)), carried);
}

/** The remainder of a division by `divisor`, below 2^31: as many bits at a time as fit behind a remainder. */
function remainder({ high, low }: Words, divisor: number): Tensor {
  const bits = Math.min(16, Math.max(1, Math.clz32(divisor - 1)));
  let rest = mod(high as Tensor, divisor);
  for (let left = 32; left > 0; ) {
    const step = Math.min(bits, left);
    left -= step;
    const next = bitwiseAnd(rightShift(low, left), 2 ** step - 1);
    rest = mod(bitwiseOr(leftShift(rest, step), next), divisor);
  }
  return rest;
}
