/** @file Models that are dropped without `dispose`: all of their memory is freed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  mean,
  randomNormal,
  squaredDifference,
  sub,
  type Tensor,
  tidy,
  type Variable,
  warmup,
} from '../../../src/index.ts';
import {
  callbacks,
  input,
  layers,
  metrics,
  Model,
  model,
  optimizers,
  sequential,
} from '../../../src/keras/index.ts';
import type { Batch } from '../../../src/keras/training/index.ts';
import { type Alive, collectAll, collectUntil } from '../../support/collectGarbage.ts';
import { data, regressor, wave } from './support.ts';

beforeAll(async () => {
  await init();
});

const options = { epochs: 2, batchSize: 4 } as const;

/** Uses a model, and holds nothing of it afterwards. */
type Use = (x: Tensor, y: Tensor) => Promise<void> | void;

/** Returns a regressor that is compiled. */
function compiled(compileOptions: Parameters<Model['compile']>[0] = {}) {
  const net = regressor();
  net.compile({ optimizer: 'adam', loss: 'mse', ...compileOptions });
  return net;
}

/** Waits for a run that should fail. Unlike `expect`, it doesn't hold the promise afterwards. */
async function failing(run: Promise<unknown>, message: string): Promise<void> {
  const found = await run.then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  expect(found).toBe(message);
}

/** Scores real and generated samples; its step trains both models. */
class Gan extends Model {
  readonly generatorLoss = metrics.mean({ name: 'g_loss' });
  readonly #optimizers = [optimizers.adam(), optimizers.sgd({ momentum: 0.9 })] as const;
  constructor(
    readonly generator: Model,
    readonly discriminator: Model,
  ) {
    super();
  }

  override call(x: Tensor): Tensor {
    return this.discriminator.apply(this.generator.apply(x));
  }

  override trainStep({ x, y }: Batch) {
    return tidy(() => {
      const step = (part: Model, loss: () => Tensor, i: 0 | 1) => {
        const tape = new GradientTape();
        const value = loss();
        const weights = part.trainableWeights;
        this.#optimizers[i].apply(tape.gradient(value, weights), weights);
        return value;
      };
      step(
        this.discriminator,
        () => mean(sub(this.discriminator.apply(y as Tensor), this.apply(x as Tensor))),
        0,
      );
      const noise = randomNormal([4, 2]);
      const loss = step(this.generator, () => mean(this.apply(noise)), 1);
      this.generatorLoss.updateState(loss);
      return { g_loss: this.generatorLoss.result() };
    });
  }
}

/** A model without a graph. */
class Residual extends Model {
  readonly hidden = layers.dense({ units: 2, activation: 'tanh' });
  readonly dropout = layers.dropout({ rate: 0.5, seed: 3 });
  readonly top = layers.dense({ units: 1, kernelRegularizer: 'l2' });
  override call(x: Tensor): Tensor {
    return this.top.apply(this.dropout.apply(this.hidden.apply(x)));
  }
}

/** Like Residual, with a custom training step. */
class OwnStep extends Residual {
  readonly distance = metrics.mean({ name: 'distance' });
  override trainStep({ x, y }: Batch) {
    return tidy(() => {
      const tape = new GradientTape();
      const loss = mean(squaredDifference(this.apply(x as Tensor, { training: true }), y as Tensor));
      const weights = this.trainableWeights;
      this.optimizer?.apply(tape.gradient(loss, weights), weights);
      this.distance.updateState(loss);
      return { distance: this.distance.result() };
    });
  }
}

const optimizerOptions: Record<string, () => Parameters<Model['compile']>[0]> = {
  'large variables': () => ({ optimizer: 'sgd' }),
  averages: () => ({ optimizer: optimizers.adam({ useEma: true, globalClipnorm: 1 }) }),
  accumulation: () => ({ optimizer: optimizers.sgd({ gradientAccumulationSteps: 2, clipnorm: 1 }) }),
  adafactor: () => ({ optimizer: optimizers.adafactor({ useEma: true, weightDecay: 0.1 }) }),
  nadam: () => ({ optimizer: 'nadam' }),
  'a schedule': () => ({
    optimizer: optimizers.rmsprop({
      learningRate: optimizers.schedules.exponentialDecay({
        initialLearningRate: 0.1,
        decaySteps: 10,
        decayRate: 0.9,
      }),
    }),
  }),
};

