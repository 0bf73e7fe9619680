/** @file Arguments that new users pass by mistake, and that would be ignored or misread: each is rejected with the remedy. */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  add,
  checkNumerics,
  checkpoint,
  conv2d,
  customGradient,
  debugMode,
  defineKernel,
  defineOp,
  DynamicScalar,
  grad,
  GradientTape,
  init,
  mean,
  mul,
  ones,
  RetrogradError,
  runKernel,
  setDevice,
  square,
  sum,
  type Tensor,
  tensor,
  tune,
  type Variable,
  variable,
} from '../src/index.ts';
import { Layer, layers, losses, metrics, optimizers, sequential } from '../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
afterEach(() => {
  warn.mockClear();
});

/** Functions as JavaScript sees them. */
type Loose = (...args: unknown[]) => unknown;
const loose = (fn: unknown) => fn as Loose;
const x = () => ones([2, 4]);
const regressor = (loss: unknown = 'mse') => {
  const net = sequential([layers.inputLayer([2]), layers.dense(1)]);
  net.compile({ optimizer: 'sgd', loss: loss as 'mse' });
  return net;
};
const data = [
  [
    [1, 2],
    [3, 4],
  ],
  [[1], [2]],
] as const;

class Bare extends (Layer as unknown as new () => { apply: Loose }) {}

/** Returns an op of an app with other `parts`. */
const own = (parts: object) =>
  defineOp<[x: Tensor, y: Tensor]>({
    name: 'own',
    inputs: ['x', 'y'],
    infer: ([{ shape, dtype }]) => ({ shape, dtype }),
    forward: ([a]) => square(a),
    backward: null,
    ...parts,
  }) as unknown as Loose;
const differentiated = (backward: unknown) => () =>
  GradientTape.run((tape) => {
    const [a, b] = [variable(x()), variable(x())];
    return tape.gradient(own({ backward })(a, b) as Tensor, [a, b]);
  });
let untracked: Variable | null = null;
const untrackedVariable = () => {
  untracked ??= variable(tensor(2), { name: 'untracked' });
  return untracked;
};
/** Returns a kernel of an app with other `parts`. */
const kernel = (parts: object) =>
  defineKernel({
    name: 'own kernel',
    bindings: { x: 'read f32', y: 'write f32' },
    params: {},
    source: () => '',
    ...parts,
  });
const excluded = (names: unknown) => optimizers.sgd().excludeFromWeightDecay(names as object);
const bound = (
  method: 'fit' | 'evaluate' | 'predict' | 'predictOnBatch' | 'testOnBatch' | 'trainOnBatch',
) => {
  const net = regressor();
  return loose(net[method].bind(net));
};

