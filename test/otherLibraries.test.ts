/**
 * @file Code written as for other libraries: settings by position as in TF.js and Keras, Python names, and
 * values that aren't tensors. It works, or the error shows the right form.
 */
import { inspect } from 'node:util';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  add,
  argMax,
  cast,
  clip,
  concat,
  conv2d,
  cumsum,
  expandDims,
  eye,
  fill,
  gather,
  GradientTape,
  init,
  matMul,
  maxPool,
  mul,
  oneHot,
  ones,
  pad,
  randomUniform,
  range,
  reshape,
  RetrogradError,
  slice,
  softmax,
  split,
  square,
  squeeze,
  stack,
  sum,
  Tensor,
  tensor,
  tidy,
  tile,
  transpose,
  ValueError,
  type Variable,
  variable,
  zeros,
} from '../src/index.ts';
import {
  activations,
  constraints,
  initializers,
  input,
  KerasTensor,
  Layer,
  layers,
  losses,
  metrics,
  optimizers,
  regularizers,
  sequential,
} from '../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

/** Functions as JavaScript sees them: by position, or wrong. */
type Loose = (...args: unknown[]) => unknown;
const loose = (fn: unknown) => fn as Loose;

const x = () =>
  tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
const image = () => ones([1, 4, 4, 2]);
const kernel = () => ones([3, 3, 2, 5]);

