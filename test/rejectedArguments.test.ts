/**
 * @file Arguments that nothing would read, or that would be read as something else: too many, sources one by one, masks for
 * indices, options of another kind of network. Each is rejected with the remedy.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  compile,
  DynamicScalar,
  gather,
  GradientTape,
  gradients,
  init,
  jacobian,
  ones,
  RetrogradError,
  square,
  sum,
  type Tensor,
  tensor,
  unstack,
  valueAndGrad,
  variable,
  zeros,
} from '../src/index.ts';
import { applications, input, Layer, layers, losses, maskOf, model, sequential } from '../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

/** Methods and functions as JavaScript sees them. */
type Loose = (...args: unknown[]) => unknown;
const loose = (fn: unknown) => fn as Loose;
const call = (owner: object, method: string, ...args: unknown[]) =>
  ((owner as Record<string, unknown>)[method] as Loose).apply(owner, args);

const x = () => ones([2, 4]);
const regressor = () => {
  const net = sequential([layers.inputLayer([4]), layers.dense(2)]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  return net;
};
const gradient = (...given: unknown[]) =>
  GradientTape.run((tape) => call(tape, 'gradient', sum(x()), ...given));

/** Returns a layer with that result of `computeOutputShape`. */
const shaped = (shape: unknown) => {
  class Shaped extends Layer {
    override call(inputs: Tensor): Tensor {
      return inputs;
    }
    override computeOutputShape(): never {
      return shape as never;
    }
  }
  return new Shaped();
};

/** Returns a model that takes its input by the name `a`. */
const named = () => {
  const a = input({ shape: [4] });
  return model({ inputs: { a }, outputs: layers.flatten().apply(a) });
};

test.each<[string, () => unknown, RegExp]>([
  ["compile('adam', 'mse')", () => call(regressor(), 'compile', 'adam', 'mse'), /optimizer, loss, metrics/],
  ['summary({}, 80)', () => call(regressor(), 'summary', {}, 80), /argument 2/],
  ['getLayer(null, 0)', () => call(regressor(), 'getLayer', null, 0), /argument 2/],
  [
    'dense.apply(x, {}, mask)',
    () => call(layers.dense(2), 'apply', x(), {}, null),
    /dense[_\d]*\.apply.*more/,
  ],
  ['sequential.apply(x, {}, 3)', () => call(regressor(), 'apply', x(), {}, 3), /argument 3/],
  [
    'attention.apply(x, {}, 3)',
    () => call(layers.multiHeadAttention(1, 2), 'apply', ones([1, 2, 2]), {}, 3),
    /argument 3/,
  ],
  ['jacobian(f, [x])', () => loose(jacobian)(square, [x()]), /argument 2/],
  ['compile(f, {}, 3)', () => loose(compile)(square, {}, 3), /argument 3/],
  ['x.data(3)', () => call(x(), 'data', 3), /argument 1/],
  ["x.array('int32')", () => call(x(), 'array', 'int32'), /takes no arguments/],
  ['x.item(0)', () => call(sum(x()), 'item', 0), /argument 1/],
  ['v.data(3)', () => call(variable(x()), 'data', 3), /argument 1/],
  ['getWeights(0)', () => call(layers.dense(2), 'getWeights', 0), /argument 1/],
  ['setWeights([], 3)', () => call(regressor(), 'setWeights', [], 3), /argument 2/],
  ['resetMetrics(3)', () => call(regressor(), 'resetMetrics', 3), /argument 1/],
  [
    'loss.call(y, p, w, m, 3)',
    () => call(losses.meanSquaredError(), 'call', x(), x(), 1, null, 3),
    /argument 5/,
  ],
  ['explain(a, b, 3)', () => GradientTape.run((tape) => call(tape, 'explain', x(), x(), 3)), /argument 3/],
  [
    'jacobian(a, b, {}, 3)',
    () => GradientTape.run((tape) => call(tape, 'jacobian', x(), x(), {}, 3)),
    /argument 4/,
  ],
  ['GradientTape.run(f, {}, 3)', () => call(GradientTape, 'run', () => {}, {}, 3), /argument 3/],
  [
    'a mask of another size',
    () => layers.dense(2).apply(x(), { mask: tensor([true, false, true]) }),
    /first axes of its input[\s\S]*bool\[3\] for float32\[2, 4\]/,
  ],
  [
    'a mask with an axis too many',
    () => layers.dropout(0.5).apply(x(), { mask: ones([2, 4, 1], { dtype: 'bool' }) }),
    /first axes of its input/,
  ],
  [
    'one mask for two inputs',
    () => layers.add().apply([x(), x()], { mask: tensor([true, false]) }),
    /each input has a mask/,
  ],
  [
    'two masks for one input',
    () => layers.activation('relu').apply(x(), { mask: [tensor([true, false]), null] }),
    /each input has a mask[\s\S]*one input/,
  ],
  [
    'a mask of other values',
    () =>
      layers.attention().apply([ones([1, 2, 2]), ones([1, 3, 2])], { mask: [null, tensor([[true, true]])] }),
    /bool\[1, 2\] for float32\[1, 3, 2\]/,
  ],
  [
    'a mask of a symbolic input',
    () =>
      layers
        .layerNormalization()
        .apply(input({ shape: [3, 2] }), { mask: input({ shape: [4], dtype: 'bool' }) }),
    /first axes of its input/,
  ],
  ['v.assign(x, 3)', () => call(variable(tensor(1)), 'assign', tensor(2), 3), /argument 2/],
  ['gradient(loss, a, b)', () => gradient(x(), x()), /gradient\(target, \[a, b\]\)/],
  ['gradient(loss, [a], [b])', () => gradient([x()], [x()]), /several sources come in one list/],
  ['gradient(loss, a, {}, b)', () => gradient(x(), {}, x()), /argument 4/],
  ['gradients(f, a, b)', () => loose(gradients)(() => sum(x()), x(), x()), /gradients\(f, \[a, b\]\)/],
  ['gradient(loss, model)', () => gradient(regressor()), /received: a Sequential[\s\S]*trainableWeights/],
  ['outputGradients: 3', () => gradient(x(), { outputGradients: 3 }), /an output gradient is a tensor/],
  ['valueAndGrad(f)(x, 3)', () => loose(valueAndGrad(square))(x(), 3), /an output gradient is a tensor/],
  ['unstack of an open batch', () => unstack(input({ shape: [3] })), /axis of size null[\s\S]*batchShape/],
  ['a DynamicScalar of a text', () => new DynamicScalar('3' as never), /its value is a number/],
  ['a text as its value', () => Object.assign(new DynamicScalar(3), { value: '4' }), /its value is a number/],
  ['arithmetic with a DynamicScalar', () => (new DynamicScalar(3) as never) * 2, /when a launch runs/],
  ['a mask as indices', () => gather(x(), [true, false] as never), /booleanMask/],
  ['a tensor in a list', () => tensor([tensor(1)] as never), /stack\(\[a, b\]\)/],
  ["tensor(values, 'int32')", () => loose(tensor)([1, 2], 'int32'), /\{ dtype: 'int32' \}/],
  ["dtype: 'double'", () => zeros([2], { dtype: 'double' as never }), /did you mean 'float32'/],
  ["dtype: 'boolean'", () => layers.dense({ units: 2, dtype: 'boolean' as never }), /did you mean 'bool'/],
  ["dtype: 'int64'", () => input({ shape: [2], dtype: 'int64' as never }), /did you mean 'int32'/],
  ['activation()', () => loose(layers.activation)(), /needs an activation/],
  ['an async call', () => layers.lambda((async (t: Tensor) => t) as never).apply(x()), /without async/],
  ['computeOutputShape of a number', () => shaped(3).apply(input({ shape: [2] })), /sizes, with null/],
  ['computeOutputShape of a fraction', () => shaped([1.5]).apply(input({ shape: [2] })), /received: \[1.5\]/],
  ['an input that no model has', () => named().apply({ a: x(), b: x() } as never), /leave out 'b'/],
  ['classes without a top', () => applications.vgg16({ includeTop: false, classes: 3 }), /includeTop: true/],
  ['pooling with a top', () => applications.vgg16({ pooling: 'avg' }), /includeTop: false/],
])('%s', (_, rejected, message) => {
  expect(rejected).toThrow(message);
  expect(rejected).toThrow(RetrogradError);
});

describe('fit', () => {
  const data = [zeros, ones].map((make) => () => make([2, 4]));
  const batches = function* () {
    yield data.map((make) => make());
  };

  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a class that the model lacks',
      () => regressor().fit(x(), [0, 1], { classWeight: { 1: 2, 2: 1 } }),
      /classes of output[\s\S]*class 2/,
    ],
    [
      'shuffle for batches',
      () => regressor().fit(batches as never, { shuffle: true }),
      /used as they come[\s\S]*in the order/,
    ],
    [
      'validationBatchSize for batches',
      () => regressor().fit(x(), zeros([2, 2]), { validationData: batches as never, validationBatchSize: 2 }),
      /used as they come/,
    ],
  ])('rejects %s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(message);
  });

  test('rejects metrics that return numbers', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse', metrics: [(() => 3) as never] });
    await expect(net.fit(x(), zeros([2, 2]))).rejects.toThrow(/function of a metric returns a tensor/);
  });
});

