/** @file A metric whose result is its own variable, as in Keras's guide of custom metrics. */
import { beforeAll, expect, test } from 'vitest';
import { add, init, sum, type Tensor, zeros } from '../../../src/index.ts';
import { layers, metrics, sequential } from '../../../src/keras/index.ts';
import { installNodeGpu } from '../../support/gpu.ts';

beforeAll(async () => {
  await installNodeGpu();
  await init();
});

class SumOfTargets extends metrics.Metric {
  readonly total = this.addVariable('total', []);

  override updateState(yTrue: Tensor): void {
    this.total.assign(add(this.total, sum(yTrue)));
  }

  override result() {
    return this.total;
  }

  override resetState(): void {
    this.total.assign(zeros([]));
  }
}

test('is read after each epoch, and lives on', async () => {
  const net = sequential([layers.inputLayer({ shape: [1] }), layers.dense({ units: 1 })]);
  net.compile({ optimizer: 'sgd', loss: 'mse', metrics: [new SumOfTargets({ name: 'targets' })] });
  const { history } = await net.fit([[1], [2]], [[3], [4]], { epochs: 2, batchSize: 1, verbose: 0 });
  expect(history.targets).toEqual([7, 7]);
  expect((await net.evaluate([[1], [2]], [[3], [4]], { verbose: 0 })).targets).toBe(7);
});
