/** @file Frozen shapes: immutable copies, shared by equal sizes. */
import { expect, test } from 'vitest';
import { frozenShape } from '../../src/core/frozenShape.ts';

/** Many shapes, several for each slot of the cache. */
const shapes = Array.from({ length: 5000 }, (_, i) => [i % 17, (i * 7) % 23, i].slice(0, i % 4));

test('sizes are copied, and can’t be changed', () => {
  const given = [2, 3];
  const frozen = frozenShape(given);
  given[0] = 9;
  expect(frozen).toEqual([2, 3]);
  expect(() => (frozen as number[]).push(4)).toThrow(TypeError);
});

test('every shape gets its own sizes, whatever came before it', () => {
  for (const shape of [...shapes, ...shapes.toReversed()]) expect(frozenShape(shape)).toEqual(shape);
});

test('equal sizes share a list; others don’t', () => {
  expect(frozenShape([4, 5])).toBe(frozenShape([4, 5]));
  expect(frozenShape([])).toBe(frozenShape([]));
  const shape = frozenShape([4, 5]);
  expect(frozenShape(shape)).toBe(shape);
  expect(frozenShape([4, 5])).not.toBe(frozenShape([4, 5, 1]));
  expect(frozenShape([4, 5])).not.toBe(frozenShape([5, 4]));
});

test('most of a hundred shapes in use keep their lists', () => {
  const used = Array.from({ length: 100 }, (_, i) => [i, i % 7, 3]);
  const lists = used.map(frozenShape);
  const kept = used.filter((shape, i) => frozenShape(shape) === lists[i]);
  expect(kept.length).toBeGreaterThan(80);
});
