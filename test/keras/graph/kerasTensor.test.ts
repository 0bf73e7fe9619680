import { equal } from 'node:assert';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  concat,
  dropout,
  gather,
  matMul,
  mul,
  reshape,
  ShapeError,
  slice,
  split,
  square,
  stridedSlice,
  SymbolicError,
  sum,
  type SymbolicTensor,
  tensor,
  tidy,
  ValueError,
  variable,
  init,
} from '../../../src/index.ts';
import {
  clearSession,
  getSourceInputs,
  type GraphOperation,
  input,
  KerasTensor,
  layers,
  model,
} from '../../../src/keras/index.ts';
import type { OpenShape } from '../../../src/core/shape.ts';

beforeAll(async () => {
  await init();
});

describe('a symbolic tensor', () => {
  const x = input({ shape: [8, 3], name: 'words' });

  test('has a shape with an open batch, a dtype, a name and a history', () => {
    expect(x.shape).toEqual([null, 8, 3]);
    expect(x.dtype).toBe('float32');
    expect(x.name).toBe('words');
    expect(x.rank).toBe(3);
    expect(x.size).toBeNull();
    expect(x.kerasHistory).toMatchObject({ operation: { name: 'words' }, nodeIndex: 0, tensorIndex: 0 });
    expect(`${x}`).toBe("KerasTensor float32[null, 8, 3] 'words', made by words");
  });

  test('keeps its shape and its dtype', () => {
    const any = x as unknown as { shape: unknown; dtype: unknown };
    expect(() => {
      (x.shape as (number | null)[])[0] = 4;
    }).toThrow(TypeError);
    expect(() => {
      any.shape = [4];
    }).toThrow(/hint: create a new tensor with an op: reshape/);
    expect(() => {
      any.dtype = 'int32';
    }).toThrow(SymbolicError);
    expect([x.shape, x.dtype]).toEqual([[null, 8, 3], 'float32']);
  });

  test('stands for true in a condition, which JavaScript lets no one see; compared, it throws', () => {
    // Node's loose equality uses `==`; `===` doesn't convert objects to primitives.
    expect(() => equal(x, true)).toThrow(SymbolicError);
    expect(() => +(x as unknown as number)).toThrow(SymbolicError);
    expect(x ? 'taken' : 'left').toBe('taken');
  });

  test.each<[string, () => unknown]>([
    ['data()', () => x.data()],
    ['array()', () => x.array()],
    ['item()', () => x.item()],
    ['its buffer', () => x.buffer],
    ['iteration', () => [...(x as unknown as Iterable<unknown>)]],
    ['arithmetic', () => (x as unknown as number) + 1],
    ['a comparison', () => (x as unknown as number) > 0],
  ])('has no values: %s throws', (_, use) => {
    expect(use).toThrow(SymbolicError);
    expect(use).toThrow('hint:');
  });
});

