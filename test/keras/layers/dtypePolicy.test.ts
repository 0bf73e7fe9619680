/** @file The policy mixedFloat16: layers take and return float16; weights, statistics and gradients are float32. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import {
  cast,
  conv2d,
  DTypeError,
  enableFloat16,
  GradientTape,
  greater,
  init,
  matMul,
  memory,
  nonzero,
  ones,
  randomNormal,
  setRandomSeed,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../../src/index.ts';
import {
  activations,
  getDTypePolicy,
  input,
  type Layer,
  layers,
  model,
  modelFromJSON,
  modelToJSON,
  ops,
  optimizers,
  type Sequential,
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
  const features = half(conv2d(half(image), half(conv.kernel)));
  const flat = tensor(await features.data(), { shape: [1, 8] });
  const products = await valuesOf(half(matMul(half(flat), half(hidden.kernel))));
  const units = products.map((value) => Math.max(0, value));
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

test('layers of every kind take and return float16, and a layer of float32 after them float32', () => {
  setDTypePolicy('mixedFloat16');
  const ids = input({ shape: [6], dtype: 'int32' });
  const words = layers.embedding({ inputDim: 10, outputDim: 8 }).apply(ids);
  const states = layers.lstm({ units: 8, returnSequences: true }).apply(words);
  const attended = layers.multiHeadAttention({ numHeads: 2, keyDim: 4 }).apply([states, states]);
  const normal = layers.layerNormalization().apply(layers.add().apply([states, attended]) as never);
  const pooled = layers.globalAveragePooling1d().apply(layers.dropout(0.1).apply(normal));
  const scaled = layers.batchNormalization().apply(pooled);
  const classes = layers.activation('softmax', { dtype: 'float32' }).apply(layers.dense(3).apply(scaled));
  const net = model({ inputs: ids, outputs: classes });
  const inside = model({
    inputs: ids,
    outputs: [words, states, attended, normal, pooled, scaled, classes] as never,
  });
  const made = inside.apply(tensor([[1, 2, 3, 4, 5, 6]], { dtype: 'int32' })) as unknown as Tensor[];
  expect(made.map(({ dtype }) => dtype)).toEqual([...new Array(6).fill('float16'), 'float32']);
  const symbolic = [words, states, attended, normal, pooled, scaled, classes] as readonly { dtype: string }[];
  expect(symbolic.map(({ dtype }) => dtype)).toEqual(made.map(({ dtype }) => dtype));
  expect(new Set(net.weights.map(({ dtype }) => dtype))).toEqual(new Set(['float32']));
});

/** The bytes that a tape keeps between a forward pass and its gradient. */
function keptBytes(net: Sequential, x: Tensor): number {
  return tidy(() => {
    const before = memory().bytes;
    using _tape = new GradientTape();
    const y = net.apply(x, { training: true }) as Tensor;
    return memory().bytes - before - y.bytes;
  });
}

test('activations take half the memory', () => {
  const made = (dtype: 'float32' | 'mixedFloat16') => {
    const { layerNormalization, dense, activation, dropout } = layers;
    const blocks = Array.from({ length: 4 }, () => [
      layerNormalization({ dtype }),
      activation('gelu', { dtype }),
      dropout(0.1, { dtype }),
    ]);
    const net = sequential([layers.inputLayer({ shape: [256] }), ...blocks.flat(), dense(1, { dtype })]);
    return keptBytes(net, ones([512, 256]));
  };
  // Statistics of normalizations and masks are as large as before.
  const [wide, narrow] = [made('float32'), made('mixedFloat16')];
  expect(narrow / wide).toBeLessThan(0.6);
});

test('what layers keep of a product with an activation is float16', () => {
  const bytes = (dtype: 'float32' | 'mixedFloat16') => {
    const { conv2d, dense, einsumDense, lstm, maxPooling3d, reshape } = layers;
    const all = [
      conv2d({ filters: 16, kernelSize: 1, activation: 'relu', dtype }),
      dense({ units: 16, activation: 'tanh', dtype }),
      reshape({ targetShape: [64, 64], dtype }),
      einsumDense('abc,cd->abd', [null, 32], { biasAxes: 'd', activation: 'relu', dtype }),
      lstm({ units: 8, returnSequences: true, dtype }),
      reshape({ targetShape: [8, 8, 8, 1], dtype }),
      maxPooling3d({ dtype }),
    ];
    const apply = (x: Tensor) => all.reduce((y, layer) => layer.apply(y, { training: true }) as Tensor, x);
    const x = cast(ones([8, 16, 16, 16]), dtype === 'float32' ? dtype : 'float16');
    apply(x);
    return keptBytes({ apply } as never, x);
  };
  // Kernels rounded to float16 are kept, too.
  expect(bytes('mixedFloat16') / bytes('float32')).toBeLessThan(0.57);
});

