/**
 * @file Options by position: calls that run also type-check, and calls that are rejected don't compile.
 * `test/otherLibraries.test.ts` compares the results with those of the documented form.
 */
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import * as rg from '../../src/index.ts';
import { type Tensor, tensor } from '../../src/index.ts';
import {
  constraints,
  initializers,
  input,
  type KerasTensor,
  layers,
  optimizers,
  regularizers,
} from '../../src/keras/index.ts';

let x: Tensor<'float32'>;
let ints: Tensor<'int32'>;
let image: Tensor<'float32'>;

beforeAll(async () => {
  await rg.init();
  x = tensor([1, 2, 3, 4, 5, 6], [2, 3]);
  ints = tensor([1, 0], [2], 'int32');
  image = rg.ones([1, 4, 4, 2]);
});

const shapesOf = (tensors: readonly Tensor[]) => tensors.map(({ shape }) => shape);

describe('ops', () => {
  test('take each form', () => {
    const made = [
      rg.sum(x, 1),
      rg.sum(x, [0, 1], true),
      rg.sum(x, null, true),
      rg.mean(x, 1, { keepDims: true }),
      rg.softmax(x, 0),
      rg.reshape(x, [3, 2]),
      rg.transpose(x, [1, 0]),
      rg.concat([x, x], -1),
      rg.stack([x, x], 1),
      rg.expandDims(x, 0),
      rg.gather(x, [2, 0], 1),
      rg.slice(x, [0, 1], [1, 2]),
      rg.pad(
        x,
        [
          [0, 1],
          [0, 0],
        ],
        7,
      ),
      rg.tile(x, [1, 2]),
      rg.clip(x, 2, 4),
      rg.cumsum(x, 1, true),
      rg.matMul(x, x, false, true),
      rg.conv2d(image, rg.ones([3, 3, 2, 5]), 2, 'same'),
      rg.maxPool(image, 2, { padding: 'same' }),
      rg.upSampling2d(image, 2),
      rg.leakyRelu(x, 0.1),
      rg.dropout(x, 0.5),
      rg.einsum([x], 'ij->i'),
      rg.broadcastTo(x, [2, 2, 3]),
    ];
    expect(shapesOf(made).slice(0, 6)).toEqual([[2], [1, 1], [1, 1], [2, 1], [2, 3], [3, 2]]);
    expect(shapesOf(made).slice(-3)).toEqual([[2, 3], [2], [2, 2, 3]]);
  });

  test('keep dtypes and results of several tensors', () => {
    expectTypeOf(rg.reshape(ints, [2, 1])).toEqualTypeOf<Tensor<'int32'>>();
    expectTypeOf(rg.sum(ints, 0)).toEqualTypeOf<Tensor<'int32'>>();
    expectTypeOf(rg.argMax(x, 1)).toEqualTypeOf<Tensor<'int32'>>();
    expectTypeOf(rg.oneHot(ints, 3)).toEqualTypeOf<Tensor<'float32'>>();
    expectTypeOf(rg.oneHot(ints, 3, 1, 0, 'bool')).toEqualTypeOf<Tensor<'bool'>>();
    expectTypeOf(tensor([1], [1], { dtype: 'int32' })).toEqualTypeOf<Tensor<'int32'>>();
    expectTypeOf(rg.zeros([2], 'bool', { name: 'none' })).toEqualTypeOf<Tensor<'bool'>>();
    expectTypeOf(rg.randomUniform([3], 0, 5, 'int32')).toEqualTypeOf<Tensor<'int32'>>();
    expectTypeOf(rg.eye(2, 3, null, 'int32')).toEqualTypeOf<Tensor<'int32'>>();
    const [values, indices] = rg.topK(x, 2);
    expectTypeOf(indices).toEqualTypeOf<Tensor<'int32'>>();
    expect(shapesOf([values, ...rg.split(x, 3, 1)])).toEqual([
      [2, 2],
      [2, 1],
      [2, 1],
      [2, 1],
    ]);
  });

  test('give symbolic tensors for symbolic ones', () => {
    const h = input([4]);
    expectTypeOf(h).toEqualTypeOf<KerasTensor>();
    expect(rg.sum(rg.reshape(h, [-1, 2]), 1).shape).toEqual([null]);
    expect(rg.concat([h, x.shape.length > 2 ? h : h], -1).shape).toEqual([null, 8]);
  });

  test('reject what has no obvious meaning', () => {
    const rejected = [
      // @ts-expect-error: tensors come in a list.
      () => rg.concat(x, x),
      // @ts-expect-error: it has no options.
      () => rg.add(x, x, 1),
      // @ts-expect-error: after the padding there is no position.
      () => rg.conv2d(image, rg.ones([3, 3, 2, 5]), 1, 'same', 'NHWC'),
      // @ts-expect-error: options come last.
      () => rg.sum(x, { axis: 1 }, true),
      // @ts-expect-error: it is keepDims.
      () => rg.sum(x, { keepdims: true }),
      // @ts-expect-error: an axis is a number.
      () => rg.sum(x, 'rows'),
      // @ts-expect-error: a shape is a list.
      () => rg.zeros(2, 3),
      // @ts-expect-error: it is 'same'.
      () => rg.conv2d(image, rg.ones([3, 3, 2, 5]), 1, 'SAME'),
      // @ts-expect-error: there is one object of options.
      () => rg.sum(x, 1, { keepDims: true }, {}),
      // @ts-expect-error: each option is passed once.
      () => rg.sum(x, 1, { axis: 0 }),
      // @ts-expect-error: a depth is required.
      () => rg.oneHot(ints),
      // @ts-expect-error: it comes with the other options, or before them.
      () => rg.oneHot(ints, { onValue: 2 }),
      // @ts-expect-error: so is a shape.
      () => rg.reshape(x),
    ];
    for (const call of rejected) expect(call).toThrow();
  });

  test('that make tensors reject options before positions, and what is passed twice', () => {
    const rejected = [
      // @ts-expect-error: options come last.
      () => rg.randomUniform([2], { min: 0 }, 5),
      // @ts-expect-error: options come last.
      () => rg.randomNormal([2], 0, { stddev: 2 }, 'float32'),
      // @ts-expect-error: each option is passed once.
      () => rg.randomUniform([2], 0, 1, { min: 1 }),
      // @ts-expect-error: options come last.
      () => rg.zeros([2], { dtype: 'int32' }, 'int32'),
      // @ts-expect-error: there is one object of options.
      () => rg.fill([2], 3, { dtype: 'int32' }, { name: 'threes' }),
      // @ts-expect-error: options come last.
      () => tensor([1], { shape: [1] }, 'int32'),
      // @ts-expect-error: options come last.
      () => rg.eye(2, { columns: 3 }, [2]),
      // @ts-expect-error: options come last.
      () => rg.range(0, 4, { step: 2 }, 'int32'),
      // @ts-expect-error: it is stddev.
      () => rg.randomNormal([2], { std: 2 }),
      // @ts-expect-error: there is no such dtype.
      () => rg.ones([2], 'float64'),
    ];
    for (const call of rejected) expect(call).toThrow();
    expectTypeOf(rg.range(0, 4, { step: 2, dtype: 'int32' })).toEqualTypeOf<Tensor<'int32'>>();
    expectTypeOf(rg.randomUniform([2], 0, { max: 5, dtype: 'int32' })).toEqualTypeOf<Tensor<'int32'>>();
  });
});

