/** @file A metric that a layer updates in its `call`, in a model of a graph: the symbolic call changes nothing, steps do. */
import { expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { input, Layer, metrics, model, ops } from '../../../src/keras/index.ts';

type Ends = { readonly scores: Tensor; readonly targets: Tensor };

/** As the endpoint of Keras's guide: it computes its loss and its metric itself. */
class Endpoint extends Layer<Ends, Tensor> {
  readonly accuracy = metrics.binaryAccuracy({ name: 'accuracy' });
  readonly mean = metrics.mean({ name: 'mean' });

  override call({ scores, targets }: Ends): Tensor {
    this.addLoss(ops.mean(ops.square(ops.subtract(targets, scores))));
    this.accuracy.updateState(targets, scores);
    this.mean.updateState(scores);
    return scores;
  }
}

test('a symbolic call leaves the metric of a layer as it is; evaluation reports it', async () => {
  await init();
  const scores = input({ shape: [2], name: 'scores' });
  const targets = input({ shape: [2], name: 'targets' });
  const endpoint = new Endpoint();
  const net = model({ inputs: { scores, targets }, outputs: endpoint.apply({ scores, targets }) });
  expect(await endpoint.accuracy.result().item()).toBe(0);
  await net.compile({ optimizer: 'sgd' });
  const data = {
    scores: tensor([
      [0.9, 0.2],
      [0.6, 0.7],
    ]),
    targets: tensor([
      [1, 0],
      [0, 1],
    ]),
  };
  const logs = await net.evaluate(data, null, { verbose: 0 });
  expect(logs.accuracy).toBe(0.75);
  expect(logs.mean).toBeCloseTo(0.6, 6);
});
