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
  split,
  squaredDifference,
  sub,
  type Tensor,
  tensor,
} from '../../../src/index.ts';
import {
  clearSession,
  input,
  layers,
  model,
  modelFromJSON,
  modelToJSON,
  ops,
} from '../../../src/keras/index.ts';
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

  // The descriptions are Keras's own, of the same calls.
  test.each<[string, (x: Loose) => Loose, string, Record<string, unknown>]>([
    ['Repeat', (x) => ops.repeat(x, 2, { axis: 0 }), 'numpy', { repeats: 2, axis: 0 }],
    ['Roll', (x) => ops.roll(x, 1, { axis: 0 }), 'numpy', { shift: 1, axis: 0 }],
    ['Tril', (x) => ops.tril(x), 'numpy', { k: 0 }],
    ['Triu', (x) => ops.triu(x, { k: 1 }), 'numpy', { k: 1 }],
    ['Diag', (x) => ops.diag(x), 'numpy', { k: 0 }],
    ['Diagonal', (x) => ops.diagonal(x), 'numpy', { offset: 0, axis1: 0, axis2: 1 }],
    ['Trace', (x) => ops.trace(x, { offset: 1 }), 'numpy', { offset: 1, axis1: 0, axis2: 1 }],
    ['Median', (x) => ops.median(x, { axis: 0 }), 'numpy', { axis: 0, keepdims: false }],
    ['Sort', (x) => ops.sort(x, { axis: 0 }), 'numpy', { axis: 0 }],
    ['Tensordot', (x) => ops.tensordot(x, x, [[0], [0]]), 'numpy', { axes: [[0], [0]] }],
    ['Einsum', (x) => ops.einsum('ij,ik->ijk', x, x), 'numpy', { subscripts: 'ij,ik->ijk' }],
    [
      'Quantile',
      (x) => ops.quantile(x, 0.3, { axis: 0 }),
      'numpy',
      { axis: 0, method: 'linear', keepdims: false },
    ],
    ['Split', (x) => ops.split(x, [1, 3], { axis: 1 })[1], 'numpy', { indices_or_sections: [1, 3], axis: 1 }],
    ['Split', (x) => ops.split(x, 2, { axis: 1 })[0], 'numpy', { indices_or_sections: 2, axis: 1 }],
    ['Copy', (x) => ops.copy(x), 'numpy', {}],
    ['Logaddexp', (x) => ops.logAddExp(x, x), 'numpy', {}],
    ['RFFT', (x) => ops.rfft(x)[0], 'math', { fft_length: null }],
    [
      'DepthToSpace',
      (x) => ops.depthToSpace(ops.reshape(x, [-1, 1, 1, 4]), { blockSize: 2 }),
      'nn',
      { block_size: 2, data_format: 'channels_last' },
    ],
  ])('that are formulas here are one in Keras: %s', async (className, call, module, config) => {
    const x = input({ shape: [4], name: 'x' });
    const net = model({ inputs: x, outputs: call(x) });
    const document = await roundTrip(
      net,
      tensor([
        [4, 1, 3, 2],
        [8, 5, 6, 7],
      ]),
    );
    const { name, ...found } = document.config.layers.at(-1);
    expect(found).toMatchObject({ module: `keras.src.ops.${module}`, class_name: className });
    expect(found.config).toEqual({ name, ...config });
  });

  test('that Keras does not have, or with values among their operands, are rejected', () => {
    const x = input({ shape: [4] });
    const net = (y: Loose) => model({ inputs: x, outputs: y }) as Loose;
    expect(() => modelToJSON(net(squaredDifference(x, 1)))).toThrow(/op squaredDifference/);
    expect(() => modelToJSON(net(add(x, tensor([1, 2, 3, 4]))))).toThrow(/tensor with values/);
    expect(() => modelToJSON(net(ops.sort(x, { axis: 0, descending: true })))).toThrow(/descending/);
    const parts = split(x, { numOrSizeSplits: [1, -1, 1], axis: 1 }) as Loose;
    expect(() => modelToJSON(net(parts[1]))).toThrow(/op split with/);
    const unknown = changed((d) => {
      d.config.layers[4] = { ...d.config.layers[4], module: 'keras.src.ops.numpy', class_name: 'Unique' };
    });
    expect(() => modelFromJSON(unknown)).toThrow(/op Unique/);
  });
});
