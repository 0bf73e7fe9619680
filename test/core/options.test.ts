/** @file What is refused as options of any function. */
import { expect, test } from 'vitest';
import { ValueError } from '../../src/core/errors.ts';
import { checkOptions } from '../../src/core/options.ts';

const refusal = (options: unknown, known: string[]) => {
  try {
    checkOptions('f', options, known);
  } catch (error) {
    expect(error).toBeInstanceOf(ValueError);
    return (error as Error).message;
  }
  return null;
};

/** A list without its entries. */
const longList = (length: number) => Object.assign([], { length });

test('names that the function knows pass, whatever they are', () => {
  expect(refusal({}, ['axis'])).toBeNull();
  expect(refusal({ axis: undefined, shape: Array.from({ length: 8 }) }, ['axis', 'shape'])).toBeNull();
  expect(refusal({ shape: longList(2 ** 24) }, ['shape'])).toBeNull();
  expect(() => checkOptions('f', { axis: 1 }, { axis: true })).not.toThrow();
  expect(() => checkOptions('f', { toString: 1 }, { axis: true })).toThrow(ValueError);
});

test.each([
  ['an unknown name', { axes: 1 }, /axes[\s\S]*'axis'/],
  ['a number', 3, /its options are axis, shape, in one object[\s\S]*received: 3[\s\S]*pass \{ axis: … \}/],
  ['a list', [1], /in one object/],
  ['null', null, /received: null/],
  ['a list of more than 2^24 entries', { shape: longList(2 ** 24 + 1) }, /shape[\s\S]*typed array/],
])('%s is refused', (_, options, expected) => {
  expect(refusal(options, ['axis', 'shape'])).toMatch(expected);
});

test('a function without options names none', () => {
  expect(refusal(3, [])).toMatch(/options come in one object\.[\s\S]*hint: leave it out\./);
});
