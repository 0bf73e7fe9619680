/** @file Assignments to properties that an optimizer, a layer or a model doesn't have, or that can't change any more. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, ones, RetrogradError, type Tensor, variable } from '../../src/index.ts';
import { Layer, layers, Model, optimizers, sequential } from '../../src/keras/index.ts';
import { data, regressor } from './training/support.ts';

beforeAll(async () => {
  await init();
});

/** Assigns as in JavaScript, without types. */
const assign = (owner: object, name: string, value: unknown) => {
  (owner as Record<string, unknown>)[name] = value;
};

test.each<[string, () => object, unknown, RegExp]>([
  ['lr', () => optimizers.adam(), 0.1, /did you mean 'learningRate'/],
  ['learning_rate', () => optimizers.sgd(), 0.1, /did you mean 'learningRate'/],
  ['LR', () => optimizers.lion(), 0.1, /did you mean 'learningRate'/],
  ['weightDecay', () => optimizers.adamW(), 0.1, /make another optimizer/],
  ['beta_1', () => optimizers.adam(), 0.5, /make another optimizer/],
  ['clipnorm', () => optimizers.sgd(), 1, /received: clipnorm = 1/],
  ['trainble', () => layers.dense(2), false, /did you mean 'trainable'/],
  ['Trainable', () => layers.dropout(0.5), false, /did you mean 'trainable'/],
  ['kernelRegularizer', () => layers.dense(2), 'l2', /pass it where the layer is made/],
  ['return_sequences', () => layers.lstm(2), true, /pass it where the layer is made/],
  ['stop_training', () => regressor(), true, /did you mean 'stopTraining'/],
  ['stopTrainig', () => sequential([]), true, /did you mean 'stopTraining'/],
  ['loss', () => regressor(), 'mse', /pass it to compile/],
  ['run_eagerly', () => regressor(), true, /pass it to compile/],
  ['stop_training', () => new (class extends Model {})(), true, /did you mean 'stopTraining'/],
])('%s of %o', (name, make, value, message) => {
  const owner = make();
  expect(() => assign(owner, name, value)).toThrow(message);
  expect(() => assign(owner, name, value)).toThrow(RetrogradError);
  expect(Object.hasOwn(owner, name)).toBe(false);
});

describe('effective assignments are accepted', () => {
  test('a learning rate, and options before the first step', () => {
    const optimizer = optimizers.sgd(0.5);
    optimizer.learningRate = 0.25;
    assign(optimizer, 'momentum', 0.5);
    expect(optimizer.getConfig()).toMatchObject({ learningRate: 0.25, momentum: 0.5 });
    optimizer.learningRate = optimizers.schedules.exponentialDecay(0.1, 10, 0.5);
    expect(optimizer.learningRate).toBeCloseTo(0.1, 6);
    expect(() => assign(optimizers.sgd(), 'learningRate', '0.1')).toThrow(/a number of at least 0/);
  });

  test('properties of classes of an app', () => {
    class Own extends Layer {
      constructor() {
        super();
        for (const name of ['_trainable', 'trainables', 'loss', 'units', 'rate']) assign(this, name, 1);
      }
      override call(x: Tensor): Tensor {
        return x;
      }
    }
    expect(new Own()).toMatchObject({ _trainable: 1, trainables: 1, loss: 1, units: 1 });
    const dense = layers.dense(2);
    assign(dense, 'note', 'mine');
    expect(dense).toMatchObject({ note: 'mine' });
    expect(dense.apply(ones([1, 2])).shape).toEqual([1, 2]);
  });
});

test('options of an optimizer are fixed by its first step', async () => {
  const net = regressor();
  net.compile({ optimizer: optimizers.sgd(0.01, 0.9), loss: 'mse' });
  await net.fit(...data(4), { verbose: 0 });
  const { optimizer } = net;
  expect(() => assign(optimizer ?? {}, 'momentum', 0.5)).toThrow(/`momentum` is fixed[\s\S]*learningRate/);
  expect(() => assign(optimizer?.options ?? {}, 'useEma', true)).toThrow(TypeError);
  expect(optimizer?.getConfig()).toMatchObject({ momentum: 0.9, useEma: false });
  await net.fit(...data(4), { verbose: 0 });
});

test('the list of layers is read-only', () => {
  for (const net of [sequential([layers.dense(2)]), regressor()]) {
    const list = net.layers as Layer[];
    expect(() => list.pop()).toThrow(TypeError);
    expect(() => list.push(layers.dense(1))).toThrow(TypeError);
  }
});

test('`trainable` of a variable is true or false', () => {
  const weight = variable(ones([2]), { name: 'weight' });
  expect(() => assign(weight, 'trainable', 'no')).toThrow(/true or false/);
  weight.trainable = false;
  expect(weight.trainable).toBe(false);
});