describe('factories', () => {
  test('take each form', () => {
    const made = [
      layers.dense(10),
      layers.dense(10, 'relu'),
      layers.dense(10, { useBias: false }),
      layers.dense(10, 'relu', { useBias: false }),
      layers.conv2d(8, 3),
      layers.conv2d(8, [3, 3], 2, 'same', { activation: 'relu' }),
      layers.conv2d(8, { kernelSize: 3 }),
      layers.maxPooling2d(2),
      layers.maxPooling2d([2, 2], 2, { padding: 'same' }),
      layers.dropout(0.5),
      layers.embedding(5, 3),
      layers.embedding(5, 3, { maskZero: true }),
      layers.reshape([2, 2]),
      layers.activation('relu'),
      layers.batchNormalization(-1, 0.9),
      layers.layerNormalization(-1, { epsilon: 1e-3 }),
      layers.concatenate(-1),
      layers.multiHeadAttention(2, 8),
      layers.repeatVector(3),
      layers.permute([2, 1]),
      layers.upSampling2d(2),
      layers.zeroPadding2d(1),
      layers.leakyReLU(0.1),
      layers.softmax(-1),
      layers.inputLayer([4]),
      layers.timeDistributed(layers.dense(2)),
      layers.bidirectional(layers.lstm(4)),
      layers.bidirectional(layers.gru(4), 'sum'),
      layers.rescaling(1 / 255),
      layers.randomFlip('horizontal'),
      layers.groupNormalization(2),
    ];
    expect(made).toHaveLength(31);
    expectTypeOf(layers.lstm(4)).toEqualTypeOf<layers.LSTM<Tensor>>();
    expectTypeOf(layers.lstm(4, { returnState: true })).toEqualTypeOf<layers.LSTM<readonly Tensor[]>>();
    expectTypeOf(layers.gru(4, 'tanh', { returnSequences: true })).toEqualTypeOf<layers.GRU<Tensor>>();
  });

  test('of optimizers, schedules, initializers, regularizers and constraints', () => {
    const { schedules } = optimizers;
    const rate = schedules.exponentialDecay(0.1, 10, 0.5);
    const made = [
      optimizers.adam(),
      optimizers.adam(0.01),
      optimizers.adam(rate),
      optimizers.adam(0.01, 0.5, { epsilon: 1e-6 }),
      optimizers.sgd(0.1, 0.9, true),
      optimizers.rmsprop(0.01, { momentum: 0.5 }),
      optimizers.adamW(schedules.cosineDecay(0.1, 100), 0.004),
    ];
    expect(made[2]?.getConfig().learningRate).toMatchObject({ className: 'ExponentialDecay' });
    expect(made[4]?.getConfig()).toMatchObject({ learningRate: 0.1, momentum: 0.9, nesterov: true });
    const others = [
      schedules.polynomialDecay(0.1, 10),
      schedules.piecewiseConstantDecay([10], [0.1, 0.01]),
      initializers.randomNormal(0, 0.02),
      initializers.randomUniform(-1, 1, { seed: 3 }),
      initializers.glorotUniform(3),
      initializers.constant(2),
      regularizers.l2(0.01),
      regularizers.l1l2(0.1, 0.2),
      constraints.maxNorm(3),
      constraints.minMaxNorm(0, 1),
    ];
    expect(others).toHaveLength(10);
  });

  test('reject what has no obvious meaning, and what lacks a required option', () => {
    const rejected = [
      // @ts-expect-error: after the activation there is no position.
      () => layers.dense(10, 'relu', true),
      // @ts-expect-error: units are required.
      () => layers.dense(),
      // @ts-expect-error: units are a number.
      () => layers.dense('relu'),
      // @ts-expect-error: the size of the kernel is required.
      () => layers.conv2d(8),
      // @ts-expect-error: so is the size of the vectors.
      () => layers.embedding(5),
      // @ts-expect-error: it is activation.
      () => layers.dense(10, { activaton: 'relu' }),
      // @ts-expect-error: it is 'relu'.
      () => layers.dense(10, 'rellu'),
      // @ts-expect-error: options come last.
      () => layers.dense({ units: 2 }, 'relu'),
      // @ts-expect-error: it is learningRate.
      () => optimizers.adam({ learningrate: 0.1 }),
      // @ts-expect-error: options come last.
      () => optimizers.adam({ learningRate: 0.1 }, 0.5),
      // @ts-expect-error: each option is passed once.
      () => optimizers.sgd(0.1, { learningRate: 0.2 }),
      // @ts-expect-error: after the decay there are options alone.
      () => optimizers.lamb(0.1, 0.9, 0.99, 1e-6, 3),
      // @ts-expect-error: the steps and the rate of the decay are required.
      () => optimizers.schedules.exponentialDecay(0.1, { name: 'decay' }),
      // @ts-expect-error: each option is passed once.
      () => layers.conv2d(8, 3, { filters: 4 }),
    ];
    for (const call of rejected) expect(call).toThrow();
  });
});
