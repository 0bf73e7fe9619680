/** @file PlainMap: keys are compared by content, copied, and bounded. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainMap } from '../../src/core/plainMap.ts';

test('finds equal keys, whatever object they are', () => {
  const map = new PlainMap<string>(8);
  map.set({ m: 2, tile: { depth: 4, wide: true }, shape: [1, 2] }, 'first');
  map.set({ m: 2, tile: { depth: 4, wide: false }, shape: [1, 2] }, 'second');
  expect(map.get({ m: 2, tile: { depth: 4, wide: true }, shape: [1, 2] })).toBe('first');
  expect(map.get({ shape: [1, 2], m: 2, tile: { wide: false, depth: 4 } })).not.toBe('first');
  expect(map.get({ m: 2, tile: { depth: 4, wide: true }, shape: [1, 2, 0] })).toBeUndefined();
  expect(map.get({ m: 2, tile: { depth: 4, wide: true } })).toBeUndefined();
  expect(map.get({ m: '2', tile: { depth: 4, wide: true }, shape: [1, 2] })).toBeUndefined();
});

test('copies its keys: they may change afterwards', () => {
  const map = new PlainMap<number>(8);
  const key = { sizes: [1, 2] };
  map.set(key, 1);
  key.sizes[0] = 5;
  expect(map.get(key)).toBeUndefined();
  expect(map.get({ sizes: [1, 2] })).toBe(1);
});

test('tells apart what JSON does not', () => {
  const map = new PlainMap<string>(16);
  const keys = [
    [0],
    [-0],
    [null],
    [undefined],
    [Number.NaN],
    [Infinity],
    [],
    [false],
    ['0'],
    [[0]],
    [{ 0: 0 }],
    [0.5],
  ];
  for (const [i, key] of keys.entries()) map.set(key, `value ${i}`);
  for (const [i, key] of keys.entries()) expect(map.get(key)).toBe(`value ${i}`);
});

test('forgets all keys beyond its limit', () => {
  const map = new PlainMap<number>(3);
  for (let i = 0; i < 4; i++) map.set([i], i);
  expect(map.size).toBe(1);
  expect(map.get([0])).toBeUndefined();
  expect(map.get([3])).toBe(3);
});

test('agrees with comparison by content for any plain data', () => {
  const plain = fc.jsonValue({ maxDepth: 3 }).filter((value) => typeof value === 'object' && value !== null);
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      const map = new PlainMap<number>(2);
      map.set(a as object, 1);
      expect(map.get(structuredClone(a) as object)).toBe(1);
      const isSame = JSON.stringify(a) === JSON.stringify(b);
      if (isSame) expect(map.get(b as object)).toBe(1);
    }),
  );
});
