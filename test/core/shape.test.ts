/** @file Shapes: strides, axes, broadcasting and reductions, and invalid arguments. */
import { expect, test } from 'vitest';
import { ShapeError, ValueError } from '../../src/core/errors.ts';
import {
  axesInOrder,
  broadcastAxes,
  broadcastShapes,
  checkShape,
  formatShape,
  maxRank,
  normalizeAxes,
  normalizeAxis,
  oneOf,
  reducedShape,
  requireBoolean,
  requireFinite,
  requireInteger,
  requireRank,
  sameShape,
  sizeOf,
  stridesOf,
  unravel,
} from '../../src/core/shape.ts';

test('size, strides and positions agree', () => {
  expect(sizeOf([])).toBe(1);
  expect(sizeOf([2, 0, 3])).toBe(0);
  expect(stridesOf([])).toEqual([]);
  expect(stridesOf([2, 3, 4])).toEqual([12, 4, 1]);
  const shape = [2, 3, 4];
  const strides = stridesOf(shape);
  for (let position = 0; position < sizeOf(shape); position++) {
    const index = unravel(position, shape);
    expect(index.every((i, axis) => i >= 0 && i < (shape[axis] as number))).toBe(true);
    expect(index.reduce((sum, i, axis) => sum + i * (strides[axis] as number), 0)).toBe(position);
  }
});

test('equal shapes', () => {
  expect(sameShape([2, 3], [2, 3])).toBe(true);
  expect(sameShape([2, 3], [2])).toBe(false);
  expect(sameShape([2], [2, 3])).toBe(false);
  expect(sameShape([2, 3], [2, 4])).toBe(false);
  expect(formatShape([null, 3])).toBe('[null, 3]');
});

test('a shape is a list of at most six sizes', () => {
  for (const shape of [[], [0], [1, 2, 3, 4, 5, 6]]) expect(() => checkShape('zeros', shape)).not.toThrow();
  for (const shape of [
    [-1],
    [1.5],
    ['2'],
    [Number.NaN],
    '2',
    2,
    null,
    undefined,
    { length: 1 },
    new Array(2),
  ])
    expect(() => checkShape('zeros', shape), String(shape)).toThrow(ShapeError);
  expect(() => checkShape('zeros', new Array(maxRank + 1).fill(1))).toThrow(
    /at most 6 axes[\s\S]*rank 7[\s\S]*neighbouring axes/,
  );
  expect(() => checkShape('zeros', [null, 2])).toThrow(/open sizes of a symbolic tensor/);
  expect(() => checkShape('zeros', 'int32')).toThrow(/pass \{ dtype: 'int32' \}/);
  expect(() => checkShape('zeros', [-1])).toThrow(/sizes such as \[2, 3\]/);
});

test('axes count from either end', () => {
  expect([-3, -2, -1, 0, 1, 2].map((axis) => normalizeAxis('sum', axis, 3))).toEqual([0, 1, 2, 0, 1, 2]);
  for (const axis of [-4, 3, 0.5, '0', null, undefined])
    expect(() => normalizeAxis('sum', axis, 3), String(axis)).toThrow(ShapeError);
  expect(() => normalizeAxis('sum', 3, 3)).toThrow(/`axis` must be an integer in \[-3, 2\] .* rank 3/);
  expect(() => normalizeAxis('gather', 0, 0, 'batchDims')).toThrow(/a scalar has no axes, so `batchDims`/);
});

