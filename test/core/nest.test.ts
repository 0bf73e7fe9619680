/** @file Nests: lists and records of leaves, mapped with the paths of the leaves. */
import { expect, test } from 'vitest';
import { leavesOf, mapNest, type Nest, packNest } from '../../src/core/nest.ts';

const nest = { a: [1, { b: 2 }], c: 3 };

test('leaves have paths, and are replaced in order', () => {
  const paths: string[] = [];
  mapNest(nest, (_, path) => paths.push(path));
  expect(paths).toEqual(['inputs.a[0]', 'inputs.a[1].b', 'inputs.c']);
  mapNest([4], (_, path) => paths.push(path), 'outputs');
  expect(paths.at(-1)).toBe('outputs[0]');
  expect(leavesOf(nest)).toEqual([1, 2, 3]);
  expect(packNest(nest, ['x', 'y', 'z'])).toEqual({ a: ['x', { b: 'y' }], c: 'z' });
  expect(mapNest(5, (leaf: number) => leaf + 1)).toBe(6);
});

test('200 levels and 2^20 items, and no more', () => {
  const deep = (levels: number): Nest<number> => (levels === 0 ? 1 : [deep(levels - 1)]);
  expect(leavesOf(deep(200))).toEqual([1]);
  expect(() => leavesOf(deep(201))).toThrow(/at most 200 deep/);
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  expect(() => leavesOf(cyclic as Nest<number>)).toThrow(/contains itself/);
  const item = (_: unknown) => 1;
  expect(mapNest(new Array<number>(2 ** 20), item)).toHaveLength(2 ** 20);
  expect(() => mapNest(new Array<number>(2 ** 20 + 1), item)).toThrow(/at most 1048576 items/);
});
