import { beforeAll, describe, expect, test } from 'vitest';
import {
  init,
  memory,
  ones,
  relu,
  ShapeError,
  square,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  zeros,
} from '../../../src/index.ts';
import {
  clearSession,
  input,
  Layer,
  layers,
  model,
  Sequential,
  sequential,
} from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const dense = (units: number, name?: string) =>
  layers.dense({ units, kernelInitializer: 'ones', ...(name ? { name } : {}) });

describe('a Sequential', () => {
  test('with an input is built at once, and hides its input layer', async () => {
    clearSession();
    const net = sequential([input({ shape: [2], name: 'features' }), dense(3), dense(1)]);
    expect(net.name).toBe('sequential');
    expect(net.built).toBe(true);
    expect(net.layers.map(({ name }) => name)).toEqual(['dense', 'dense_1']);
    expect(net.inputs.map(({ name }) => name)).toEqual(['features']);
    expect(net.output.shape).toEqual([null, 1]);
    expect(net.weights.map(({ path }) => path)).toEqual([
      'sequential/dense/kernel',
      'sequential/dense/bias',
      'sequential/dense_1/kernel',
      'sequential/dense_1/bias',
    ]);
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[9]]);
    expect(net.getLayer('dense_1')).toBe(net.getLayer(1));
  });

  test('without an input is built at its first call, for batches of any size', async () => {
    const net = sequential({ layers: [dense(3), dense(1)], name: 'late' });
    expect(net.weights).toEqual([]);
    expect(() => net.input).toThrow(/start with input/);
    expect(() => net.outputs).toThrow(ValueError);
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[9]]);
    expect(net.weights).toHaveLength(4);
    expect(net.input.shape).toEqual([null, 2]);
    expect((await net.apply(ones([5, 2]))).shape).toEqual([5, 1]);
    expect(() => net.apply(ones([5, 3]))).toThrow(ShapeError);
  });

  test('is built by hand, and in another model', () => {
    const net = sequential([dense(3)]);
    net.build([null, 2]);
    expect(net.inputs[0]?.shape).toEqual([null, 2]);
    expect(() => net.build([null, 5])).toThrow(ValueError);
    const late = sequential([dense(3)]);
    const x = input({ shape: [4] });
    const outer = model({ inputs: x, outputs: late.apply(x) });
    expect(outer.countParams()).toBe(15);
    expect(outer.layers[1]).toBe(late);
  });

  test('takes the dtype of its first input', async () => {
    const ids = tensor([[0, 1]], { dtype: 'int32' });
    const net = sequential([layers.embedding({ inputDim: 2, outputDim: 3 })]);
    expect(net.apply(ids).shape).toEqual([1, 2, 3]);
    const built = sequential([layers.embedding({ inputDim: 2, outputDim: 3 })]);
    built.build([null, 2]);
    expect(built.apply(ids).shape).toEqual([1, 2, 3]);
  });

  test('grows and shrinks; a layer is called once', async () => {
    const net = sequential();
    net.add(input({ shape: [2] }));
    const [first, second] = [dense(3), dense(1)];
    net.add(first);
    net.add(second);
    expect(first.inboundNodes).toHaveLength(1);
    expect(net.output.shape).toEqual([null, 1]);
    expect(net.pop()).toBe(second);
    expect(net.output).toBe(first.output);
    expect(net.weights).toHaveLength(2);
    net.add(layers.activation({ activation: 'linear' }));
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[3, 3, 3]]);
    net.pop();
    net.pop();
    expect(net.layers).toEqual([]);
    expect(() => net.pop()).toThrow(ValueError);
  });

  test('shares a layer that occurs in it twice', async () => {
    const shared = dense(2, 'shared');
    const net = sequential([input({ shape: [2] }), shared, shared]);
    expect(net.weights).toHaveLength(2);
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[6, 6]]);
  });

  test('contains models, and is contained', async () => {
    const inner = sequential([input({ shape: [2] }), dense(2)]);
    const net = sequential([input({ shape: [2] }), inner, sequential([dense(1)])]);
    expect(await net.apply(tensor([[1, 2]])).array()).toEqual([[6]]);
    net.trainable = false;
    expect(inner.trainable).toBe(false);
    expect(net.trainableWeights).toEqual([]);
  });

  test('of layers that take several tensors goes through them call by call', async () => {
    const net = sequential([layers.concatenate(), dense(1)]);
    const y = net.apply([tensor([[1]]), tensor([[2]])] as never);
    expect(await y.array()).toEqual([[3]]);
    expect(net.weights).toHaveLength(2);
  });

  test('passes masks and training on', async () => {
    class Doubled extends Layer {
      override call(x: Tensor, { training = false }: { training?: boolean }): Tensor {
        return training ? square(x) : relu(x);
      }
    }
    const net = sequential([new Doubled()]);
    expect(await net.apply(tensor([[3]]), { training: true }).array()).toEqual([[9]]);
    expect(await net.apply(tensor([[3]])).array()).toEqual([[3]]);
  });

  test('can be created again from its configuration', async () => {
    const net = sequential([input({ shape: [2] }), dense(3), layers.dropout({ rate: 0.5 })]);
    const again = Sequential.fromConfig(net.getConfig());
    expect(again.getConfig()).toEqual(net.getConfig());
    expect(again.countParams()).toBe(net.countParams());
    const late = sequential([dense(3)]);
    late.apply(zeros([1, 2]));
    expect(Sequential.fromConfig(late.getConfig()).countParams()).toBe(9);
  });

  test('leaves nothing behind but its output', () => {
    const net = sequential([dense(3), dense(2), dense(1)]);
    const x = tensor([[1, 2]]);
    net.apply(x).dispose();
    const before = memory().tensors;
    tidy(() => void net.apply(x));
    expect(memory().tensors).toBe(before);
  });

  test.each<[string, () => unknown]>([
    ['what is no layer', () => sequential([dense(1), 'dense' as never])],
    ['a symbolic tensor that a layer gave', () => sequential([dense(1).apply(input({ shape: [1] }))])],
    ['a list that is none', () => sequential({ layers: dense(1) as never })],
    ['two layers of one name', () => sequential([dense(1, 'twin'), dense(1, 'twin')])],
    ['a second input', () => sequential([input({ shape: [1] }), dense(1), input({ shape: [1] })])],
    ['an input above a layer', () => sequential([dense(1), input({ shape: [1] })])],
    ['building without layers', () => sequential().build([null, 1])],
    ['a call without layers', () => sequential().apply(zeros([1, 1]))],
  ])('rejects %s', (_, make) => {
    expect(make).toThrow(ValueError);
  });
});
