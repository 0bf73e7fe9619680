/** @file Signatures: which calls of a compiled function are distinguished. */
import { beforeAll, expect, test } from 'vitest';
import {
  add,
  checkpoint,
  compile,
  grad,
  init,
  mul,
  RetrogradError,
  scan,
  type Tensor,
  tensor,
  variable,
  vjp,
  vmap,
} from '../../src/index.ts';
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

test('a hole is not undefined, and stays a hole', async () => {
  const [hole, nothing] = [new Array<unknown>(1), [undefined] as unknown[]];
  expect(textOf(hole)).not.toBe(textOf(nothing));
  const f = compile((x: Tensor, list: unknown[]) => mul(x, 0 in list ? 2 : 3));
  for (let i = 0; i < 3; i++) {
    expect(await f(tensor(5), hole).item()).toBe(15);
    expect(await f(tensor(5), nothing).item()).toBe(10);
  }
});

test('properties whose keys are symbols are part of arguments and results', async () => {
  const [by, other] = [Symbol('by'), Symbol('by')];
  type Marked = { x: Tensor } & Partial<Record<symbol, Tensor>>;
  const f = compile((o: Marked) => ({ [by]: mul(o.x, o[by] ?? o[other] ?? 7) }) as Record<symbol, Tensor>);
  const result = async (o: Marked) => (f(o)[by] as Tensor).item();
  for (let i = 1; i < 4; i++) {
    expect(await result({ x: tensor(5), [by]: tensor(i) })).toBe(5 * i);
    expect(await result({ x: tensor(5), [other]: tensor(2) })).toBe(10);
    expect(await result({ x: tensor(5) })).toBe(35);
  }
  expect(f.explain()).toHaveLength(3);
  const triple = (o: Record<symbol, Tensor>) => mul(o[by] as Tensor, 3);
  const gradient = grad(triple)({ [by]: tensor(2) });
  expect(await (gradient[by] as Tensor).item()).toBe(3);
  expect(await vmap(triple)({ [by]: tensor([2]) }).array()).toEqual([6]);
});

test('arguments that contain themselves, are too deep or can’t be read are typed errors', () => {
  const f = compile((x: unknown) => x as Tensor);
  const list: unknown[] = [];
  list.push(list);
  const record: Record<string, unknown> = {};
  record.inner = { list: [record] };
  let deep: unknown = tensor(1);
  for (let i = 0; i < 100_000; i++) deep = i % 2 ? [deep] : { deep };
  const thrower = (trap: keyof ProxyHandler<object>) =>
    new Proxy(
      { x: 1 },
      {
        [trap]: () => {
          throw new Error('trapped');
        },
      },
    );
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const transforms: [string, (x: never) => unknown][] = [
    ['compile', (x) => f(x)],
    ['grad', (x) => grad((y: Tensor) => y)(x)],
    ['vmap', (x) => vmap((y: Tensor) => y)(x)],
    ['axes of vmap', (x) => vmap((y: Tensor) => y, { inAxes: x })(x)],
    ['scan', (x) => scan((c: Tensor) => [c, null], x, null, { length: 2 })],
    ['checkpoint', (x) => checkpoint((y: Tensor) => y)(x)],
    ['vjp', (x) => vjp((y: Tensor) => y, x)],
    ['results of compile', (x) => compile((): unknown => x)()],
    ['results of vmap', (x) => vmap((_: Tensor) => x)(tensor([1]))],
    ['results of scan', (x) => scan(() => [x, null] as never, tensor(1), null, { length: 2 })],
    ['results of checkpoint', (x) => checkpoint((_: Tensor) => x as Tensor)(tensor(1))],
  ];
  const values: [string, unknown][] = [
    ['list', list],
    ['record', record],
    ['deep', deep],
    [
      'getter',
      {
        get x() {
          throw new Error('trapped');
        },
      },
    ],
    ['revoked', revoked.proxy],
    ...(['get', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'] as const).map(
      (trap): [string, unknown] => [trap, thrower(trap)],
    ),
  ];
  const wrong: string[] = [];
  for (const [name, run] of transforms) {
    for (const [what, value] of values) {
      try {
        run(value as never);
        wrong.push(`${name} of ${what}: accepted`);
      } catch (error) {
        if (!(error instanceof RetrogradError)) wrong.push(`${name} of ${what}: ${error}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('a Proxy of an object of a class is compared by identity, even if it throws', () => {
  const thrower = new Proxy(new (class A {})(), {
    ownKeys() {
      throw new Error('trapped');
    },
  });
  const f = compile((x: Tensor, _: object) => mul(x, 2));
  for (let i = 0; i < 3; i++) f(tensor(1), thrower);
  expect(f.explain()).toMatchObject([{ captured: true }]);
});