test.each<[string, (dtype: 'float32' | 'mixedFloat16') => Layer]>([
  ['celu', (dtype) => layers.activation('celu', { dtype })],
  [
    'celu of another alpha',
    (dtype) => layers.activation((x) => activations.celu(x, { alpha: 2 }), { dtype }),
  ],
  ['softShrink', (dtype) => layers.activation('softShrink', { dtype })],
  ['alphaDropout', (dtype) => layers.alphaDropout(0.3, { dtype })],
])('a tape keeps half the bytes of %s', (_, make) => {
  const bytes = (dtype: 'float32' | 'mixedFloat16') => {
    const net = sequential([layers.inputLayer({ shape: [256] }), make(dtype), layers.dense(1, { dtype })]);
    return keptBytes(net, ones([64, 256]));
  };
  expect(bytes('mixedFloat16') / bytes('float32')).toBeLessThan(0.57);
});

test('indices aren’t rounded, and what is made of them alone is float32', async () => {
  const ids = tensor([[2049, 1]]);
  const rows = layers.embedding({ inputDim: 2050, outputDim: 1, dtype: 'mixedFloat16' });
  rows.build();
  rows.setWeights([
    tensor(
      Float32Array.from({ length: 2050 }, (_, i) => i / 2048),
      { shape: [2050, 1] },
    ),
  ]);
  expect(await valuesOf(rows.apply(ids) as Tensor)).toEqual([1, 1 / 2048]);
  const counts = layers.categoryEncoding({ numTokens: 2, outputMode: 'count', dtype: 'mixedFloat16' });
  expect((counts.apply(tensor([[1, 1]], { dtype: 'int32' })) as Tensor).dtype).toBe('float32');
});

const ints = (shape: number[]) => cast(ones(shape), 'int32');

test.each<[string, () => { apply(x: never, options?: object): unknown }, number[]]>([
  ['average', () => layers.average({ dtype: 'mixedFloat16' }), []],
  ['globalAveragePooling1d', () => layers.globalAveragePooling1d({ dtype: 'mixedFloat16' }), [2, 3, 4]],
  ['globalAveragePooling2d', () => layers.globalAveragePooling2d({ dtype: 'mixedFloat16' }), [2, 3, 4, 4]],
  ['globalAveragePooling3d', () => layers.globalAveragePooling3d({ dtype: 'mixedFloat16' }), [2, 3, 4, 4, 4]],
  [
    'adaptiveAveragePooling1d',
    () => layers.adaptiveAveragePooling1d(2, { dtype: 'mixedFloat16' }),
    [2, 4, 4],
  ],
  ['reLU', () => layers.reLU({ maxValue: 0.3, negativeSlope: 0.2, dtype: 'mixedFloat16' }), [2, 3]],
])('as in Keras, %s of integers is float32, and of floats float16', (name, make, shape) => {
  const dtypesOf = (x: (given: number[]) => unknown) => {
    const given = name === 'average' ? [x([2, 3]), x([2, 3])] : x(shape);
    return (make().apply(given as never) as Tensor).dtype;
  };
  expect(dtypesOf(ints)).toBe('float32');
  expect(dtypesOf((given) => ones(given))).toBe('float16');
  const symbol = (dtype: 'int32' | 'float32') => (given: number[]) => input({ shape: given.slice(1), dtype });
  expect(dtypesOf(symbol('int32'))).toBe('float32');
  expect(dtypesOf(symbol('float32'))).toBe('float16');
});

