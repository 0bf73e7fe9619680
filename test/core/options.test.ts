/** @file Options of functions: how they are passed, and which are rejected. */
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ValueError } from '../../src/core/errors.ts';
import {
  byPosition,
  checkOptions,
  isOptions,
  isPlainObject,
  optionsOf,
  plainOptions,
  rejectExtraArguments,
} from '../../src/core/options.ts';

const rejection = (options: unknown, known: string[]) => {
  try {
    checkOptions('f', options, known);
  } catch (error) {
    expect(error).toBeInstanceOf(ValueError);
    return (error as Error).message;
  }
  return null;
};

/** Returns a list without its entries. */
const longList = (length: number) => Object.assign([], { length });

test('names that the function knows pass, whatever they are', () => {
  expect(rejection({}, ['axis'])).toBeNull();
  expect(rejection({ axis: undefined, shape: Array.from({ length: 8 }) }, ['axis', 'shape'])).toBeNull();
  expect(rejection({ shape: longList(2 ** 24) }, ['shape'])).toBeNull();
  expect(() => checkOptions('f', { axis: 1 }, { axis: true })).not.toThrow();
  expect(() => checkOptions('f', { toString: 1 }, { axis: true })).toThrow(ValueError);
});

test.each([
  ['an unknown name', { axes: 1 }, /axes[\s\S]*'axis'/],
  ['a number', 3, /its options are axis, shape, in one object[\s\S]*received: 3[\s\S]*pass \{ axis: … \}/],
  ['a list', [1], /in one object/],
  ['null', null, /received: null/],
  ['a list of more than 2^24 entries', { shape: longList(2 ** 24 + 1) }, /shape[\s\S]*typed array/],
])('%s is rejected', (_, options, expected) => {
  expect(rejection(options, ['axis', 'shape'])).toMatch(expected);
});

test('a function without options names none', () => {
  expect(rejection(3, [])).toMatch(/options come in one object\.[\s\S]*hint: leave it out\./);
});

const names = { axis: true, keepDims: true, name: false };

test('options come in one object, by position, or both', () => {
  const given = (...args: unknown[]) => optionsOf('sum', args, names, ['x']);
  expect(given()).toEqual({});
  expect(given(undefined, undefined)).toEqual({});
  expect(given(1)).toEqual({ axis: 1 });
  expect(given(null, true)).toEqual({ keepDims: true });
  expect(given(undefined, { axis: 1 })).toEqual({ axis: 1 });
  expect(given([0, 1], { keepDims: true })).toEqual({ axis: [0, 1], keepDims: true });
  expect(given({ axis: 2, name: 'total' })).toEqual({ axis: 2, name: 'total' });
  expect(given({ axis: undefined }, undefined)).toEqual({ axis: undefined });
  expect(given(1, { axis: undefined, name: 'total' })).toEqual({ axis: 1, name: 'total' });
});

test('an object with getConfig is a value, not options', () => {
  const schedule = { getConfig: () => ({}) };
  expect(optionsOf('adam', [schedule], { learningRate: true })).toEqual({ learningRate: schedule });
  expect(isOptions(schedule)).toBe(false);
  expect(isOptions({})).toBe(true);
  expect(isOptions(new Map())).toBe(false);
});

test('unexpected arguments, and options that are passed twice', () => {
  const given =
    (...args: unknown[]) =>
    () =>
      optionsOf('sum', args, names, ['x']);
  expect(given(1, true, 'total')).toThrow(ValueError);
  expect(given(1, true, 'total')).toThrow(
    /by position it takes `x`, `axis`, `keepDims`; options go into one object at the end\.[\s\S]*received: 'total' as argument 4[\s\S]*call sum\(x, \{ axis: …, keepDims: …, name: … \}\), with the options that you need\./,
  );
  expect(() => optionsOf('relu', [1], {})).toThrow(
    /by position it takes nothing; it has no options\.[\s\S]*1 as argument 1[\s\S]*call relu\(\)\.$/,
  );
  expect(given(1, { axis: 2 })).toThrow(ValueError);
  expect(given(1, { axis: 2 })).toThrow(
    /each option is passed once\.[\s\S]*axis: 1 by position, and 2 by name/,
  );
  expect(given(1, { axes: 2 })).toThrow(/its options are axis, keepDims, name\.[\s\S]*axes: 2[\s\S]*'axis'/);
});

test('a caller that checks the names itself', () => {
  expect(byPosition('dropout', [0.5, { seed: 1 }], ['rate'])).toEqual({ rate: 0.5, seed: 1 });
  expect(() => byPosition('dropout', [0.5, 1], ['rate'])).toThrow(
    /by position it takes `rate`;[\s\S]*1 as argument 2[\s\S]*call dropout\(\{ rate: … \}\)/,
  );
});

test('arguments beyond those of a function without options', () => {
  expect(() => rejectExtraArguments('summary', [], [])).not.toThrow();
  expect(() => rejectExtraArguments('summary', [undefined, undefined], [])).not.toThrow();
  expect(() => rejectExtraArguments('summary', [undefined, 3], ['model'])).toThrow(
    /it takes `model`, and nothing more\.[\s\S]*received: 3 as argument 3[\s\S]*call summary\(model\)/,
  );
  expect(() => rejectExtraArguments('dispose', [0], [])).toThrow(/it takes no arguments, and nothing more/);
});

test('plain objects, of other realms and without a prototype, too', () => {
  const other = runInNewContext('({ axis: 1 })');
  for (const plain of [{}, Object.create(null), other]) {
    expect(isPlainObject(plain)).toBe(true);
    expect(plainOptions('f', plain)).toBe(plain);
  }
  for (const value of [null, undefined, 1, 'axis', [], new Date(), () => 1, new (class Own {})()]) {
    expect(isPlainObject(value)).toBe(false);
    expect(() => plainOptions('f', value as object)).toThrow(/options come in one object/);
  }
  expect(rejection(other, ['axis'])).toBeNull();
});

test('several unknown names, with a hint of the caller', () => {
  expect(rejection({ axis: 1, foo: 2, bar: 'x' }, ['axis'])).toMatch(
    /received: foo: 2, bar: 'x'\n {2}hint: check the spelling/,
  );
  expect(rejection({ foo: 2 }, [])).toMatch(/it has no options\./);
  const inherited = Object.create(Object.assign(Object.create(null), { foo: 2 }));
  expect(rejection(inherited, ['axis'])).toMatch(/its options are axis\./);
  expect(() => checkOptions('f', { foo: 2 }, ['axis'], 'see the guide.')).toThrow(/hint: see the guide\./);
});
