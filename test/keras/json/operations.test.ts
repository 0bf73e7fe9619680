import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  add,
  concat,
  init,
  mean,
  mul,
  relu,
  reshape,
  softmax,
  squaredDifference,
  sub,
  type Tensor,
  tensor,
} from '../../../src/index.ts';
import { clearSession, input, layers, model, modelFromJSON, modelToJSON } from '../../../src/keras/index.ts';
import { changed, type Loose } from './support.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

describe('ops in a model', () => {
  const roundTrip = async (net: Loose, value: Tensor) => {
    const document = JSON.parse(modelToJSON(net)) as Loose;
    clearSession();
    const again = modelFromJSON(document);
    again.setWeights(net.weights);
    const [found, wanted] = [again, net].map((made: Loose) => made.apply(value) as Tensor);
    expect(await found?.array()).toEqual(await wanted?.array());
    return document;
  };

  test('are operations of Keras', async () => {
    const x = input({ shape: [4], name: 'x' });
    const h = add(mul(x, 2), x);
    const joined = concat([h, relu(h), sub(1, h)], { axis: -1 });
    const y = reshape(mean(softmax(joined), { axis: 1, keepDims: true }), { shape: [-1, 1, 1] });
    const document = await roundTrip(model({ inputs: x, outputs: y }), tensor([[1, -2, 3, 0.5]]));
    const [, multiplied] = document.config.layers;
    expect(multiplied).toEqual({
      module: 'keras.src.ops.numpy',
      class_name: 'Multiply',
      config: { name: 'multiply' },
      registered_name: 'Multiply',
      name: 'multiply',
      inbound_nodes: [
        {
          args: [
            {
              class_name: '__keras_tensor__',
              config: { shape: [null, 4], dtype: 'float32', keras_history: ['x', 0, 0] },
            },
            2,
          ],
          kwargs: {},
        },
      ],
    });
    const classes = document.config.layers.map((layer: Loose) => layer.class_name);
    expect(classes).toContain('Concatenate');
    const averaged = document.config.layers.find((layer: Loose) => layer.class_name === 'Mean');
    expect(averaged.config).toEqual({ name: 'mean', axis: 1, keepdims: true });
  });

  test('masks are computed by one', async () => {
    const ids = input({ shape: [4], dtype: 'int32', name: 'ids' });
    const embedded = layers.embedding({ inputDim: 5, outputDim: 3, maskZero: true }).apply(ids);
    const encoded = layers
      .bidirectional({ layer: layers.lstm({ units: 2, returnSequences: true }) })
      .apply(embedded);
    const net = model({ inputs: ids, outputs: encoded as never });
    const document = await roundTrip(net, tensor([[1, 2, 0, 0]], { dtype: 'int32' }));
    const masked = document.config.layers.find((layer: Loose) => layer.class_name === 'NotEqual');
    expect(masked.inbound_nodes[0].args[1]).toBe(0);
    const wrapper = document.config.layers.find((layer: Loose) => layer.class_name === 'Bidirectional');
    expect(wrapper.inbound_nodes[0].kwargs.mask.config.keras_history).toEqual([masked.name, 0, 0]);
  });

  test('that Keras does not have, or with values among their operands, are rejected', () => {
    const x = input({ shape: [4] });
    const net = (y: Loose) => model({ inputs: x, outputs: y }) as Loose;
    expect(() => modelToJSON(net(squaredDifference(x, 1)))).toThrow(/op squaredDifference/);
    expect(() => modelToJSON(net(add(x, tensor([1, 2, 3, 4]))))).toThrow(/tensor with values/);
    const unknown = changed((d) => {
      d.config.layers[4] = { ...d.config.layers[4], module: 'keras.src.ops.numpy', class_name: 'Kron' };
    });
    expect(() => modelFromJSON(unknown)).toThrow(/op Kron/);
  });
});
