/** @file Nests: lists and records of leaves, mapped with the paths of the leaves. */
import { expect, test } from 'vitest';
import { ValueError } from '../../src/core/errors.ts';
import { inOrder, isBranch, keysOf, leavesOf, mapNest, type Nest, packNest } from '../../src/core/nest.ts';

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
  expect(() => leavesOf(deep(201))).toThrow(ValueError);
  expect(() => leavesOf(deep(201))).toThrow(/at most 200 deep/);
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  expect(() => leavesOf(cyclic as Nest<number>)).toThrow(/contains itself/);
  const item = (_: unknown) => 1;
  expect(mapNest(new Array<number>(2 ** 20), item)).toHaveLength(2 ** 20);
  expect(() => mapNest(new Array<number>(2 ** 20 + 1), item)).toThrow(/at most 1048576 items/);
});

test('records are visited by sorted keys, and keep the order in which they were written', () => {
  const record = { b: 1, a: { d: 2, c: 3 } };
  const paths: string[] = [];
  const mapped = mapNest(record, (leaf: number, path) => {
    paths.push(path);
    return -leaf;
  });
  expect(paths).toEqual(['inputs.a.c', 'inputs.a.d', 'inputs.b']);
  expect(mapped).toEqual({ b: -1, a: { d: -2, c: -3 } });
  expect(Object.keys(mapped)).toEqual(['b', 'a']);
  expect(inOrder(['b', 'a'])).toEqual(['a', 'b']);
  expect(keysOf({ z: 0, y: 0, x: 0 })).toEqual(['x', 'y', 'z']);
  expect(keysOf(Array.from({ length: 11 }, () => 0))).toEqual(
    Array.from({ length: 11 }, (_, i) => String(i)),
  );
});

test('lists and plain objects are branches; other objects are leaves', () => {
  for (const branch of [[], {}, Object.create(null)]) expect(isBranch(branch)).toBe(true);
  for (const leaf of [null, undefined, 1, 'a', new Map(), new Float32Array(1), new (class Own {})(), () => 1])
    expect(isBranch(leaf)).toBe(false);
  expect(leavesOf<number>(Object.assign(Object.create(null), { a: 1 }))).toEqual([1]);
  // A hole is a leaf.
  expect(leavesOf(new Array<number>(2))).toEqual([undefined, undefined]);
});

test('an error names the place', () => {
  const record: Record<string, unknown> = {};
  record.self = record;
  expect(() => leavesOf(record as Nest<number>)).toThrow(
    /nest at most 200 deep[\s\S]*at inputs\.self\.self[\s\S]*contains itself/,
  );
  expect(() => leavesOf(record as Nest<number>, 'the result')).toThrow(/at the result\.self\.self/);
  const many = { list: new Array<number>(2 ** 20 + 1) };
  expect(() => leavesOf(many)).toThrow(ValueError);
  expect(() => leavesOf(many)).toThrow(/1048577 of them, at inputs\.list[\s\S]*one tensor: tensor\(values\)/);
});