/** Uses of models after which all memory is freed, each time they are repeated. */
const uses: Record<string, Use> = {
  fit: async (x, y) => void (await compiled().fit(x, y, options)),
  'fit with validation and metrics': async (x, y) => {
    const net = compiled({ metrics: ['mae', metrics.rootMeanSquaredError()] });
    await net.fit(x, y, { ...options, validationSplit: 0.3 });
  },
  'fit as it is written': async (x, y) => void (await compiled({ runEagerly: true }).fit(x, y, options)),
  evaluate: async (x, y) => void (await compiled({ metrics: ['mae'] }).evaluate(x, y, { batchSize: 4 })),
  predict: async (x) => {
    for (const out of [await regressor().predict(x, { batchSize: 5 })]) out.dispose();
  },
  'trainOnBatch and testOnBatch': async (x, y) => {
    const net = compiled();
    for (let i = 0; i < 4; i++) await net.trainOnBatch(x, y);
    for (let i = 0; i < 2; i++) await net.testOnBatch(x, y);
    net.predictOnBatch(x);
  },
  'fit after trainOnBatch, compiled twice': async (x, y) => {
    const net = compiled();
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
    net.compile({ optimizer: 'sgd', loss: 'mae' });
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
    await net.fit(x, y, options);
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
  },
  warmup: async () => {
    await warmup(compiled(), { batchSize: 4, training: true });
  },
  'a sequential model with dropout': async (x, y) => {
    const net = sequential({
      layers: [
        layers.dense({ units: 8, activation: 'relu' }),
        layers.dropout({ rate: 0.3, seed: 1 }),
        layers.dropout({ rate: 0.3 }),
        layers.batchNormalization(),
        layers.gaussianNoise({ stddev: 0.1 }),
        layers.dense({ units: 1, kernelConstraint: 'nonNeg' }),
      ],
    });
    net.compile({ optimizer: 'adam', loss: 'mse' });
    await net.fit(x, y, options);
    await net.evaluate(x, y);
    (await net.predict(x)).dispose();
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
  },
  'recurrent and attention layers': async () => {
    const steps = input({ shape: [5, 3] });
    const inner = layers
      .bidirectional({ layer: layers.lstm({ units: 4, returnSequences: true }) })
      .apply(steps);
    const attended = layers.multiHeadAttention({ numHeads: 2, keyDim: 2 }).apply([inner, inner] as never);
    const pooled = layers.globalAveragePooling1d().apply(attended as never);
    const net = model({ inputs: steps, outputs: layers.dense({ units: 1 }).apply(pooled) });
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const [x, y] = [wave([6, 5, 3]), wave([6, 1])];
    await net.fit(x, y, { batchSize: 3 });
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
  },
  'an embedding with a mask': async () => {
    const ids = input({ shape: [4], dtype: 'int32' });
    const embedded = layers.embedding({ inputDim: 9, outputDim: 3, maskZero: true }).apply(ids);
    const last = layers.gru({ units: 2 }).apply(embedded);
    const net = model({ inputs: ids, outputs: layers.dense({ units: 1 }).apply(last) });
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const x = [
      [1, 2, 3, 0],
      [4, 5, 0, 0],
    ];
    await net.fit(x, [[1], [2]], { epochs: 3 });
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, [[1], [2]]);
  },
  'a subclass': async (x, y) => {
    const net = new Residual();
    net.compile({ optimizer: 'adam', loss: 'mse' });
    await net.fit(x, y, options);
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
    await net.evaluate(x, y);
  },
  'a subclass with a step of its own': async (x, y) => {
    const net = new OwnStep();
    net.compile({ optimizer: 'adam' });
    await net.fit(x, y, options);
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
  },
  'two models that are trained by one step': async (x) => {
    const part = (units: number) =>
      sequential({ layers: [layers.dense({ units: 4, activation: 'tanh' }), layers.dense({ units })] });
    const net = new Gan(part(2) as never, part(1) as never);
    net.compile({});
    await net.fit(x, x, options);
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, x);
  },
  callbacks: async (x, y) => {
    const net = compiled();
    const seen: unknown[] = [];
    const sink = callbacks.sinks.memoryFiles();
    await net.fit(x, y, {
      ...options,
      epochs: 4,
      validationData: [x, y],
      callbacks: [
        callbacks.earlyStopping({ patience: 0, restoreBestWeights: true }),
        callbacks.reduceLROnPlateau({ patience: 1 }),
        callbacks.modelCheckpoint({ filepath: 'best.safetensors', sink }),
        { onEpochEnd: () => void seen.push(net.weights) },
        { onTrainBatchEnd: () => void seen.push(net) },
      ],
    });
  },
  generators: async (x, y) => {
    async function* batches() {
      for (let i = 0; i < 3; i++) yield [sub(x, 1), sub(y, 1)];
    }
    await compiled().fit(batches, { epochs: 2 });
    await compiled().fit(batches(), { epochs: 1, stepsPerEpoch: 2 });
  },
  'a run that fails': async (x, y) => {
    const net = compiled();
    const fails = { onTrainBatchEnd: () => Promise.reject(new Error('stop')) };
    await failing(net.fit(x, y, { ...options, callbacks: fails }), 'stop');
    await net.trainOnBatch(x, y);
  },
  'a run that is aborted': async (x, y) => {
    const net = compiled();
    const controller = new AbortController();
    const aborts = { onTrainBatchEnd: () => controller.abort(new Error('enough')) };
    const { signal } = controller;
    await failing(net.fit(x, y, { ...options, callbacks: aborts, signal }), 'enough');
    await net.trainOnBatch(x, y);
  },
  'weights that were replaced': async (x, y) => {
    const net = compiled();
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
    const first = net.weights[0] as Variable;
    tidy(() => first.assign(wave([2, 3])));
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
    tidy(() => net.setWeights(compiled().weights.map((weight) => sub(weight, 0))));
    for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
  },
  ...Object.fromEntries(
    Object.entries(optimizerOptions).map(([name, makeOptions]): [string, Use] => [
      `an optimizer with ${name}`,
      async (x, y) => {
        const net = sequential({ layers: [layers.dense({ units: 300 }), layers.dense({ units: 1 })] });
        net.compile({ loss: 'mse', ...makeOptions() });
        await net.fit(x, y, options);
        for (let i = 0; i < 3; i++) await net.trainOnBatch(x, y);
      },
    ]),
  ),
};

