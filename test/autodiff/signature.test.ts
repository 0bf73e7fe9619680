/** @file Signatures: which calls of a compiled function are distinguished. */
import { beforeAll, expect, test } from 'vitest';
import { add, compile, init, mul, type Tensor, tensor, variable } from '../../src/index.ts';
import { fieldsOf, signatureOf } from '../../src/autodiff/signature.ts';
import { input } from '../../src/keras/index.ts';
import { installNodeGpu } from '../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

const textOf = (...args: unknown[]) => signatureOf(undefined, args).text;

test('functions count by identity, not by their text', async () => {
  const times = (by: number) => (x: Tensor) => mul(x, by);
  const [twice, thrice] = [times(2), times(3)];
  const f = compile((x: Tensor, g: (x: Tensor) => Tensor) => add(g(x), 1));
  for (let i = 0; i < 2; i++) {
    expect(await f(tensor(5), twice).item()).toBe(11);
    expect(await f(tensor(5), thrice).item()).toBe(16);
  }
  expect(f.explain()).toHaveLength(2);
});

test('values that differ have texts that differ', () => {
  const [object, other] = [new (class A {})(), new (class A {})()];
  const [x, y] = [tensor([1]), tensor([1])];
  const v = variable(tensor([1]));
  const masked = tensor([1]);
  masked.attachment = tensor([true]);
  const values: unknown[] = [
    0,
    -0,
    1,
    '1',
    true,
    1n,
    null,
    undefined,
    Number.NaN,
    Symbol('a'),
    Symbol('a'),
    Symbol.for('a'),
    () => 1,
    () => 1,
    [],
    [1],
    [1, 2],
    [[1], 2],
    {},
    { a: 1 },
    { b: 1 },
    { a: 1, b: 1 },
    object,
    other,
    x,
    tensor([1, 2]),
    tensor([1], { dtype: 'int32' }),
    v,
    variable(tensor([1])),
    [x, x],
    [x, y],
    masked,
  ];
  const texts = values.map((value) => textOf(value));
  expect(new Set(texts).size).toBe(values.length);
  expect(values.map((value) => textOf(value))).toEqual(texts);
  expect(textOf(y)).toBe(textOf(x));
});

test('simple values are shown as they are', () => {
  const values = [-0, 0, 'a', true, 1n, null, undefined];
  expect(values.map((value) => textOf(value))).toEqual([
    'number -0',
    'number 0',
    '"a"',
    'boolean true',
    'bigint 1',
    'null',
    'undefined undefined',
  ]);
});

test('a call has inputs to rebind, masks after their tensors, and all of its tensors and objects', () => {
  const [x, mask, v] = [tensor([1]), tensor([true]), variable(tensor([1]))];
  x.attachment = mask;
  const object = new (class A {})();
  const self = new (class B {})();
  const { text, inputs, tensors, objects } = signatureOf(self, [{ v, list: [x, x] }, object]);
  expect(inputs).toEqual([x, mask]);
  expect(tensors).toEqual([v, x, x]);
  expect(objects).toEqual([object, self]);
  expect(text).toMatch(
    /^this object \d+, \{"v": variable \d+, "list": \[0: float32\[1\] with 1: bool\[1\], 0 with 1\]\}, object \d+$/,
  );
  expect(signatureOf(undefined, [])).toEqual({
    text: '',
    inputs: [],
    tensors: [],
    objects: [],
    obstacle: null,
  });
});

test('containers whose contents may change are said to be obstacles', () => {
  const obstacleOf = (value: unknown) => signatureOf(undefined, [value]).obstacle;
  expect(obstacleOf(new Float32Array(2))).toMatch(/a Float32Array, whose contents may change/);
  expect(obstacleOf(new DataView(new ArrayBuffer(2)))).toMatch(/a DataView/);
  expect(obstacleOf(new ArrayBuffer(2))).toMatch(/an? ArrayBuffer/);
  expect(obstacleOf(new Map())).toMatch(/a Map/);
  expect(obstacleOf(new Set())).toMatch(/a Set/);
  expect(obstacleOf(new Date())).toMatch(/a Date/);
  expect(obstacleOf(new SharedArrayBuffer(2))).toMatch(/a SharedArrayBuffer/);
  expect(obstacleOf(input({ shape: [2] }))).toMatch(/a symbolic tensor, which has no values/);
  // The first of several is named.
  expect(signatureOf(undefined, [new Map(), new Set()]).obstacle).toMatch(/a Map/);
  expect(obstacleOf({ a: [1], b: null })).toBeNull();
  expect(obstacleOf(new (class A {})())).toBeNull();
});

test('fields that change, appear or move to another object are seen; those of nested objects and methods aren’t', () => {
  const texts = [
    [{}, {}],
    [{ a: 1 }, {}],
    [{}, { a: 1 }],
    [{ a: 2 }, {}],
    [{ a: '1' }, {}],
    [{ a: tensor(1) }, {}],
    [{ a: tensor(1) }, {}],
    [{ a: 1, b: null }, {}],
  ].map(fieldsOf);
  expect(new Set(texts).size).toBe(texts.length);
  expect(fieldsOf([{ a: { b: 1 }, f: () => 1 }])).toBe(fieldsOf([{}]));
});

test('an object whose fields change all the time is compared a few times only', () => {
  const state = new (class State {
    step = 0;
  })();
  let runs = 0;
  const f = compile((x: Tensor, _: object) => {
    runs++;
    return mul(x, 2);
  });
  const x = tensor([1]);
  for (; state.step < 50; state.step++) f(x, state).dispose();
  // The recording, comparisons after replays 1 and 15, and one for each of three changes.
  expect(runs).toBeLessThanOrEqual(6);
});
