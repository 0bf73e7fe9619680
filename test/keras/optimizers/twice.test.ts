/** @file An optimizer that a training step applies twice, as the steps of a discriminator do: replays compute what eager steps do. */
import { beforeAll, expect, test } from 'vitest';
import { GradientTape, init, mean, square, sub, type Tensor, tidy } from '../../../src/index.ts';
import { type Batch, layers, Model, optimizers } from '../../../src/keras/index.ts';
import { installNodeGpu } from '../../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

const x = [[1], [2], [3], [4]];
const y = [[2], [1], [4], [3]];

class Twice extends Model {
  readonly dense = layers.dense({ units: 1, kernelInitializer: 'ones' });

  override call(input: Tensor): Tensor {
    return this.dense.apply(input);
  }

  override trainStep({ x, y }: Batch) {
    return tidy(() => {
      let loss: Tensor | null = null;
      for (let i = 0; i < 2; i++) {
        using tape = new GradientTape();
        loss = mean(square(sub(this.apply(x), y)));
        const weights = this.trainableWeights;
        this.optimizer?.apply(tape.gradient(loss, weights), weights);
      }
      return { loss: loss as Tensor };
    });
  }
}

const schedule = () =>
  optimizers.schedules.exponentialDecay({ initialLearningRate: 0.1, decaySteps: 1, decayRate: 0.7 });

const made = {
  adam: () => optimizers.adam({ learningRate: schedule() }),
  nadam: () => optimizers.nadam({ learningRate: schedule() }),
  sgd: () => optimizers.sgd({ learningRate: schedule(), momentum: 0.9 }),
  accumulating: () => optimizers.adam({ learningRate: schedule(), gradientAccumulationSteps: 3 }),
  averaging: () => optimizers.sgd({ learningRate: 0.01, useEma: true, emaOverwriteFrequency: 3 }),
};

test.each(Object.entries(made))('%s', async (_, optimizer) => {
  const curveOf = async (runEagerly: boolean) => {
    const net = new Twice();
    net.compile({ optimizer: optimizer(), runEagerly });
    const { history } = await net.fit(x, y, { epochs: 4, batchSize: 2, shuffle: false, verbose: 0 });
    return history.loss;
  };
  expect(await curveOf(false)).toEqual(await curveOf(true));
});