describe('rejected at the call', () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      'training: a string',
      () => layers.dropout(0.5).apply(x(), { training: 'false' as never }),
      /true or false/,
    ],
    ['mask: a list', () => layers.dense(2).apply(x(), { mask: [1] as never }), /`mask` is a tensor/],
    ['a layer without `call`', () => new Bare().apply(x()), /method `call\(inputs, options\)`/],
    ['call() of a layer that is not built', () => layers.dense(2).call(x()), /call it by apply/],
    [
      'add(a, b)',
      () => loose(sequential([]).add.bind(sequential([])))(layers.dense(1), layers.dense(1)),
      /argument 2/,
    ],
    [
      'watch(a, b)',
      () => GradientTape.run((tape) => loose(tape.watch.bind(tape))(x(), x())),
      /\[tensor, …\]/,
    ],
    [
      'apply(g, v, 3)',
      () => loose(optimizers.sgd().apply.bind(optimizers.sgd()))([x()], [variable(x())], 3),
      /argument 3/,
    ],
    ['persistent: a string', () => new GradientTape({ persistent: 'true' as never }), /true or false/],
    ['trainable: a string', () => variable(x(), { trainable: 'false' as never }), /true or false/],
    ['checkNumerics of a string', () => loose(checkNumerics)('off'), /true or false/],
    ['debugMode of a string', () => loose(debugMode)('off'), /true or false/],
    ['setDevice of a string', () => loose(setDevice)('gpu'), /init\(\{ device \}\)/],
    ['a Promise as operand', () => loose(add)(x(), x().data()), /await it first/],
    ['a Promise as values', () => loose(tensor)(x().data()), /await it first/],
    ['a Promise as input', () => layers.dense(2).apply(Promise.resolve(x()) as never), /await it first/],
    ['a missing operand', () => loose(add)(x()), /received: undefined[\s\S]*pass a tensor as `y`/],
    ['no weights', () => GradientTape.run((tape) => tape.gradient(sum(x()), [])), /not called yet/],
    ['backward that gives a tensor', differentiated(([dy]: Tensor[]) => dy), /returns a list/],
    ['backward without the second', differentiated(([dy]: Tensor[]) => [dy]), /each of the 2 inputs/],
    [
      'backward in another shape',
      differentiated(() => [ones([3]), null]),
      /float32\[3\] for input 0, float32\[2, 4\]/,
    ],
    ['backwards', () => own({ backwards: null }), /did you mean 'backward'/],
    ['no backward', () => own({ backward: undefined }), /or null where there is no gradient/],
    ['inputs: a string', () => own({ inputs: 'x' }), /list of names/],
    ['save: input', () => own({ save: { input: [0] } }), /did you mean 'inputs'/],
    ['save of input 2 of 2', () => own({ save: { inputs: [2] } }), /by their positions/],
    ['elementwise: a string', () => own({ elementwise: 'false' }), /true or false/],
    ['no definition', () => loose(defineOp)(null), /in one object/],
    ['infer without a dtype', () => own({ infer: () => ({ shape: [2] }) })(x(), x()), /shape and the dtype/],
    ['forward without a result', () => own({ forward: () => {} })(x(), x()), /what `infer` planned/],
    ['forward of another shape', () => own({ forward: () => ones([5]) })(x(), x()), /received: float32\[5\]/],
    ['param', () => kernel({ param: {} }), /did you mean 'params'/],
    ['readwrite', () => kernel({ bindings: { x: 'readwrite f32' } }), /'read f32'/],
    ['a parameter of type float', () => kernel({ params: { n: 'float' } }), /u32, i32, f32/],
    ['source: a string', () => kernel({ source: 'fn main() {}' }), /returns WGSL/],
    ['no kernel', () => loose(defineKernel)(undefined), /in one object/],
    ['customGradient of a number', () => loose(customGradient)(3), /is a function/],
    ['checkpoint of a number', () => loose(checkpoint)(3), /is a function/],
    ['countParams of an unbuilt layer', () => layers.dense(2).countParams(), /build it first/],
    ['countParams of an unbuilt model', () => sequential([layers.dense(2)]).countParams(), /build it first/],
    ['predictOnBatch(x, y)', () => bound('predictOnBatch')(x(), x()), /argument 2/],
    ['build(weights, 3)', () => loose(optimizers.sgd().build.bind(optimizers.sgd()))([], 3), /argument 2/],
    ['build of a number', () => loose(layers.dense(2).build)(4), /`build` takes the shape/],
    ['build of a tensor', () => loose(layers.dense(2).build)(x()), /`build` takes the shape/],
    ['getLayer(NaN)', () => regressor().getLayer(Number.NaN), /by its index/],
    ['getLayer(0.5)', () => regressor().getLayer(0.5), /by its index/],
    [
      'argnums of a text',
      () => loose(loose(grad)(sum, { argnums: '0' }))(x()),
      /`argnums` must be an integer/,
    ],
    ['name: a number', () => variable(x(), { name: 3 as never }), /`name` is a string/],
    ['decay of one name', () => excluded({ names: 'bias' }), /a list of names/],
    ['decay of a list', () => excluded(['bias']), /variables, names/],
    [
      'a fraction as label',
      () => losses.sparseCategoricalCrossentropy([1, 1.5], ones([2, 3])),
      /received: yTrue: 1.5/,
    ],
    [
      'a fraction as label of a metric',
      () => metrics.sparseCategoricalAccuracy().updateState(Float32Array.of(0, 0.5), ones([2, 3])),
      /integers/,
    ],
    [
      'dilations',
      () => loose(conv2d)(ones([1, 8, 8, 1]), ones([3, 3, 1, 1]), { dilations: 2 }),
      /'dilationRate'/,
    ],
    ['dim', () => loose(sum)(x(), { dim: 1 }), /did you mean 'axis'/],
    ['alpha', () => loose(layers.reLU)({ alpha: 0.1 }), /did you mean 'negativeSlope'/],
    ['hiddenSize', () => loose(layers.lstm)({ hiddenSize: 4 }), /did you mean 'units'/],
    ['std', () => loose(layers.gaussianNoise)({ std: 1 }), /did you mean 'stddev'/],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
    expect(call).toThrow(RetrogradError);
  });
});

describe('rejected by fit', () => {
  test.each<[string, object, RegExp]>([
    ['more epochs before than in all', { epochs: 2, initialEpoch: 5 }, /pass epochs: 7/],
    ['two kinds of validation data', { validationSplit: 0.5, validationData: [...data] }, /leave out one/],
    ['validationSteps alone', { validationSteps: 2 }, /concerns validation data/],
    ['validationFreq alone', { validationFreq: 2 }, /concerns validation data/],
    ['validationBatchSize alone', { validationBatchSize: 2 }, /concerns validation data/],
  ])('%s', async (_, options, message) => {
    await expect(regressor().fit(data[0], data[1], options)).rejects.toThrow(message);
  });

  test('a misspelt option in place of targets', async () => {
    await expect(loose(regressor().fit.bind(regressor()))(data[0], { epoch: 2 })).rejects.toThrow(
      "did you mean 'epochs'?",
    );
  });

  test.each<[string, unknown, RegExp]>([
    ['a number', () => 3, /returns a tensor/],
    ['a Promise', async () => sum(x()), /await it first/],
  ])('a loss that returns %s', async (_, loss, message) => {
    await expect(regressor(loss).fit(...data)).rejects.toThrow(message);
  });
});

