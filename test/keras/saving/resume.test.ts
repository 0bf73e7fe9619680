/** @file Training that resumes from a `.keras` file is the same to the bit: the rate, the optimizer's numbers, and the seeds. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, layers, type Model, optimizers, sequential } from '../../../src/keras/index.ts';
import { wave, weightsOf } from '../training/support.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const options = { batchSize: 4, verbose: 0, seed: 3 } as const;
const [x, y] = [() => wave([16, 4], 0.37), () => wave([16, 1], 1.3)];

function network(optimizer: unknown, inner: readonly unknown[] = []): Model {
  const parts = [
    layers.input({ shape: [4] }),
    layers.dense({ units: 5 }),
    ...inner,
    layers.dense({ units: 1 }),
  ];
  const net = sequential(parts as never) as unknown as Model;
  net.compile({ optimizer: optimizer as never, loss: 'mse' });
  return net;
}

async function saved(net: { save(target: BytesTarget): Promise<void> }): ReturnType<typeof loadModel> {
  const target = new BytesTarget();
  await net.save(target);
  return loadModel(target.bytes);
}

/** Trains for two epochs, saves and loads, and trains both for two more. */
async function resumed(net: Model, values: readonly [Tensor, Tensor] = [x(), y()]) {
  await net.fit(...values, { ...options, epochs: 2 });
  const again = await saved(net);
  const rates = [net.optimizer?.learningRate, again.optimizer?.learningRate];
  const both = [];
  for (const one of [net, again] as Model[]) {
    const { history } = await one.fit(...values, { ...options, initialEpoch: 2, epochs: 4 });
    both.push({ loss: history.loss, weights: await weightsOf(one) });
  }
  return { rates, both };
}

describe('the optimizer', () => {
  test.each(
    [
      () => optimizers.sgd({ learningRate: 0.1, momentum: 0.9, nesterov: true }),
      () => optimizers.adam({ learningRate: 0.003, amsgrad: true }),
      () => optimizers.adamW({ learningRate: 0.007, weightDecay: 0.03 }),
      () => optimizers.adamax({ learningRate: 0.003 }),
      () => optimizers.nadam({ learningRate: 0.013 }),
      () => optimizers.rmsprop({ learningRate: 0.003, momentum: 0.3, centered: true }),
      () => optimizers.adagrad({ learningRate: 0.1 }),
      () => optimizers.adadelta({ learningRate: 0.9 }),
      () => optimizers.adafactor({ learningRate: 0.01 }),
      () => optimizers.ftrl({ learningRate: 0.03 }),
      () => optimizers.lamb({ learningRate: 0.003 }),
      () => optimizers.lion({ learningRate: 0.003 }),
      () => optimizers.muon({ learningRate: 0.003 }),
      () => optimizers.scheduleFreeAdamW({ learningRate: 0.003, warmupSteps: 5 }),
      () => optimizers.adam({ learningRate: 0.003, useEma: true, emaMomentum: 0.9 }),
      () => optimizers.adam({ learningRate: 0.003, gradientAccumulationSteps: 3 }),
      () => optimizers.lossScaleOptimizer({ innerOptimizer: optimizers.nadam({ learningRate: 0.003 }) }),
      () => optimizers.adam({ learningRate: optimizers.schedules.exponentialDecay(0.1, 3, 0.9) as never }),
    ].map((make) => [make().className, make] as const),
  )('%s', async (_name, make) => {
    const { rates, both } = await resumed(network(make()));
    expect(rates[1]).toBe(rates[0]);
    expect(both[1]).toEqual(both[0]);
  });

  test('a rate that changed since', async () => {
    const net = network(optimizers.adam({ learningRate: 0.003 }));
    await net.fit(x(), y(), { ...options, epochs: 1 });
    (net.optimizer as { learningRate: number }).learningRate = 0.0007;
    expect((await saved(net)).optimizer?.learningRate).toBe(0.0007);
  });

  test('its weights can be set to what getWeights returned, without rounding the rate', async () => {
    const net = network(optimizers.adam({ learningRate: 0.1 }));
    await net.fit(x(), y(), { ...options, epochs: 1 });
    const optimizer = net.optimizer as NonNullable<typeof net.optimizer>;
    optimizer.setWeights(await optimizer.getWeights());
    expect(optimizer.learningRate).toBe(0.1);
  });
});

describe('seeds', () => {
  test.each(
    [
      () => layers.dropout({ rate: 0.5, seed: 7 }),
      () => layers.gaussianNoise({ stddev: 0.3, seed: 2 ** 40 + 3 }),
      () => layers.gaussianDropout({ rate: 0.3, seed: 0 }),
      () => layers.alphaDropout({ rate: 0.3, seed: 5 }),
    ].map((make) => [make().className, make] as const),
  )('%s', async (_name, make) => {
    const net = network('adam', [make(), layers.dense({ units: 3 }), make()]);
    const { both } = await resumed(net);
    expect(both[1]).toEqual(both[0]);
  });

  test.each(
    [
      () => [layers.lstm({ units: 3, dropout: 0.4, recurrentDropout: 0.3, seed: 5 })],
      () => [layers.bidirectional({ layer: layers.gru({ units: 3, dropout: 0.4, seed: 5 }) })],
      () => [layers.spatialDropout1d({ rate: 0.4, seed: 9 }), layers.simpleRNN({ units: 2 })],
    ].map((make) => [make()[0]?.className ?? '', make] as const),
  )('%s', async (_name, make) => {
    const parts = [layers.input({ shape: [6, 4] }), ...make(), layers.dense({ units: 1 })];
    const net = sequential(parts as never) as unknown as Model;
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const { both } = await resumed(net, [wave([16, 6, 4]), y()]);
    expect(both[1]).toEqual(both[0]);
  });

  test('of layers inside models and wrappers', async () => {
    const inner = sequential([
      layers.input({ shape: [5] }),
      layers.dropout({ rate: 0.5, seed: 1 }),
      layers.gaussianNoise({ stddev: 0.1, seed: 2 }),
    ] as never);
    const { both } = await resumed(network('sgd', [inner, layers.dropout({ rate: 0.2, seed: 3 })]));
    expect(both[1]).toEqual(both[0]);
  });

  test('a file without the state of training begins with the seeds, as do weights', async () => {
    const net = network('sgd', [layers.dropout({ rate: 0.5, seed: 7 })]);
    await net.fit(x(), y(), { ...options, epochs: 1 });
    const [whole, without] = [new BytesTarget(), new BytesTarget()];
    await net.save(whole);
    await net.save(without, { includeOptimizer: false });
    const draw = async (model: Model) => {
      const drawn = model.apply(tensor([[1, 2, 3, 4]]), { training: true }) as Tensor;
      return [...(await drawn.data())];
    };
    const fresh = (await loadModel(without.bytes)) as unknown as Model;
    const first = await draw(fresh);
    expect(await draw((await loadModel(without.bytes)) as unknown as Model)).toEqual(first);
    // Weights alone leave the sequence where it is.
    const other = (await loadModel(without.bytes)) as unknown as Model;
    await other.loadWeights(whole.bytes);
    expect(await draw(other)).toEqual(first);
  });
});
