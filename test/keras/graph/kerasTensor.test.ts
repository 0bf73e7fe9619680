import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  matMul,
  mul,
  reshape,
  ShapeError,
  square,
  SymbolicError,
  sum,
  type SymbolicTensor,
  tensor,
  tidy,
  variable,
  init,
} from '../../../src/index.ts';
import { clearSession, type GraphOperation, input, model } from '../../../src/keras/index.ts';
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

  test('keeps its shape', () => {
    expect(() => {
      (x.shape as (number | null)[])[0] = 4;
    }).toThrow(TypeError);
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
    expect(use).toThrow('mend:');
  });
});

describe('an op on symbolic tensors', () => {
  test('is an operation of its own at every call, named as Keras names them', () => {
    clearSession();
    const x = input({ shape: [3] });
    const [first, second] = [add(x, 1), add(x, x)];
    const names = [first, second].map((y) => y.kerasHistory?.operation.name);
    expect(names).toEqual(['add', 'add_1']);
    expect(matMul(x, tensor([[1], [2], [3]])).kerasHistory?.operation.name).toBe('mat_mul');
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
    ['an open size beside a constant', () => add(open([4]), tensor([1, 2, 3, 4])), [null, 4]],
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

  test('keeps constants alive beyond their scope, and variables live', async () => {
    const x = input({ shape: [2] });
    const w = variable(tensor([1, 1]));
    const net = tidy(() => model({ inputs: x, outputs: mul(add(x, tensor([10, 20])), w) }));
    const given = tensor([[1, 2]]);
    expect(await net.apply(given).array()).toEqual([[11, 22]]);
    w.assign(tensor([2, 3]));
    expect(await net.apply(given).array()).toEqual([[22, 66]]);
  });
});
