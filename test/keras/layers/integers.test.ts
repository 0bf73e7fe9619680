/** @file Integers and booleans as inputs of layers: as in Keras on JAX, they become floats where a layer computes floats. */
import { beforeAll, describe, expect, test } from 'vitest';
import { cast, init, mul, type Tensor, tensor } from '../../../src/index.ts';
import { input, Layer, layers, setDTypePolicy } from '../../../src/keras/index.ts';

beforeAll(async () => void (await init()));

type AnyLayer = { apply(x: unknown): Tensor };
type Kind = readonly [make: () => unknown, shape: readonly number[]];

const sequence = [1, 4, 2];
const image = [1, 4, 4, 2];
const volume = [1, 2, 2, 2, 1];

const floating: Record<string, Kind> = {
  tanh: [() => layers.activation('tanh'), [1, 4]],
  leakyRelu: [
    () => layers.activation({ activation: { className: 'leakyRelu', config: { negativeSlope: 0.5 } } }),
    [1, 4],
  ],
  LeakyReLU: [() => layers.leakyReLU(), [1, 4]],
  ELU: [() => layers.elu(), [1, 4]],
  PReLU: [() => layers.prelu({ alphaInitializer: 'ones' }), [1, 4]],
  Softmax: [() => layers.softmax(), [1, 4]],
  Dense: [() => layers.dense({ units: 2 }), [1, 4]],
  Conv1D: [() => layers.conv1d({ filters: 2, kernelSize: 2 }), sequence],
  Conv3D: [() => layers.conv3d({ filters: 1, kernelSize: 1 }), volume],
  Conv1DTranspose: [() => layers.conv1dTranspose({ filters: 1, kernelSize: 2 }), sequence],
  DepthwiseConv1D: [() => layers.depthwiseConv1d({ kernelSize: 2 }), sequence],
  SeparableConv1D: [() => layers.separableConv1d({ filters: 2, kernelSize: 2 }), sequence],
  AveragePooling1D: [() => layers.averagePooling1d(), sequence],
  AveragePooling2D: [() => layers.averagePooling2d(), image],
  AveragePooling3D: [() => layers.averagePooling3d(), volume],
  BatchNormalization: [() => layers.batchNormalization(), [1, 4]],
  LayerNormalization: [() => layers.layerNormalization(), [1, 4]],
  RMSNormalization: [() => layers.rmsNormalization(), [1, 4]],
  UnitNormalization: [() => layers.unitNormalization(), [1, 4]],
  UpSampling2D: [() => layers.upSampling2d({ interpolation: 'bilinear' }), image],
  SimpleRNN: [() => layers.simpleRNN({ units: 2 }), sequence],
  'RNN of cells': [
    () => layers.rnn({ cell: [layers.gruCell({ units: 2 }), layers.simpleRNNCell({ units: 1 })] }),
    sequence,
  ],
  Bidirectional: [() => layers.bidirectional({ layer: layers.lstm({ units: 1 }) }), sequence],
  STFTSpectrogram: [() => layers.stftSpectrogram({ frameLength: 4, frameStep: 2, fftLength: 4 }), [1, 8, 1]],
};

const valuesOf = (shape: readonly number[], base: number) =>
  Int32Array.from({ length: shape.reduce((n, size) => n * size, 1) }, (_, i) => ((i * 5) % 7) - base);

describe('integers and booleans are floats for', () => {
  test.each(Object.keys(floating))('%s', async (kind) => {
    const [make, shape] = floating[kind] as Kind;
    const layer = make() as AnyLayer;
    const x = tensor(valuesOf(shape, 3), { shape, dtype: 'int32' });
    const expected = await layer.apply(cast(x, 'float32')).data();
    const result = layer.apply(x);
    expect(result.dtype).toBe('float32');
    expect(await result.data()).toEqual(expected);
    expect(layer.apply(input({ shape: shape.slice(1), dtype: 'int32' })).dtype).toBe('float32');
    const given = cast(x, 'bool');
    expect(await layer.apply(given).data()).toEqual(await layer.apply(cast(given, 'float32')).data());
  });
});

test('attention and values of Keras on JAX', async () => {
  const rows = tensor(
    [
      [
        [1, 0],
        [0, 2],
      ],
    ],
    { dtype: 'int32' },
  );
  const attended = layers.attention().apply([rows, rows]) as Tensor;
  expect((await attended.data()).map((x) => Number(x.toFixed(6)))).toEqual(
    new Float32Array([0.731059, 0.537883, 0.017986, 1.964028]),
  );
  const means = layers.averagePooling1d().apply(tensor([[[1], [2]]], { dtype: 'int32' }));
  expect(await means.array()).toEqual([[[1.5]]]);
});

describe('integers stay integers', () => {
  test('where they pass through', async () => {
    const x = tensor([[-3, 8]], { dtype: 'int32' });
    for (const layer of [layers.activation('relu'), layers.activation('linear'), layers.dropout(0.5)])
      expect((layer.apply(x) as Tensor).dtype).toBe('int32');
    expect(await (layers.activation('relu6').apply(x) as Tensor).array()).toEqual([[0, 6]]);
  });

  test('for functions, layers and cells of an app', () => {
    const x = tensor([[[1], [2]]], { dtype: 'int32' });
    const seen: string[] = [];
    const note = (given: Tensor) => {
      seen.push(given.dtype);
      return given;
    };
    layers.activation({ activation: note }).apply(x);
    class Doubled extends Layer {
      override call(given: Tensor): Tensor {
        return mul(note(given), 2);
      }
    }
    new Doubled().apply(x);
    expect(seen).toEqual(['int32', 'int32']);
  });
});

test('under mixedFloat16 they are float16', () => {
  setDTypePolicy('mixedFloat16');
  const layer = layers.softmax();
  setDTypePolicy('float32');
  expect(layer.apply(tensor([[1, 2]], { dtype: 'int32' })).dtype).toBe('float16');
});