test.each<[string, (dtype: 'mixedFloat16' | 'float32') => { apply(x: never): unknown }, number[]]>([
  ['dropout', (dtype) => layers.dropout(0.3, { dtype }), [2, 3]],
  ['spatialDropout1d', (dtype) => layers.spatialDropout1d(0.3, { dtype }), [2, 3, 4]],
  ['gaussianNoise', (dtype) => layers.gaussianNoise(0.3, { dtype }), [2, 3]],
  ['gaussianDropout', (dtype) => layers.gaussianDropout(0.3, { dtype }), [2, 3]],
  ['alphaDropout', (dtype) => layers.alphaDropout(0.3, { dtype }), [2, 3]],
  ['masking', (dtype) => layers.masking(0, { dtype }), [2, 3, 4]],
  ['adaptiveMaxPooling1d', (dtype) => layers.adaptiveMaxPooling1d(2, { dtype }), [2, 4, 4]],
  ['randomGrayscale', (dtype) => layers.randomGrayscale(0.5, { dtype }), [2, 4, 4, 3]],
  ['dot', (dtype) => layers.dot(1, { dtype }), [2, 3]],
])('%s of integers is of integers, also of symbolic ones', (name, make, shape) => {
  for (const policy of ['float32', 'mixedFloat16'] as const) {
    const dtypeOf = (x: unknown) =>
      (make(policy).apply((name === 'dot' ? [x, x] : x) as never) as Tensor).dtype;
    expect(dtypeOf(ints(shape))).toBe('int32');
    expect(dtypeOf(input({ shape: shape.slice(1), dtype: 'int32' }))).toBe('int32');
    const float = policy === 'float32' ? 'float32' : 'float16';
    expect(dtypeOf(input({ shape: shape.slice(1) }))).toBe(float);
    expect(dtypeOf(ones(shape))).toBe(float);
  }
});

test('an activation that calls a layer returns what its own policy says', () => {
  const wide = layers.leakyReLU({ negativeSlope: 0.1, dtype: 'float32' });
  const layer = layers.activation((x: Tensor) => wide.apply(x) as Tensor, { dtype: 'mixedFloat16' });
  expect((layer.apply(ones([2, 3])) as Tensor).dtype).toBe('float32');
  expect((layer.apply(input({ shape: [3] })) as unknown as Tensor).dtype).toBe('float32');
});

test('a model takes float16 for an input of float32, whatever the policy of its first layer', async () => {
  expect(() => input({ shape: [2], dtype: 'float16' as never })).toThrow(DTypeError);
  for (const dtype of ['float32', 'mixedFloat16'] as const) {
    const x = input({ shape: [2] });
    const first = layers.dense({ units: 1, useBias: false, kernelInitializer: 'ones', dtype });
    const net = model({ inputs: x, outputs: first.apply(x) });
    const y = net.apply(cast(tensor([[1, third]]), 'float16')) as unknown as Tensor;
    expect(y.dtype).toBe(dtype === 'float32' ? 'float32' : 'float16');
    expect((await valuesOf(y))[0]).toBeCloseTo(1 + third, 3);
  }
});

test('resized images keep their fractions', async () => {
  const half = layers.resizing({ height: 1, width: 1, dtype: 'mixedFloat16' });
  const image = tensor([0, 0.25, 0.5, 0.75], { shape: [1, 2, 2, 1] });
  expect(await valuesOf(half.apply(image) as Tensor)).toEqual([0.375]);
});

