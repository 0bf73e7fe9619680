/** @file Bit patterns on the host: float16, and the words that store a number. */
import { expect, test } from 'vitest';
import { bitsOf } from '../../src/core/bits.ts';
import { float16ToNumber, numberToFloat16 } from '../../src/core/float16.ts';

const finite = Array.from({ length: 0x7c00 }, (_, bits) => bits);

test('every float16 is the bits that it came from', () => {
  const wrong = finite.filter((bits) => {
    const value = float16ToNumber(bits);
    return numberToFloat16(value) !== bits || numberToFloat16(-value) !== (bits | 0x8000);
  });
  expect(wrong).toEqual([]);
  expect([0x0001, 0x03ff, 0x0400, 0x3c00, 0xc000, 0x7bff, 0x7c00, 0xfc00].map(float16ToNumber)).toEqual([
    2 ** -24,
    1023 * 2 ** -24,
    2 ** -14,
    1,
    -2,
    65504,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]);
  expect(float16ToNumber(0x7e00)).toBeNaN();
  expect(float16ToNumber(0xfc01)).toBeNaN();
});

test('what lies between two is rounded to the nearer one, ties to even', () => {
  // From 65504 on the next one would be 65536.
  const wrong = finite.slice(0, -1).filter((bits) => {
    const [below, above] = [float16ToNumber(bits), float16ToNumber(bits + 1)];
    const middle = (below + above) / 2;
    const even = bits % 2 === 0 ? bits : bits + 1;
    return (
      numberToFloat16(middle) !== even ||
      numberToFloat16(middle - (above - below) / 64) !== bits ||
      numberToFloat16(middle + (above - below) / 64) !== bits + 1
    );
  });
  expect(wrong).toEqual([]);
  expect(numberToFloat16(65519.99)).toBe(0x7bff);
  expect(numberToFloat16(65520)).toBe(0x7c00);
  expect(numberToFloat16(-1e300)).toBe(0xfc00);
  expect(numberToFloat16(Number.NaN)).toBe(0x7e00);
  expect(numberToFloat16(2 ** -25)).toBe(0);
  expect(numberToFloat16(2 ** -25 * 1.01)).toBe(1);
  expect(numberToFloat16(-(2 ** -40))).toBe(0x8000);
});

test.each([
  ['float32', 1, 0x3f800000],
  ['float32', -0, 0x80000000],
  ['float16', 1, 0x3c003c00],
  ['float16', -2, 0xc000c000],
  ['int32', -1, 0xffffffff],
  ['uint32', 4294967295, 0xffffffff],
  ['uint32', 7, 7],
  ['bool', 3, 1],
  ['bool', 0, 0],
] as const)('the word of the %s %d', (dtype, value, word) => {
  expect(bitsOf(value, dtype)).toBe(word);
});
