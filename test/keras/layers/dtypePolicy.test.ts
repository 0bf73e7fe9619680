/** @file The policy mixedFloat16: operands of multiplications are float16, everything else float32. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { cast, conv2d, DTypeError, init, matMul, type Tensor, tensor } from '../../../src/index.ts';
import {
  getDTypePolicy,
  layers,
  modelFromJSON,
  modelToJSON,
  sequential,
  setDTypePolicy,
} from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

afterEach(() => setDTypePolicy('float32'));

const valuesOf = async (x: Tensor) => Array.from(await x.data());
const third = 1 / 3;

test('dense layers and convolutions multiply float16, and train float32', async () => {
  setDTypePolicy('mixedFloat16');
  const conv = layers.conv2d({ filters: 2, kernelSize: 2 });
  const hidden = layers.dense({ units: 2, activation: 'relu' });
  const last = layers.dense({ units: 1, dtype: 'float32' });
  setDTypePolicy('float32');
  const net = sequential([layers.inputLayer({ shape: [3, 3, 1] }), conv, layers.flatten(), hidden, last]);
  const image = tensor(
    Float32Array.from({ length: 9 }, (_, i) => third * i),
    { shape: [1, 3, 3, 1] },
  );
  const output = net.apply(image) as Tensor;
  expect(output.dtype).toBe('float32');
  expect(net.weights.map(({ dtype }) => dtype)).toEqual(new Array(6).fill('float32'));
  const half = (x: Tensor | null) => cast(x as Tensor, 'float16');
  const features = conv2d(half(image), half(conv.kernel));
  const flat = tensor(await features.data(), { shape: [1, 8] });
  const units = (await valuesOf(matMul(half(flat), half(hidden.kernel)))).map((value) => Math.max(0, value));
  const expected = await valuesOf(matMul(tensor([units]), last.kernel as Tensor));
  expect((await valuesOf(output))[0]).toBeCloseTo(expected[0] as number, 5);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  const { history } = await net.fit(image, [[1]], { epochs: 3, verbose: 0 });
  expect(history.loss?.at(-1)).toBeLessThan(history.loss?.[0] as number);
});

test('rounding is that of float16', async () => {
  const layer = layers.dense({ units: 1, useBias: false, dtype: 'mixedFloat16', kernelInitializer: 'ones' });
  // 2049 isn't a float16 number; 2048 is the nearest even one.
  expect(await valuesOf(layer.apply(tensor([[2049]])) as Tensor)).toEqual([2048]);
});

test('files contain Keras’s name of the policy', () => {
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense({ units: 1, dtype: 'mixedFloat16' }),
  ]);
  const json = JSON.parse(modelToJSON(net));
  expect(json.config.layers[1].config.dtype.config.name).toBe('mixed_float16');
  const again = modelFromJSON(JSON.stringify(json));
  expect(again.layersInside.map((layer) => (layer as layers.Dense).dtypePolicy)).toContain('mixedFloat16');
  expect(JSON.parse(modelToJSON(again))).toEqual(json);
});

test('other policies are errors', () => {
  expect(() => setDTypePolicy('bfloat16' as never)).toThrow(DTypeError);
  expect(() => layers.dense({ units: 1, dtype: 'mixedBfloat16' as never })).toThrow(DTypeError);
  expect(getDTypePolicy()).toBe('float32');
});
