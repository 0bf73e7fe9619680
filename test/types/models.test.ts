/** @file Models without casts: layers by name, batches of steps, names of losses and activations. */
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { init, mean, square, sub, type Tensor, tensor } from '../../src/index.ts';
import {
  activations,
  type Batch,
  input,
  KerasTensor,
  type Layer,
  layers,
  type losses,
  Model,
  model,
  ops,
  optimizers,
  registerClass,
  sequential,
} from '../../src/keras/index.ts';

declare module '../../src/keras/nameTypes.ts' {
  interface RegisteredNames {
    half_squared: 'loss';
    doubled: 'activation';
  }
}

beforeAll(async () => {
  await init();
});

describe('a layer by its name', () => {
  const net = () =>
    sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 3, name: 'hidden' })]);

  test('has one output', () => {
    const base = net();
    const { output } = base.getLayer('hidden');
    expectTypeOf(output).toEqualTypeOf<KerasTensor>();
    const features = model({ inputs: base.input, outputs: output });
    expectTypeOf(features.apply(tensor([[1, 2]]))).toEqualTypeOf<Tensor>();
    expect(features.apply(tensor([[1, 2]])).shape).toEqual([1, 3]);
  });

  test('is of the class that is asked for', () => {
    const hidden = net().getLayer<layers.Dense>('hidden');
    expectTypeOf(hidden.units).toEqualTypeOf<number>();
    expectTypeOf(net().getLayer(0)).toEqualTypeOf<Layer>();
    expect(hidden.units).toBe(3);
  });
});

describe('a step of your own', () => {
  test('has tensors in its batch', async () => {
    class Doubling extends Model {
      readonly dense = layers.dense({ units: 1 });
      override call(x: Tensor): Tensor {
        return this.dense.apply(x);
      }
      override trainStep({ x, y, sampleWeight }: Batch) {
        expectTypeOf(x).toEqualTypeOf<Tensor>();
        expectTypeOf(y).toEqualTypeOf<Tensor>();
        expect(sampleWeight).toBeNull();
        return { loss: mean(square(sub(this.apply(x), y))) };
      }
    }
    const net = new Doubling();
    net.compile({ optimizer: 'sgd' });
    const { history } = await net.fit([[1], [2]], [[2], [4]], { verbose: 0 });
    expect(history.loss).toHaveLength(1);
  });

  test('may name other inputs and targets', () => {
    class Pair extends Model<[Tensor, Tensor], Tensor> {
      override call([a, b]: [Tensor, Tensor]): Tensor {
        return sub(a, b);
      }
      override trainStep({ x: [a, b], y }: Batch<[Tensor, Tensor], null>) {
        expectTypeOf(y).toBeNull();
        return { loss: mean(sub(a, b)) };
      }
    }
    expect(new Pair().apply([tensor([2]), tensor([1])]).shape).toEqual([1]);
  });
});

