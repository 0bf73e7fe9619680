/** @file Losses, metrics and optimizers of an app, by their registered names. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { abs, init, mean, mul, sub, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import {
  clearSession,
  input,
  layers,
  losses,
  model,
  optimizers,
  registerClass,
} from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

class Pinball extends losses.Loss {
  static override readonly className: string = 'Pinball';
  readonly factor: number;
  constructor({ factor = 2, ...options }: { factor?: number } & losses.LossOptions = {}) {
    super(options);
    this.factor = factor;
  }
  override values(yTrue: Tensor, yPred: Tensor): Tensor {
    return mean(mul(abs(sub(yTrue, yPred)), this.factor), { axis: -1 });
  }
  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), factor: this.factor };
  }
}

class Slow extends optimizers.SGD {
  static override readonly className: string = 'Slow';
}

const distance = (yTrue: Tensor, yPred: Tensor) => mean(abs(sub(yTrue, yPred)), { axis: -1 });

test('a model is compiled with them by name', async () => {
  registerClass(Pinball, { package: 'own' });
  registerClass(Slow, { package: 'own' });
  registerClass(distance, { package: 'own', name: 'distance' });
  const one = losses.get({ className: 'own>Pinball', config: { factor: 3 } });
  expect(one.getConfig()).toMatchObject({ factor: 3, name: 'pinball' });
  expect(losses.get('Pinball')).toBeInstanceOf(Pinball);
  expect(losses.get('own>distance').className).toBe('own>distance');
  expect(() => losses.get('own>nothing')).toThrow(ValueError);
  expect(optimizers.optimizerOf({ className: 'own>Slow', config: { learningRate: 0.5 } })).toBeInstanceOf(
    Slow,
  );

  const x = input({ shape: [1] });
  const net = model({ inputs: x, outputs: layers.dense({ units: 1, kernelInitializer: 'ones' }).apply(x) });
  net.compile({ optimizer: 'own>Slow', loss: 'own>Pinball', metrics: ['own>distance'] });
  const logs = await net.evaluate(tensor([[1], [2]]), tensor([[0], [0]]));
  expect(logs.loss).toBe(3);
  expect(Object.values(logs).sort()).toEqual([1.5, 3]);
});
