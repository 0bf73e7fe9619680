/** @file dtypes: floating and integer types, and the common type of two. */
import { expect, test } from 'vitest';
import { isDType, isFloating, isInteger, isStoredDType, promote } from '../../src/core/dtype.ts';
import { DTypeError } from '../../src/core/errors.ts';
import { notHeld } from '../../src/core/integers.ts';

const order = ['bool', 'uint32', 'int32', 'float16', 'float32'] as const;

test('the common dtype of two is the higher one; uint32 and int32 have none', () => {
  for (const [i, a] of order.entries())
    for (const [j, b] of order.entries()) {
      const both = [a, b].sort().join();
      if (both === 'int32,uint32') {
        expect(() => promote('add', a, b)).toThrow(DTypeError);
        expect(() => promote('add', a, b)).toThrow(`${a} and ${b}`);
      } else expect(promote('add', a, b)).toBe(order[Math.max(i, j)]);
    }
});

test('kinds of dtypes', () => {
  expect(order.filter(isFloating)).toEqual(['float16', 'float32']);
  expect(order.filter(isInteger)).toEqual(['uint32', 'int32']);
  expect(order.filter(isDType)).toEqual(['bool', 'uint32', 'int32', 'float32']);
  expect(order.filter(isStoredDType)).toEqual([...order]);
  for (const other of ['float64', '', undefined, null, 32]) expect(isStoredDType(other)).toBe(false);
});

test('a number that an integer dtype doesn’t hold: fractions can be rounded, others can’t', () => {
  const hint = (value: unknown) => notHeld('fill', 'value', value, 'uint32').message.split('hint: ')[1];
  expect(hint(1.5)).toMatch(/^round it first/);
  for (const value of [-1, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY, '1'])
    expect(hint(value)).toMatch(/^correct it/);
  expect(notHeld('fill', 'value', -1, 'uint32').message).toMatch(/\[0, 4294967295\][\s\S]*value: -1/);
  expect(notHeld('fill', 'value', 1.5, 'int32').message).toContain('[-2147483648, 2147483647]');
});
