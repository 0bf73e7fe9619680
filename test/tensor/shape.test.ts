/** @file Shapes of tensors are immutable, through the tensor and through the list that it was created with. */
import { beforeAll, expect, test } from 'vitest';
import { frozenShape } from '../../src/core/frozenShape.ts';
import {
  add,
  concat,
  init,
  ones,
  reshape,
  sum,
  type Tensor,
  tensor,
  variable,
  zeros,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const x = () => ones([2, 3]);

test.each<[string, () => Tensor]>([
  [
    'made of values',
    () =>
      tensor([
        [1, 2, 3],
        [4, 5, 6],
      ]),
  ],
  ['made of a shape', () => zeros([2, 3])],
  ['a variable', () => variable(x())],
  ['a result', () => add(x(), x())],
  ['reshaped', () => reshape(ones([6]), [2, 3])],
])('of one %s are frozen', (_, make) => {
  const shape = make().shape as number[];
  expect(() => shape.push(4)).toThrow(TypeError);
  expect(() => {
    shape[0] = 5;
  }).toThrow(TypeError);
  expect(() => shape.reverse()).toThrow(TypeError);
  expect(shape).toEqual([2, 3]);
});

test('a list that a program changes later is copied', async () => {
  const shape = [2, 2];
  const made = ones(shape);
  shape[0] = 7;
  expect(made.shape).toEqual([2, 2]);
  expect(ones(shape).shape).toEqual([7, 2]);
  expect(await sum(made).item()).toBe(4);
});

test('many shapes stay what they are', () => {
  const sizes = Array.from({ length: 3000 }, (_, i) => [1, i % 60, Math.floor(i / 60)]);
  expect(sizes.map(frozenShape)).toEqual(sizes);
  expect(concat([zeros([1, 2]), zeros([3, 2])]).shape).toEqual([4, 2]);
});