test('a small network learns as in float32', async () => {
  const random = (seed: number, shape: number[]) => randomNormal(shape, { seed });
  const [x, y] = [random(1, [64, 8, 8, 3]), cast(greater(random(2, [64, 1]), 0), 'float32')];
  const losses = [];
  for (const dtype of ['float32', 'mixedFloat16'] as const) {
    setRandomSeed(5);
    const net = sequential([
      layers.inputLayer({ shape: [8, 8, 3] }),
      layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu', dtype }),
      layers.batchNormalization({ dtype }),
      layers.maxPooling2d({ dtype }),
      layers.flatten({ dtype }),
      layers.dense(16, 'gelu', { dtype }),
      layers.dense(1, 'sigmoid', { dtype: 'float32' }),
    ]);
    net.compile({ optimizer: optimizers.adam(0.01), loss: 'binaryCrossentropy' });
    const { history } = await net.fit(x, y, { epochs: 12, batchSize: 32, shuffle: false, verbose: 0 });
    losses.push(history.loss as number[]);
  }
  const [wide, narrow] = losses as [number[], number[]];
  for (const [epoch, loss] of narrow.entries())
    expect(Math.abs(loss - (wide[epoch] as number))).toBeLessThan(0.01 * (wide[0] as number));
  expect(narrow.at(-1)).toBeLessThan(0.5 * (narrow[0] as number));
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

test('activations that files have as layers have the policy of their layer, or that of their file', () => {
  const activation = { className: 'leakyRelu', config: { negativeSlope: 0.5 } };
  const hidden = layers.dense({ units: 1, activation, dtype: 'mixedFloat16' });
  const net = sequential([layers.inputLayer({ shape: [2] }), hidden]);
  const json = JSON.parse(modelToJSON(net));
  const written = json.config.layers[1].config.activation.config;
  expect(written.dtype.config.name).toBe('mixed_float16');
  for (const name of ['float32', 'mixed_bfloat16']) {
    written.dtype.config.name = name;
    const again = modelFromJSON(JSON.stringify(json));
    expect(JSON.parse(modelToJSON(again))).toEqual(json);
  }
});

test('ops of float16 are of float16, as in Keras', async () => {
  enableFloat16();
  const x = cast(tensor([0.5, -0.25, 0]), 'float16');
  const wide = tensor([1, 2, 4]);
  const found = [
    ops.fullLike(x, 3),
    ops.angle(x),
    ops.linspace(x, 1, { num: 3 }),
    ops.logspace(x, x, { num: 3 }),
    ops.geomspace(x, x, { num: 3 }),
  ] as Tensor[];
  expect(found.map(({ dtype }) => dtype)).toEqual(new Array(5).fill('float16'));
  expect(await valuesOf(found[0] as Tensor)).toEqual([3, 3, 3]);
  expect(await valuesOf(found[1] as Tensor)).toEqual([0, 3.140625, 0]);
  expect(ops.linspace(x, wide, { num: 3 }).dtype).toBe('float32');
  expect(await valuesOf(await nonzero(x))).toEqual([0, 1]);
});

/** Of float16 and 2.5, either way round; float16 and 2; int32 and 2.5: keras.ops 3.15 on TensorFlow. */
const narrow = ['float16', 'float16', 'float16', 'float16', 'float32'];
const widened = ['float32', 'float32', 'float16', 'float16', 'float32'];

test.each([
  ...(
    'add subtract multiply divide divideNoNan maximum minimum power floorDivide fmax fmin'.split(
      ' ',
    ) as 'add'[]
  ).map((name) => [name, narrow] as const),
  ...('mod fmod hypot heaviside arctan2 logaddexp logaddexp2'.split(' ') as 'add'[]).map(
    (name) => [name, widened] as const,
  ),
])('numbers next to float16 have the dtypes of Keras in %s', (name, expected) => {
  enableFloat16();
  const [x, n] = [cast(tensor([1.5, -2.5]), 'float16') as Tensor, cast(tensor([1, 2]), 'int32') as Tensor];
  const op = ops[name] as (a: unknown, b: unknown) => Tensor;
  const found = [op(x, 2.5), op(2.5, x), op(x, 2), op(2, x), op(n, 2.5)];
  expect(found.map(({ dtype }) => dtype)).toEqual(expected);
});

test('as in Keras, normalizations give the dtype of their input, whatever that of their parameters', () => {
  enableFloat16();
  const [x, wide] = [cast(ones([2, 3, 4]), 'float16') as Tensor, ones([2, 3, 4])];
  const { rmsNormalization, layerNormalization } = ops;
  expect([
    ...[ones([4]), ones([3, 4])].map((scale) => rmsNormalization(x, scale).dtype),
    layerNormalization(x, ones([4]), ones([4])).dtype,
    rmsNormalization(wide, cast(ones([4]), 'float16') as Tensor).dtype,
  ]).toEqual(['float16', 'float16', 'float16', 'float32']);
});

test('as in Keras, optimizers widen gradients of float16', async () => {
  const { sgd, adam, lamb, adam8bit } = optimizers;
  for (const make of [sgd, adam, lamb, adam8bit] as (typeof sgd)[]) {
    const step = async (dtype: 'float16' | 'float32') => {
      const w = variable(tensor([[1, 2]]));
      const gradient = cast(tensor([[0.5, -0.25]]), dtype);
      make({ learningRate: 0.1 }).apply([gradient as Tensor], [w]);
      return valuesOf(w);
    };
    expect(await step('float16')).toEqual(await step('float32'));
  }
  const integers = tensor([[1, 2]], { dtype: 'int32' }) as Tensor;
  expect(() => optimizers.sgd().apply([integers], [variable(tensor([[1, 2]]))])).toThrow(DTypeError);
});

test('other policies are errors', () => {
  expect(() => setDTypePolicy('bfloat16' as never)).toThrow('a dtype policy is float32 or mixedFloat16.');
  expect(() => setDTypePolicy('mixed_float16' as never)).toThrow("did you mean 'mixedFloat16'?");
  expect(() => layers.dense({ units: 1, dtype: 'mixedBfloat16' as never })).toThrow(DTypeError);
  expect(getDTypePolicy()).toBe('float32');
});