describe('names', () => {
  test('of built-in activations, losses and metrics are known in each spelling', () => {
    for (const activation of ['hardSigmoid', 'hard_sigmoid', 'HardSigmoid'] as const) {
      expect(layers.dense({ units: 1, activation }).getConfig().activation).toBe('hardSigmoid');
    }
    const net = sequential([
      layers.inputLayer({ shape: [1] }),
      layers.dense({ units: 1, kernelInitializer: 'he_normal' }),
    ]);
    net.compile({
      optimizer: 'RMSprop',
      loss: 'mean_squared_error',
      metrics: ['mae', 'RootMeanSquaredError'],
    });
    net.compile({ optimizer: 'adamW', loss: ['kl_divergence'], metrics: [['top_k_categorical_accuracy']] });
    expect(net.optimizer).toBeInstanceOf(optimizers.AdamW);
  });

  test('that are misspelt do not compile', () => {
    // @ts-expect-error: it is 'relu'.
    expect(() => layers.dense({ units: 1, activation: 'rellu' })).toThrow();
    // @ts-expect-error: it is 'glorotUniform'.
    expect(() => layers.dense({ units: 1, kernelInitializer: 'glorotUniformm' })).toThrow();
    const x = input({ shape: [1] });
    const net = model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(x) });
    // @ts-expect-error: it is 'mse'.
    expect(() => net.compile({ loss: 'msee' })).toThrow();
    // @ts-expect-error: it is 'accuracy'.
    expect(() => net.compile({ loss: 'mse', metrics: ['acuracy'] })).toThrow();
    // @ts-expect-error: it is 'adam'.
    expect(() => net.compile({ optimizer: 'adan', loss: 'mse' })).toThrow();
  });

  test('of registered functions are known once they are declared, or in full', async () => {
    const halfSquared: losses.LossFunction = (yTrue, yPred) => mean(square(sub(yTrue, yPred)), { axis: -1 });
    registerClass(halfSquared, { package: 'types', name: 'half_squared' });
    registerClass((x: Tensor) => sub(x, 0), { package: 'types', name: 'doubled' });
    const net = sequential([
      layers.inputLayer({ shape: [1] }),
      layers.dense({ units: 1, activation: 'doubled' }),
    ]);
    net.compile({ loss: 'half_squared' });
    net.compile({ loss: 'types>half_squared' });
    const name = 'half_squared' as string;
    net.compile({ loss: { className: name } });
    // @ts-expect-error: it names a loss.
    expect(() => layers.dense({ units: 1, activation: 'half_squared' })).not.toThrow();
    expect((await net.evaluate([[1]], [[1]], { verbose: 0 })).loss).toBeGreaterThanOrEqual(0);
  });
});

describe('symbolic tensors', () => {
  test('results of ops are KerasTensors', () => {
    let x = input({ shape: [4] });
    x = activations.gelu(ops.add(layers.dense(4).apply(x), x));
    const halved = (h: KerasTensor) => ops.multiply(h, 0.5);
    x = halved(ops.reshape(x, [-1, 2, 2]));
    expectTypeOf(x).toEqualTypeOf<KerasTensor>();
    expect(x).toBeInstanceOf(KerasTensor);
    expect([x.shape, x.rank, x.size]).toEqual([[null, 2, 2], 3, null]);
  });

  test('layers of a list take and return one tensor', () => {
    const base = sequential([layers.inputLayer({ shape: [2] }), layers.dense(3), layers.dense(1)]);
    const outputs: Record<string, KerasTensor> = Object.fromEntries(
      base.layers.map((layer) => [layer.name, layer.output]),
    );
    const every = model({ inputs: base.inputs, outputs });
    expectTypeOf(every.apply(tensor([[1, 2]]))).toEqualTypeOf<Record<string, Tensor>>();
    let x = input({ shape: [2] });
    for (const layer of base.layers) x = layer.apply(x);
    expect(x.shape).toEqual([null, 1]);
  });

  test('a model of a list of one input takes that input', async () => {
    const base = sequential([layers.inputLayer({ shape: [2] }), layers.dense(3)]);
    const listed = model({ inputs: base.inputs, outputs: base.output });
    const single = model({ inputs: [base.input], outputs: { dense: base.output } });
    const x = tensor([[1, 2]]);
    expectTypeOf(listed.apply(x)).toEqualTypeOf<Tensor>();
    expectTypeOf(single.apply(x).dense).toEqualTypeOf<Tensor>();
    const expected = await base.apply(x).array();
    for (const y of [listed.apply(x), listed.apply([x]), single.apply(x).dense, await listed.predict(x)])
      expect(await y.array()).toEqual(expected);
    listed.compile({ optimizer: 'sgd', loss: 'mse' });
    expect((await listed.fit(x, [[0, 0, 0]], { verbose: 0 })).history.loss).toHaveLength(1);
  });
});

test('activations are functions that layers know', () => {
  const dense = layers.dense({ units: 2, activation: activations.hardSwish });
  expect(dense.getConfig().activation).toBe('hardSilu');
  expect(layers.dense({ units: 2, activation: activations.gelu }).getConfig().activation).toBe('gelu');
});