describe('a warning', () => {
  const warnings = async (run: () => unknown) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    try {
      await run();
      return warn.mock.calls.map(([text]) => String(text));
    } finally {
      warn.mockRestore();
    }
  };

  test('says that a normalization has learned nothing', async () => {
    const learned = layers.normalization();
    learned.adapt(x());
    const weighted = layers.normalization();
    weighted.build([null, 4]);
    weighted.setWeights(learned.weights);
    for (const layer of [learned, weighted, layers.normalization({ mean: 1, variance: 2 })])
      expect(await warnings(() => layer.apply(x()))).toEqual([]);
    expect(await warnings(() => layers.normalization().apply(x()))).toEqual([
      expect.stringMatching(/learned nothing.*adapt\(data\)/),
    ]);
  });
});

test('masks that fit are handed on', () => {
  const mask = tensor([true, false]);
  const passed = [
    layers.dense(2).apply(x(), { mask }),
    layers.add().apply([x(), x()], { mask: [mask, mask] }),
    layers.dropout(0.5).apply(input({ shape: [4] }), { mask: input({ shape: [4], dtype: 'bool' }) }),
  ];
  for (const y of passed) expect(maskOf(y)).not.toBeNull();
  const [query, value] = [ones([1, 2, 2]), ones([1, 3, 2])];
  for (const given of [[null, ones([1, 3], { dtype: 'bool' })], ones([1, 2], { dtype: 'bool' }), [null]])
    expect(layers.attention().apply([query, value, value], { mask: given })).toMatchObject({
      shape: [1, 2, 2],
    });
});