describe('ops take settings by position, as in TF.js', () => {
  const same: [string, () => unknown, () => unknown][] = [
    ['sum(x, 1)', () => loose(sum)(x(), 1), () => sum(x(), { axis: 1 })],
    ['sum(x, 1, true)', () => loose(sum)(x(), 1, true), () => sum(x(), { axis: 1, keepDims: true })],
    ['sum(x, null, true)', () => loose(sum)(x(), null, true), () => sum(x(), { keepDims: true })],
    [
      'sum(x, 1, { keepDims })',
      () => loose(sum)(x(), 1, { keepDims: true }),
      () => sum(x(), { axis: 1, keepDims: true }),
    ],
    ['softmax(x, 0)', () => loose(softmax)(x(), 0), () => softmax(x(), { axis: 0 })],
    ['reshape(x, [3, 2])', () => loose(reshape)(x(), [3, 2]), () => reshape(x(), { shape: [3, 2] })],
    ['concat([x, x], -1)', () => loose(concat)([x(), x()], -1), () => concat([x(), x()], { axis: -1 })],
    ['stack([x, x], 1)', () => loose(stack)([x(), x()], 1), () => stack([x(), x()], { axis: 1 })],
    ['expandDims(x, 0)', () => loose(expandDims)(x(), 0), () => expandDims(x(), { axis: 0 })],
    ['squeeze(x, [0])', () => loose(squeeze)(ones([1, 2]), [0]), () => squeeze(ones([1, 2]), { axis: 0 })],
    ['transpose(x, [1, 0])', () => loose(transpose)(x(), [1, 0]), () => transpose(x(), { perm: [1, 0] })],
    ['gather(x, [2, 0], 1)', () => loose(gather)(x(), [2, 0], 1), () => gather(x(), [2, 0], { axis: 1 })],
    ['oneHot([1], 3)', () => loose(oneHot)([1], 3), () => oneHot([1], { depth: 3 })],
    [
      'oneHot([1], 3, 5, 1)',
      () => loose(oneHot)([1], 3, 5, 1),
      () => oneHot([1], { depth: 3, onValue: 5, offValue: 1 }),
    ],
    ["cast(x, 'int32')", () => cast(x(), 'int32'), () => cast(x(), { dtype: 'int32' })],
    ['argMax(x, 1)', () => loose(argMax)(x(), 1), () => argMax(x(), { axis: 1 })],
    [
      'cumsum(x, 1, true)',
      () => loose(cumsum)(x(), 1, true),
      () => cumsum(x(), { axis: 1, exclusive: true }),
    ],
    [
      'pad(x, …, 7)',
      () =>
        loose(pad)(
          x(),
          [
            [1, 0],
            [0, 1],
          ],
          7,
        ),
      () =>
        pad(x(), {
          paddings: [
            [1, 0],
            [0, 1],
          ],
          constantValue: 7,
        }),
    ],
    [
      'slice(x, [0, 1], [1, 2])',
      () => loose(slice)(x(), [0, 1], [1, 2]),
      () => slice(x(), { begin: [0, 1], size: [1, 2] }),
    ],
    ['tile(x, [1, 2])', () => loose(tile)(x(), [1, 2]), () => tile(x(), { reps: [1, 2] })],
    ['clip(x, 2, 4)', () => loose(clip)(x(), 2, 4), () => clip(x(), { min: 2, max: 4 })],
    [
      'matMul(x, x, false, true)',
      () => loose(matMul)(x(), x(), false, true),
      () => matMul(x(), x(), { transposeB: true }),
    ],
    [
      "conv2d(x, w, 2, 'same')",
      () => loose(conv2d)(image(), kernel(), 2, 'same'),
      () => conv2d(image(), kernel(), { strides: 2, padding: 'same' }),
    ],
    [
      "maxPool(x, 2, 2, 'same')",
      () => loose(maxPool)(image(), 2, 2, 'same'),
      () => maxPool(image(), { poolSize: 2, strides: 2, padding: 'same' }),
    ],
    [
      'tensor(values, [2, 2])',
      () => tensor([1, 2, 3, 4], [2, 2]),
      () => tensor([1, 2, 3, 4], { shape: [2, 2] }),
    ],
    [
      "tensor(values, [2, 2], 'int32')",
      () => tensor([1, 2, 3, 4], [2, 2], 'int32'),
      () => tensor([1, 2, 3, 4], { shape: [2, 2], dtype: 'int32' }),
    ],
    ["zeros([2], 'int32')", () => zeros([2], 'int32'), () => zeros([2], { dtype: 'int32' })],
    ["fill([2], 3, 'int32')", () => fill([2], 3, 'int32'), () => fill([2], 3, { dtype: 'int32' })],
    ['eye(2, 3)', () => loose(eye)(2, 3), () => eye(2, { columns: 3 })],
    ["range(0, 4, 2, 'int32')", () => range(0, 4, 2, 'int32'), () => range(0, 4, 2, { dtype: 'int32' })],
    [
      'randomUniform([3], 1, 2, …, 7)',
      () => loose(randomUniform)([3], 1, 2, 'float32', 7),
      () => randomUniform([3], { min: 1, max: 2, seed: 7 }),
    ],
  ];

  test.each(same)('%s', async (_, positional, documented) => {
    const read = async (made: unknown) => {
      const { shape, dtype } = made as Tensor;
      return { shape, dtype, values: await (made as Tensor).array() };
    };
    const [a, b] = tidy(() => [positional(), documented()]);
    expect(await read(a)).toEqual(await read(b));
  });

  test('split(x, 3, 1)', () => {
    const parts = tidy(() => loose(split)(x(), 3, 1) as Tensor[]);
    expect(parts.map(({ shape }) => shape)).toEqual([
      [2, 1],
      [2, 1],
      [2, 1],
    ]);
  });

  test('what has no obvious meaning is rejected, with the right form', () => {
    const rejected: [() => unknown, RegExp][] = [
      [() => loose(concat)(x(), x()), /list of tensors[\s\S]*concat\(\[a, b\]/],
      [() => loose(add)(x(), x(), x()), /by position it takes `x`, `y`[\s\S]*no options/],
      [() => loose(conv2d)(image(), kernel(), 1, 'same', 'NHWC'), /'NHWC' as argument 5[\s\S]*dilationRate/],
      [() => loose(sum)(x(), 1, { axis: 0 }), /each option is passed once/],
      [() => loose(square)(x(), 2), /no options/],
      [() => loose(zeros)(2, 3), /a shape is a list/],
      [() => loose(reshape)(x(), [-1, -1]), /to \[-1, -1\]/],
      [() => conv2d(image(), kernel(), { padding: 'SAME' as 'same' }), /did you mean 'same'/],
      [() => sum(x(), new Map() as never), /Map/],
    ];
    for (const [call, message] of rejected) expect(() => tidy(call)).toThrow(message);
  });
});

describe('Keras factories take what comes first in Keras by position', () => {
  test.each<[string, () => { getConfig(): Record<string, unknown> }, Record<string, unknown>]>([
    ['dense(10)', () => loose(layers.dense)(10) as Layer, { units: 10, activation: 'linear' }],
    ["dense(10, 'relu')", () => loose(layers.dense)(10, 'relu') as Layer, { units: 10, activation: 'relu' }],
    [
      'dense(10, { useBias })',
      () => loose(layers.dense)(10, { useBias: false }) as Layer,
      { units: 10, useBias: false },
    ],
    ['dropout(0.5)', () => loose(layers.dropout)(0.5) as Layer, { rate: 0.5 }],
    [
      "conv2d(8, 3, 2, 'same')",
      () => loose(layers.conv2d)(8, 3, 2, 'same') as Layer,
      { filters: 8, kernelSize: [3, 3], strides: [2, 2], padding: 'same' },
    ],
    ['maxPooling2d(4)', () => loose(layers.maxPooling2d)(4) as Layer, { poolSize: [4, 4], strides: [4, 4] }],
    ['embedding(5, 3)', () => loose(layers.embedding)(5, 3) as Layer, { inputDim: 5, outputDim: 3 }],
    ['lstm(4)', () => loose(layers.lstm)(4) as Layer, { units: 4 }],
    ['reshape([2, 2])', () => loose(layers.reshape)([2, 2]) as Layer, { targetShape: [2, 2] }],
    ["activation('relu')", () => loose(layers.activation)('relu') as Layer, { activation: 'relu' }],
    [
      'batchNormalization(-1, 0.9)',
      () => loose(layers.batchNormalization)(-1, 0.9) as Layer,
      { momentum: 0.9 },
    ],
    ['adam(0.01)', () => optimizers.adam(0.01), { learningRate: 0.01 }],
    ['sgd(0.1, 0.9)', () => loose(optimizers.sgd)(0.1, 0.9) as never, { learningRate: 0.1, momentum: 0.9 }],
    ['l2(0.5)', () => regularizers.l2(0.5), { l2: 0.5 }],
    ['l1l2(0.5, 0.25)', () => regularizers.l1l2(0.5, 0.25), { l1: 0.5, l2: 0.25 }],
    ['constant(3)', () => initializers.constant(3), { value: 3 }],
    ['maxNorm(3)', () => loose(constraints.maxNorm)(3) as never, { maxValue: 3, axis: 0 }],
    [
      'exponentialDecay(0.1, 10, 0.5)',
      () => loose(optimizers.schedules.exponentialDecay)(0.1, 10, 0.5) as never,
      { initialLearningRate: 0.1, decaySteps: 10, decayRate: 0.5 },
    ],
  ])('%s', (_, make, config) => {
    expect(make().getConfig()).toMatchObject(config);
  });

  test('input([4]) and sequential by position', () => {
    const net = loose(sequential)([loose(layers.input)([4]), loose(layers.dense)(2)]) as {
      countParams(): number;
    };
    expect(net.countParams()).toBe(10);
  });

  test('the rest is rejected, with the right form', () => {
    expect(() => loose(layers.dense)(10, 'relu', true)).toThrow(
      /by position it takes `units`, `activation`[\s\S]*useBias: …/,
    );
    expect(() => loose(layers.flatten)(x())).toThrow(/takes nothing/);
    expect(() => loose(metrics.precision)(0.5)).toThrow(ValueError);
    expect(() => loose(losses.huber)(1.5)).toThrow(/losses\.huber\({ delta/);
    expect(() => new layers.Dense(10 as never)).toThrow(/its options are units/);
    expect(() => new layers.Dense(undefined as never)).toThrow(/its options are units/);
    expect(() => new optimizers.Adam(0.01 as never)).toThrow(/its options are/);
    expect(() => new optimizers.SGD(0.01 as never)).toThrow(/options are [^.]*in one object/);
    expect(() => new metrics.AUC(3 as never)).toThrow(/options are [^.]*in one object/);
  });

  test("an app's own layer may be given options that the library doesn't know", () => {
    class Scale extends Layer {
      readonly by: number;
      constructor(options: { by: number }) {
        super(options as object);
        this.by = options.by;
      }
      override call(inputs: Tensor): Tensor {
        return mul(inputs, this.by);
      }
    }
    expect(new Scale({ by: 3 }).by).toBe(3);
  });
});

describe('names', () => {
  test.each([
    ['MeanSquaredError', 'mean_squared_error'],
    ['meansquarederror', 'mean_squared_error'],
    ['mean-squared-error', 'mean_squared_error'],
    ['MSE', 'mean_squared_error'],
    ['sparse_categorical_crossentropy', 'sparse_categorical_crossentropy'],
    ['SparseCategoricalCrossEntropy', 'sparse_categorical_crossentropy'],
  ])('loss %s', (name, found) => {
    expect(losses.get(name).name).toBe(found);
  });

  test('of metrics, optimizers, activations, initializers, regularizers, constraints and layers', () => {
    expect(metrics.metricOf('Mean_Absolute_Error').className).toBe('MeanAbsoluteError');
    for (const name of ['Adam', 'ADAM', 'adam_w', 'RMSProp', 'rms_prop'])
      expect(optimizers.optimizerOf(name).className.toLowerCase()).toBe(name.replace('_', '').toLowerCase());
    for (const name of ['ReLU', 'relu', 'RELU', 're_lu'])
      expect(activations.serializeActivation(activations.activationOf(name))).toBe('relu');
    for (const name of ['glorot_uniform', 'GlorotUniform', 'glorot-uniform'])
      expect(initializers.initializerOf(name).className).toBe('GlorotUniform');
    expect(regularizers.regularizerOf('L1_L2')?.className).toBe('L1L2');
    expect(constraints.constraintOf('Max_Norm')?.className).toBe('MaxNorm');
  });

  test.each<[string, () => unknown, string]>([
    ['loss', () => losses.get('meanSquareError'), 'meanSquaredError'],
    ['metric', () => metrics.metricOf('acuracy'), 'accuracy'],
    ['optimizer', () => optimizers.optimizerOf('adan'), 'Adam'],
    ['activation', () => activations.activationOf('relo'), 'relu'],
    ['initializer', () => initializers.initializerOf('glorotUnifrom'), 'glorotUniform'],
    ['regularizer', () => regularizers.regularizerOf('l1_l'), 'l1'],
    ['constraint', () => constraints.constraintOf('maxnrom'), 'maxNorm'],
  ])('a misspelt %s', (_, call, suggested) => {
    expect(call).toThrow(`did you mean '${suggested}'?`);
  });

  test("data formats and paddings in Python's spelling", () => {
    const conv = (options: object) => layers.conv2d({ filters: 1, kernelSize: 3, ...options });
    expect(conv({ dataFormat: 'channels_last', padding: 'SAME' }).getConfig()).toMatchObject({
      dataFormat: 'channelsLast',
      padding: 'same',
    });
    expect(conv({ dataFormat: 'channels_first' }).getConfig()).toMatchObject({ dataFormat: 'channelsFirst' });
    expect(() => conv({ padding: 'smae' })).toThrow("did you mean 'same'?");
    expect(() => layers.flatten({ dataFormat: 'channels_fist' as never })).toThrow(
      "did you mean 'channelsFirst'?",
    );
  });
});

describe('tensors have no methods and no elements', () => {
  const of = (made: unknown) => made as Record<PropertyKey, unknown> & Iterable<unknown>;
  const set = (made: unknown, name: PropertyKey) => {
    of(made)[name] = 3;
  };
  const weight = () => variable(zeros([2]), { name: 'w' });
  const symbol = () => input({ shape: [2], name: 'in' });

  test.each<[string, () => unknown, RegExp]>([
    ['x.add(y)', () => of(x()).add, /no `add`[\s\S]*a function: add\(x, …\)/],
    ['x.asType', () => of(x()).asType, /function: cast\(x, …\)/],
    ['x.as_type of a symbolic tensor', () => of(symbol()).as_type, /KerasTensor[\s\S]*cast\(x, …\)/],
    ['x.view', () => of(x()).view, /reshape\(x, …\)/],
    ['x.T', () => of(x()).T, /transpose\(x, …\)/],
    ['x.dataSync', () => of(x()).dataSync, /await x\.data\(\)/],
    ['x.numpy', () => of(x()).numpy, /await x\.array\(\)/],
    ['x.backward', () => of(x()).backward, /gradients\(\(\) => loss, \[v\]\)/],
    ['w.assignAdd', () => of(weight()).assignAdd, /v\.assign\(add\(v, x\)\)/],
    ['x.cuda', () => of(x()).cuda, /device that init\(\) opened/],
    ['x.length', () => of(x()).length, /x\.shape\[0\][\s\S]*x\.size/],
    ['x.ndim', () => of(x()).ndim, /x\.rank/],
    ['x[0]', () => of(x())[0], /unstack\(x/],
    ['[...x]', () => [...of(x())], /iterated[\s\S]*unstack\(x/],
    [
      'const [row] = x',
      () => {
        const [row] = of(x());
        return row;
      },
      /unstack\(x/,
    ],
    ['Array.from(x)', () => Array.from(of(x())), /unstack\(x/],
    ['Float32Array.from(x)', () => Float32Array.from(of(x()) as never), /unstack\(x/],
    ['x.shape = [6]', () => set(x(), 'shape'), /`shape`[\s\S]*shape = 3 for Tensor[\s\S]*reshape/],
    ['x.dtype = …', () => set(x(), 'dtype'), /`dtype`[\s\S]*cast/],
    ['x.size = …', () => set(x(), 'size'), /`size`[\s\S]*v\.assign/],
    ['x.rank = …', () => set(x(), 'rank'), /`rank`/],
    ['x.disposed = …', () => set(x(), 'disposed'), /`disposed`/],
    ['x.requiresGrad = true', () => set(x(), 'requiresGrad'), /variable\(x\)/],
    ['x.trainable = true', () => set(x(), 'trainable'), /variable\(x\) is trainable/],
    ['x[0] = 3', () => set(x(), 0), /unstack/],
    ['w.value = …', () => set(weight(), 'value'), /v\.assign\(x\)/],
    ['w.data = …', () => set(weight(), 'data'), /v\.assign\(x\)/],
    ['the rank of a symbolic tensor', () => set(symbol(), 'rank'), /`rank`[\s\S]*KerasTensor/],
  ])('%s', (_, call, message) => {
    expect(() => tidy(call as () => Tensor)).toThrow(message);
    expect(() => tidy(call as () => Tensor)).toThrow(RetrogradError);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['optimizer.minimize', () => of(optimizers.sgd()).minimize, /gradients\(\(\) => loss/],
    ['optimizer.apply_gradients', () => of(optimizers.adam()).apply_gradients, /apply\(gradients, weights\)/],
    ['optimizer.step', () => of(optimizers.adam()).step, /an optimizer has no `step`[\s\S]*apply\(/],
    ['optimizer.zeroGrad', () => of(optimizers.adam()).zeroGrad, /leave it out/],
    ['metric.resetStates', () => of(metrics.mean()).resetStates, /resetState\(\)/],
    ['metric.update', () => of(metrics.auc()).update, /updateState/],
  ])('%s of another library', (_, call, message) => {
    expect(call).toThrow(message);
    expect(call).toThrow(RetrogradError);
  });

  test('a clone would have no values', () => {
    expect(() => structuredClone(x())).toThrow(/await x\.data\(\)/);
    expect(() => structuredClone({ batch: [weight()] })).toThrow(DOMException);
  });

  test("matchers, copies and promises take tensors; an app's own properties stay", async () => {
    const a = Object.assign(x(), { note: 'mine' });
    expect([a]).toEqual([a]);
    expect({ a }).toStrictEqual({ a });
    const [b, c] = [x(), x()];
    expect([b]).not.toEqual([c]);
    expect(b).not.toBe(c);
    const spy = vi.fn();
    spy(b);
    spy(c);
    expect(spy).toHaveBeenCalledWith(c);
    expect({ ...a }.note).toBe('mine');
    expect(await a).toBe(a);
    expect(of(Object.getPrototypeOf(a)).add).toBeUndefined();
    expect(() => [...of(a)]).toThrow(RetrogradError);
  });
});

describe('messages', () => {
  test('values that are no tensors', () => {
    expect(() => variable([1, 2] as never)).toThrow(/variable\(tensor\(values\)\)/);
    expect(() => variable(zeros([2])).assign(5 as never)).toThrow(/assign\(tensor\(values\)\)/);
    expect(() => tensor(BigInt64Array.of(1n) as never)).toThrow(/Int32Array\.from\(values, Number\)/);
    expect(() => add(x(), null as never)).toThrow(/tape\.explain\(target, source\)/);
    expect(() => add(undefined as never, x())).toThrow(/pass a tensor as `x`/);
  });

  test('addWeight with one object', () => {
    class Odd extends Layer {
      override build(): void {
        (this.addWeight as unknown as Loose)({ name: 'w', shape: [1] });
      }
      override call(inputs: Tensor): Tensor {
        return inputs;
      }
    }
    expect(() => new Odd().apply(x())).toThrow(/this\.addWeight\('kernel', { shape/);
  });

  test('gradients in pairs', () => {
    const w: Variable = variable(zeros([1]));
    expect(() => optimizers.sgd().apply([[ones([1]), w]] as never)).toThrow(/apply\(gradients, variables\)/);
  });

  test('a symbolic tensor is not watched', () => {
    using tape = new GradientTape();
    expect(() => tape.watch(input({ shape: [2] }) as never)).toThrow(/symbolic tensor has no values/);
  });

  test('what the console shows of tensors is short', () => {
    const shown = inspect({ w: tensor([[1, 2]], { name: 'w' }) });
    expect(shown).toContain("Tensor float32[1, 2] 'w'");
    expect(shown.length).toBeLessThan(60);
    expect(Object.keys(tensor(1)).sort()).toEqual(['contents', 'id', 'name']);
    expect(inspect(input({ shape: [2], name: 'in' })).length).toBeLessThan(80);
    const json = JSON.stringify([tensor([[1, 2]]), input({ shape: [2], name: 'in' })]);
    expect(JSON.parse(json)).toEqual([
      'Tensor float32[1, 2]',
      "KerasTensor float32[null, 2] 'in', made by in",
    ]);
    expect(inspect(input({ shape: [2] }))).not.toContain(`${KerasTensor.name} {`);
  });

  test('what evaluate returns is taken apart in the order of metricsNames', async () => {
    const net = sequential([layers.input({ shape: [2] }), layers.dense({ units: 1 })]);
    net.compile({ optimizer: 'sgd', loss: 'mse', metrics: ['mae', 'accuracy'] });
    const logs = await net.evaluate(ones([4, 2]), zeros([4, 1]));
    const [loss, mae, accuracy] = logs;
    expect({ loss, mae, accuracy }).toEqual({ ...logs });
    expect(net.metricsNames).toEqual(['loss', 'mae', 'accuracy']);
    const [onBatch] = await net.testOnBatch(ones([4, 2]), zeros([4, 1]));
    expect(onBatch).toBeCloseTo(loss as number, 5);
    net.dispose();
  });
});

test('the class of tensors isn’t their constructor', () => {
  const Loosely = Tensor as unknown as new (...args: unknown[]) => unknown;
  for (const args of [[], [[1, 2, 3]], [new Float32Array(3), [3]], [3, 'float32']])
    expect(() => new Loosely(...args)).toThrow(/tensors are made by functions[\s\S]*tensor\(values\)/);
});