test.each([
  ['fit', [{}, 5]],
  ['evaluate', [{}, 5]],
  ['trainOnBatch', [{}, 5]],
  ['testOnBatch', [{}, 5]],
] as const)('%s rejects a fourth argument', async (method, more) => {
  await expect(bound(method)(...data, ...more)).rejects.toThrow('as argument 4');
});

test.each([
  ['a third argument of predict', () => bound('predict')(data[0], {}, 3), 'argument 3'],
  ['a third argument of tune', () => loose(tune)(regressor(), { batchSize: 2 }, 3), 'argument 3'],
  ['dtyp in a spec', () => tune(square, { shape: [3], dtyp: 'int32' } as never), "did you mean 'dtype'?"],
])('rejects %s', async (_, call, message) => {
  await expect(call()).rejects.toThrow(message);
});

test('a fraction among labels on the device is no class', async () => {
  const scores = [
    [0.8, 0.2],
    [0.5, 0.5],
  ];
  const loss = losses.sparseCategoricalCrossentropy(tensor([0, 0.5]), scores);
  await expect(loss.data()).rejects.toThrow(/position \[1\] of `yTrue`[\s\S]*a fraction/);
  const accuracy = metrics.sparseCategoricalAccuracy(tensor([0, 0.5]), scores);
  expect([...(await accuracy.data())]).toEqual([1, 0]);
});

test.each([
  ['a regularizer', { kernelRegularizer: (w: Tensor) => mul(sum(w), untrackedVariable()) }, 'mse'],
  ['a loss', {}, (_: Tensor, y: Tensor) => mul(mean(y), untrackedVariable())],
])('a variable that %s reads is not trained, and a warning says so', async (_, options, loss) => {
  const net = sequential([layers.inputLayer([2]), layers.dense({ units: 1, ...(options as object) })]);
  net.compile({ optimizer: 'sgd', loss: loss as 'mse' });
  await net.fit(...data, { verbose: 0 });
  expect(warn.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/'untracked', read by[\s\S]*neither trained nor saved/),
  ]);
});

test('a run that is complete may be resumed', async () => {
  const history = await regressor().fit(...data, { epochs: 2, initialEpoch: 2 });
  expect(history.history).toEqual({});
});

test('numbers among booleans stay numbers', async () => {
  const mixed = tensor([true, 2] as never);
  expect(mixed.dtype).toBe('float32');
  expect(await mixed.array()).toEqual([1, 2]);
  expect(tensor([[true], [false]]).dtype).toBe('bool');
});

test('a single class trains nothing, and a warning says so', () => {
  layers.dense(1, 'softmax').build([null, 2]);
  losses.categoricalCrossentropy(ones([2, 1]), ones([2, 1]));
  expect(warn.mock.calls.map(([text]) => String(text))).toEqual([
    expect.stringMatching(/softmax of one unit is always 1.*sigmoid/),
    expect.stringMatching(/one class the loss is 0.*binaryCrossentropy/),
  ]);
});

test("init rejects a value that isn't a device", async () => {
  await expect(init({ device: {} as GPUDevice })).rejects.toThrow(/GPUDevice of the app/);
  await expect(init({ powerPreference: 'max' as never })).rejects.toThrow(/'low-power'/);
  await expect(init({ maxPooledBytes: '1' as never })).rejects.toThrow(/maxPooledBytes/);
});

describe("launches of an app's own kernel", () => {
  const scale = defineKernel({
    name: 'scale of an app',
    bindings: { x: 'read f32', y: 'write f32' },
    params: { count: 'u32', factor: 'f32' },
    source: () => `@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x < params.count) { y[id.x] = params.factor * x[id.x]; }
    }`,
  });
  const launch = (params: object, more: object = {}) =>
    runKernel(scale, {
      inputs: { x: x() },
      outputs: { y: x() },
      params,
      workgroups: 1,
      ...more,
    } as never) as {
      y: Tensor;
    };

  test('reject fractions in place of integers, and unknown fields', () => {
    expect(() => launch({ count: 1.5, factor: 2 })).toThrow(/an integer for u32/);
    expect(() => launch({ count: 8, factor: 2 }, { workgroup: 2 })).toThrow("did you mean 'workgroups'?");
  });

  test('take a DynamicScalar', async () => {
    expect(await launch({ count: 8, factor: new DynamicScalar(3) }).y.data()).toEqual(
      new Float32Array(8).fill(3),
    );
  });
});

test("grad of a value that isn't a function", () => {
  expect(() => grad(3 as never)(x())).toThrow(RetrogradError);
});