test('several axes', () => {
  expect(normalizeAxes('sum', null, 3)).toEqual([0, 1, 2]);
  expect(normalizeAxes('sum', undefined, 2)).toEqual([0, 1]);
  expect(normalizeAxes('sum', [-1, 0], 3)).toEqual([0, 2]);
  expect(axesInOrder('transpose', [-1, 0], 3)).toEqual([2, 0]);
  expect(axesInOrder('transpose', [-1, 0], 2)).toEqual([1, 0]);
  expect(axesInOrder('sum', 1, 3)).toEqual([1]);
  expect(axesInOrder('sum', [], 3)).toEqual([]);
  for (const axes of [
    [0, 0],
    [0, -2],
    [0, 1, 0],
  ]) {
    expect(() => axesInOrder('sum', axes, 2)).toThrow(ShapeError);
    expect(() => axesInOrder('sum', axes, 2)).toThrow(/an axis may be named once[\s\S]*axis: \[.*rank 2/);
  }
  expect(() => axesInOrder('sum', new Array(2), 2)).toThrow(ShapeError);
});

test('of a list with more axes than the tensor has, none is read: it may be of any length', () => {
  const list = Object.defineProperty([0, 1, 2], 0, {
    get: () => {
      throw new Error('read');
    },
  });
  expect(() => axesInOrder('sum', list, 2)).toThrow(ShapeError);
});

test('broadcasting', () => {
  const cases: [number[], number[], number[]][] = [
    [[], [], []],
    [[2, 3], [], [2, 3]],
    [
      [2, 3],
      [2, 3],
      [2, 3],
    ],
    [[3], [2, 1], [2, 3]],
    [
      [1, 1],
      [0, 5],
      [0, 5],
    ],
    [
      [4, 1, 3],
      [2, 1],
      [4, 2, 3],
    ],
  ];
  for (const [a, b, both] of cases) {
    expect(broadcastShapes('add', a, b)).toEqual(both);
    expect(broadcastShapes('add', b, a)).toEqual(both);
  }
  for (const [a, b] of [
    [[2], [3]],
    [[2, 3], [2]],
    [[0], [2]],
  ] as const)
    expect(() => broadcastShapes('add', a, b)).toThrow(`${formatShape(a)} and ${formatShape(b)}`);
});

test('axes along which a tensor is repeated', () => {
  expect(broadcastAxes([3], [2, 3])).toEqual([0]);
  expect(broadcastAxes([2, 1], [2, 3])).toEqual([1]);
  expect(broadcastAxes([1, 3], [1, 3])).toEqual([]);
  expect(broadcastAxes([], [2, 3])).toEqual([0, 1]);
  expect(broadcastAxes([1, 3], [4, 2, 3])).toEqual([0, 1]);
});

test('reduced shapes', () => {
  expect(reducedShape([2, 3, 4], [0, 2], false)).toEqual([3]);
  expect(reducedShape([2, 3, 4], [0, 2], true)).toEqual([1, 3, 1]);
});

test('numbers and flags of options', () => {
  for (const value of [1, 2, 2 ** 40]) expect(() => requireInteger('f', 'n', value, 1)).not.toThrow();
  for (const value of [0, 1.5, '1', Number.NaN, null])
    expect(() => requireInteger('f', 'n', value, 1), String(value)).toThrow(ValueError);
  expect(() => requireInteger('f', 'n', -1, 0)).toThrow(
    /`n` must be an integer of at least 0[\s\S]*n: -1[\s\S]*1\.$/,
  );
  expect(() => requireInteger('f', 'n', 0, 3)).toThrow(/such as 3\.$/);
  for (const value of [true, false]) expect(() => requireBoolean('f', 'flag', value)).not.toThrow();
  for (const value of [0, 'true', null, undefined])
    expect(() => requireBoolean('f', 'flag', value), String(value)).toThrow(/`flag` must be true or false/);
  for (const value of [-5, 0, 1e300]) expect(() => requireFinite('f', 'x', value)).not.toThrow();
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '1', null])
    expect(() => requireFinite('f', 'x', value), String(value)).toThrow(/must be a finite number\.\n/);
  expect(() => requireFinite('f', 'x', 2, 2)).not.toThrow();
  expect(() => requireFinite('f', 'x', 1, 2)).toThrow(/a finite number of at least 2\.[\s\S]*such as 2\.5/);
  expect(() => requireFinite('f', 'x', Number.NaN)).toThrow(/such as 0\.5/);
});

test('names ignore case and underscores', () => {
  const names = ['sumOverBatch', 'none'] as const;
  expect(oneOf('f', 'reduction', 'sum_over_batch', names)).toBe('sumOverBatch');
  expect(oneOf('f', 'reduction', 'NONE', names)).toBe('none');
  for (const wrong of ['nnone', 3, null, undefined])
    expect(() => oneOf('f', 'reduction', wrong, names)).toThrow(/must be 'sumOverBatch' or 'none'/);
  expect(() => oneOf('f', 'reduction', 'nnone', names)).toThrow(/received: reduction: 'nnone'[\s\S]*'none'/);
});

test('ranks', () => {
  expect(() => requireRank('f', 'x', [1, 2], 2, 3)).not.toThrow();
  expect(() => requireRank('f', 'x', [1], 2, 3)).toThrow(
    /`x` must have rank 2 or 3[\s\S]*rank 1, shape \[1\]/,
  );
});
