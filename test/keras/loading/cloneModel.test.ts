/** @file cloneModel: the same layers, other weights. */
import { beforeAll, expect, test } from 'vitest';
import { init, tensor, ValueError } from '../../../src/index.ts';
import { cloneModel, input, layers, model, modelToJSON } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

test('a clone has the layers of its model and its own weights', async () => {
  const x = input({ shape: [3] });
  const h = layers.dense({ units: 4, activation: 'tanh' }).apply(x);
  using net = model({ inputs: x, outputs: layers.dense({ units: 2 }).apply(h) });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  using clone = cloneModel(net);
  const { compile_config: _, ...described } = JSON.parse(modelToJSON(net));
  expect(JSON.parse(modelToJSON(clone))).toMatchObject(described);
  expect(clone.optimizer).toBeNull();
  const rows = tensor([[1, 2, 3]]);
  const results = () =>
    Promise.all(
      [net, clone].map((each) => each.apply(rows as never)).map((y) => (y as never as typeof rows).array()),
    );
  const [own, other] = await results();
  expect(other).not.toEqual(own);
  clone.setWeights(net.weights);
  const [first, second] = await results();
  expect(second).toEqual(first);
});

test('anything but a model is rejected', () => {
  expect(() => cloneModel({} as never)).toThrow(ValueError);
  expect(() => cloneModel(null as never)).toThrow(ValueError);
});