/** Objects that an app keeps while models are created and dropped. */
const shared = {
  features: input({ shape: [2] }),
  stop: callbacks.earlyStopping({ monitor: 'loss', restoreBestWeights: true }),
  results: [] as unknown[],
};
const numbers = layers.reshape({ targetShape: [2] }).apply(shared.features);

Object.assign(uses, {
  'models on an input, and the output of a layer, that live on': async (x, y) => {
    for (const start of [shared.features, numbers]) {
      const net = model({ inputs: shared.features, outputs: layers.dense({ units: 1 }).apply(start) });
      net.compile({ optimizer: 'adam', loss: 'mse' });
      await net.fit(x, y, options);
    }
  },
  'models whose histories and callbacks live on': async (x, y) => {
    const net = compiled();
    shared.results.push(await net.fit(x, y, { ...options, callbacks: shared.stop }), net.history);
    shared.results.push(await net.evaluate(x, y), net.getConfig());
  },
} satisfies Record<string, Use>);

describe('the memory of a dropped model is freed after', () => {
  let x: Tensor;
  let y: Tensor;
  let start: Alive;

  beforeAll(async () => {
    [x, y] = data(12);
    // Creates what is shared by all models (constants, pipelines).
    for (const use of Object.values(uses)) await use(x, y);
    start = await collectAll();
  });

  test.each(Object.entries(uses))('%s', async (_, use) => {
    await use(x, y);
    expect(await collectUntil(start)).toEqual(start);
  });

  afterAll(() => {
    x.dispose();
    y.dispose();
  });
});