describe('an op on symbolic tensors', () => {
  test('is a separate operation at every call, named as in Keras', () => {
    clearSession();
    const x = input({ shape: [3] });
    const [first, second] = [add(x, 1), add(x, x)];
    const names = [first, second].map((y) => y.kerasHistory?.operation.name);
    expect(names).toEqual(['add', 'add_1']);
    expect(matMul(x, tensor([[1], [2], [3]])).kerasHistory?.operation.name).toBe('matmul');
    expect(x.name).toBe('input_layer');
  });

  test('knows its inputs, and is known to their makers', () => {
    const x = input({ shape: [3] });
    const node = square(x).kerasHistory?.node;
    expect(node?.inputs).toMatchObject([{ id: x.id, shape: [null, 3] }]);
    expect(node?.inputs[0]?.history).toBe(x.kerasHistory);
    expect(node?.outputs).toMatchObject([{ shape: [null, 3], dtype: 'float32' }]);
    const maker = x.kerasHistory?.operation as GraphOperation;
    expect(maker.outboundNodes).toHaveLength(1);
    expect(maker.outboundNodes[0]).toBe(node);
  });

  const open = (shape: OpenShape) => input({ shape });
  test.each<[string, () => SymbolicTensor, OpenShape]>([
    ['elementwise', () => square(open([null, 2])), [null, null, 2]],
    ['broadcast of an open size and 1', () => add(open([1, 5]), open([7, 1])), [null, 7, 5]],
    ['an open size with a constant', () => add(open([4]), tensor([1, 2, 3, 4])), [null, 4]],
    ['an open size that must meet a known one', () => add(open([null]), tensor([[1, 2, 3]])), [null, 3]],
    ['reduction of the open axis', () => sum(open([5]), { axis: 0 }), [5]],
    ['reduction of a known axis', () => sum(open([5]), { axis: 1, keepDims: true }), [null, 1]],
    ['reshape with -1', () => reshape(open([4, 6]), { shape: [-1, 24] }), [null, 24]],
    ['matrix product', () => matMul(open([null, 4]), tensor([[1], [2], [3], [4]])), [null, null, 1]],
  ])('infers open sizes: %s', (_, call, shape) => {
    expect(call().shape).toEqual(shape);
  });

  test('errors name open sizes as null', () => {
    const call = () => matMul(input({ shape: [3] }), tensor([[1, 2]]));
    expect(call).toThrow(ShapeError);
    expect(call).toThrow(/float32\[null, 3\]/);
  });

  test('with several outputs has one node for them', async () => {
    const x = input({ shape: [4] });
    const [first, second] = split(x, { numOrSizeSplits: 2, axis: 1 });
    expect([first, second].map((t) => t?.kerasHistory?.tensorIndex)).toEqual([0, 1]);
    expect(first?.kerasHistory?.node).toBe(second?.kerasHistory?.node);
    const net = model({ inputs: x, outputs: second as KerasTensor });
    expect(await net.apply(tensor([[1, 2, 3, 4]])).array()).toEqual([[3, 4]]);
  });

  test('takes lists, with constants among them', async () => {
    const [x, y] = [input({ shape: [1] }), input({ shape: [1] })];
    const z = concat([x, tensor([[7]]), y], { axis: 0 });
    expect(z.shape).toEqual([null, 1]);
    const net = model({ inputs: [x, y], outputs: z });
    expect(await net.apply([tensor([[1]]), tensor([[2]])]).array()).toEqual([[1], [7], [2]]);
  });

  test('takes parts: slice, stridedSlice and gather are nodes like others', async () => {
    const x = input({ shape: [3] });
    const parts = {
      slice: slice(x, { begin: [0, 1], size: [-1, 2] }),
      strided: stridedSlice(x, { begin: [0, 0], end: [0, 3], strides: [1, 2], beginMask: 1, endMask: 1 }),
      gather: gather(x, [2, 0], { axis: 1 }),
    };
    expect(Object.values(parts).map(({ shape }) => shape)).toEqual([
      [null, 2],
      [null, 2],
      [null, 2],
    ]);
    const made = model({ inputs: x, outputs: parts }).apply(tensor([[1, 2, 3]]));
    expect(await made.slice.array()).toEqual([[2, 3]]);
    expect(await made.strided.array()).toEqual([[1, 3]]);
    expect(await made.gather.array()).toEqual([[3, 1]]);
  });

  test('runs again at every call of the model', async () => {
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: dropout(x, { rate: 0.5 }) });
    const given = tensor([Array.from({ length: 2 }, () => 1)]);
    const drawn = new Set<string>();
    for (let i = 0; i < 20; i++) drawn.add(String(await net.apply(given).array()));
    expect(drawn.size).toBeGreaterThan(1);
  });

  test('keeps constants alive beyond their scope, and reads current values of variables', async () => {
    const x = input({ shape: [2] });
    const w = variable(tensor([1, 1]));
    const net = tidy(() => model({ inputs: x, outputs: mul(add(x, tensor([10, 20])), w) }));
    const given = tensor([[1, 2]]);
    expect(await net.apply(given).array()).toEqual([[11, 22]]);
    w.assign(tensor([2, 3]));
    expect(await net.apply(given).array()).toEqual([[22, 66]]);
  });
});

describe('getSourceInputs', () => {
  test('returns the inputs that a tensor depends on', () => {
    const [a, b, unused] = [input({ shape: [2] }), input({ shape: [2] }), input({ shape: [2] })];
    const h = layers.dense({ units: 2 }).apply(add(a, b));
    const namesOf = (tensor: SymbolicTensor) => getSourceInputs(tensor).map(({ name }) => name);
    expect(namesOf(mul(h, a))).toEqual([a.name, b.name]);
    expect(namesOf(unused)).toEqual([unused.name]);
    const bare = new KerasTensor({ shape: [2], dtype: 'float32' }, 'bare');
    expect(namesOf(bare)).toEqual(['bare']);
  });

  test('rejects tensors with values', () => {
    expect(() => getSourceInputs(tensor([1]) as never)).toThrow(ValueError);
  });
});
