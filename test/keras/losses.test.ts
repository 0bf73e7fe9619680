/** @file Losses against Keras (test/fixtures/losses), and invalid arguments. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  DisposedError,
  grad,
  GradientTape,
  hvp,
  IndexOutOfRangeError,
  init,
  mean,
  memory,
  mul,
  type RetrogradError,
  ShapeError,
  square,
  sub,
  sum,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../src/index.ts';
import { input, KerasTensor, losses, model } from '../../src/keras/index.ts';

interface Values {
  shape: number[];
  values: (number | string)[];
}

interface Case {
  loss: string;
  options: Record<string, unknown>;
  yTrue: Values;
  yPred: Values;
  sampleWeight?: Values;
  mask?: Values;
  value: Values;
  gradient: Values;
}

const { source, cases } = JSON.parse(
  readFileSync(new URL('../fixtures/losses/keras.json', import.meta.url), 'utf8'),
) as {
  source: string;
  cases: Case[];
};

beforeAll(async () => {
  await init();
});

const made = ({ shape, values }: Values) => tensor(values.map(Number), { shape });

async function expectNear(actual: Tensor, { shape, values }: Values): Promise<void> {
  expect(actual.shape).toEqual(shape);
  const found = await actual.data();
  values.map(Number).forEach((value, i) => {
    expect(Math.abs((found[i] as number) - value), `[${i}] ${found[i]} for ${value}`).toBeLessThanOrEqual(
      2e-6 + 1e-5 * Math.abs(value),
    );
  });
}

describe(source, () => {
  cases.forEach((kerasCase, i) => {
    const { loss, options, yTrue, yPred, sampleWeight, mask } = kerasCase;
    const extra = [sampleWeight && `weights [${sampleWeight.shape}]`, mask && `mask [${mask.shape}]`];
    const title = [loss, JSON.stringify(options), `[${yTrue.shape}] [${yPred.shape}]`, ...extra].filter(
      Boolean,
    );
    test(`${i}: ${title.join(' ')}`, async () => {
      const p = made(yPred);
      using tape = new GradientTape();
      tape.watch(p);
      const object = losses.get({ className: loss, config: options });
      const value = object.call(made(yTrue), p, sampleWeight && made(sampleWeight), mask && made(mask));
      await expectNear(value, kerasCase.value);
      await expectNear(tape.gradient(value, p) as Tensor, kerasCase.gradient);
    });
  });
});

test('a maker computes losses of samples, and creates objects', async () => {
  const [yTrue, yPred] = [tensor([[0, 2]]), tensor([[1, 5]])];
  expect(await losses.huber(yTrue, yPred).array()).toEqual([1.5]);
  expect(await losses.huber(yTrue, yPred, { delta: 2 }).array()).toEqual([2.25]);
  const object = losses.huber({ delta: 2, reduction: 'sum', name: 'mine' });
  expect(object).toBeInstanceOf(losses.Loss);
  expect(await object.call(yTrue, yPred).item()).toBe(2.25);
  expect(object.getConfig()).toEqual({ name: 'mine', reduction: 'sum', delta: 2 });
  expect([object.className, losses.huber().name]).toEqual(['Huber', 'huber_loss']);
});

test('weights and a mask in one object, as metrics take them', async () => {
  const loss = losses.meanSquaredError();
  const [yTrue, yPred] = [tensor([[0], [0], [0]]), tensor([[1], [2], [4]])];
  const value = async (made: Tensor) => (await made.data())[0];
  const [sampleWeight, mask] = [
    [1, 3, 1],
    [true, true, false],
  ];
  expect(await value(loss.call(yTrue, yPred, { sampleWeight }))).toBeCloseTo(29 / 3, 5);
  for (const given of [
    { sampleWeight, mask },
    { mask },
    {},
    { sampleWeight: null },
    { sampleWeight: undefined },
  ]) {
    const { sampleWeight: weight, mask: kept } = given as { sampleWeight?: number[]; mask?: boolean[] };
    const positional = loss.call(yTrue, yPred, weight, kept as never);
    expect(await value(loss.call(yTrue, yPred, given as never))).toBe(await value(positional));
  }
  const call =
    (...given: unknown[]) =>
    () =>
      loss.call(yTrue, yPred, ...(given as []));
  expect(call({ sampleWeights: [1, 1, 1] })).toThrow(ValueError);
  expect(call({ sampleWeights: [1, 1, 1] })).toThrow(/sampleWeights[\s\S]*sampleWeight/);
  expect(call({ sampleWeight }, mask)).toThrow(ValueError);
  expect(call(sampleWeight, mask, 1)).toThrow(ValueError);
});

test('host values are accepted as tensors', async () => {
  expect(
    await losses
      .meanSquaredError()
      .call([[1], [2]], [[1], [4]])
      .item(),
  ).toBe(2);
  expect(
    await losses
      .meanSquaredError()
      .call([[1], [2]], [[1], [4]], [1, 3])
      .item(),
  ).toBe(6);
});

describe('by name', () => {
  test.each([
    ['mse', 'MeanSquaredError'],
    ['MSE', 'MeanSquaredError'],
    ['mae', 'MeanAbsoluteError'],
    ['mape', 'MeanAbsolutePercentageError'],
    ['msle', 'MeanSquaredLogarithmicError'],
    ['bce', 'BinaryCrossentropy'],
    ['KLD', 'KLDivergence'],
    ['kl_divergence', 'KLDivergence'],
    ['klDivergence', 'KLDivergence'],
    ['huber', 'Huber'],
    ['log_cosh', 'LogCosh'],
    ['sparseCategoricalCrossentropy', 'SparseCategoricalCrossentropy'],
    ['sparse_categorical_crossentropy', 'SparseCategoricalCrossentropy'],
    ['SparseCategoricalCrossentropy', 'SparseCategoricalCrossentropy'],
  ])('%s', (name, className) => {
    expect(losses.get(name).className).toBe(className);
  });

  test('by maker, by function, by itself, and null for none', async () => {
    expect(losses.get(losses.hinge).className).toBe('Hinge');
    const own = losses.get((t, p) => mean(square(sub(t, p)), { axis: -1 }));
    expect(await own.call([[1, 3]], [[1, 1]]).item()).toBe(2);
    const object = losses.poisson();
    expect(losses.get(object)).toBe(object);
    expect(losses.get(null)).toBeNull();
  });

  test('every loss can be created again from its configuration', () => {
    const makers = Object.entries(losses).filter(([name]) => /^[a-z]/.test(name) && name !== 'get');
    expect(makers.length).toBe(22);
    for (const [name, make] of makers) {
      const object = (make as () => losses.Loss)();
      const again = losses.get({ className: object.className, config: object.getConfig() });
      expect(again.getConfig(), name).toEqual(object.getConfig());
      expect(losses.get(name).className).toBe(object.className);
    }
  });

  test('the error for an unknown name lists the known ones', () => {
    expect(() => losses.get('meanSquareError')).toThrow(/meanSquaredError.*mse[\s\S]*'meanSquareError'/);
    expect(() => losses.get(3 as never)).toThrow(ValueError);
  });
});

describe('bad input', () => {
  type Bad = [
    why: string,
    run: () => unknown,
    error: new (...args: never[]) => RetrogradError,
    message: RegExp,
  ];
  const three = () => tensor([[0.1, 0.2, 0.7]]);
  const two = () => tensor([[0, 1]]);
  const bad: Bad[] = [
    [
      'shapes that do not broadcast',
      () => losses.huber(two(), three()),
      ShapeError,
      /^huber_loss: .*broadcast.*\n.*`yTrue` float32\[1, 2\], `yPred` float32\[1, 3\]\n {2}hint: /,
    ],
    [
      'shapes that differ',
      () => losses.categoricalCrossentropy(two(), three()),
      ShapeError,
      /same shape[\s\S]*sparseCategoricalCrossentropy/,
    ],
    [
      'targets that would broadcast',
      () => losses.binaryCrossentropy([[1]], three()),
      ShapeError,
      /same shape/,
    ],
    ['one-hot labels', () => losses.sparseCategoricalCrossentropy(three(), three()), ShapeError, /one label/],
    [
      'weights that do not fit',
      () => losses.huber().call([[1], [2]], [[1], [2]], [1, 2, 3]),
      ShapeError,
      /`sampleWeight`/,
    ],
    [
      'a mask that does not fit',
      () => losses.huber().call([[1], [2]], [[1], [2]], null, [1, 0, 1]),
      ShapeError,
      /./,
    ],
    ['scalars', () => losses.meanSquaredError(1, 2), ShapeError, /rank 1 or more/],
    [
      'an axis that is not there',
      () => losses.cosineSimilarity({ axis: 2 }).call(two(), two()),
      ShapeError,
      /axis/,
    ],
    [
      'an unknown reduction',
      () => losses.huber({ reduction: 'avg' as never }),
      ValueError,
      /'sum_over_batch_size'.*\n.*'avg'/,
    ],
    [
      'an unknown option',
      () => losses.huber({ detla: 2 } as never),
      ValueError,
      /options are delta.*\n.*detla: 2/,
    ],
    [
      'an option where there are none',
      () => losses.hinge(two(), two(), { axis: 1 } as never),
      ValueError,
      /no options/,
    ],
    [
      'a reduction of samples',
      () => losses.hinge(two(), two(), { reduction: 'sum' } as never),
      ValueError,
      /options of the loss object/,
    ],
    ['a negative delta', () => losses.huber({ delta: -1 }), ValueError, /at least 0.*\n.*delta: -1/],
    ['an infinite delta', () => losses.huber({ delta: Infinity }), ValueError, /finite/],
    [
      'a smoothing above 1',
      () => losses.binaryCrossentropy({ labelSmoothing: 1.5 }),
      ValueError,
      /at most 1/,
    ],
    [
      'logits that are no boolean',
      () => losses.binaryCrossentropy({ fromLogits: 1 as never }),
      ValueError,
      /true or false/,
    ],
    [
      'a fractional class',
      () => losses.sparseCategoricalCrossentropy({ ignoreClass: 0.5 }),
      ValueError,
      /integer/,
    ],
    ['a q of 1', () => losses.categoricalGeneralizedCrossEntropy({ q: 1 }), ValueError, /below 1/],
    ['embeddings of rank 3', () => losses.circle([0], [[[1, 0]]]), ShapeError, /\[batch, features\]/],
    ['sequences without labels', () => losses.ctc([1], [[[1, 0]]]), ShapeError, /\[batch, labels\]/],
    ['predictions left out', () => losses.huber(two() as never), ValueError, /targets and predictions/],
    ['null for predictions', () => losses.huber().call(two(), null as never), ValueError, /`yPred`/],
    ['a disposed tensor', () => losses.huber().call(two(), disposed()), DisposedError, /./],
  ];
  const disposed = () => {
    const x = two();
    x.dispose();
    return x;
  };
  test.each(bad)('%s', (_why, run, error, message) => {
    expect(run).toThrow(error);
    expect(run).toThrow(message);
  });

  test('a label outside of the classes is reported, and the device stays usable', async () => {
    const labels = tensor([0, 3, 1], { dtype: 'int32' });
    const logits = tensor([1, 2, 3, 4, 5, 6, 7, 8, 9], { shape: [3, 3] });
    const loss = losses.sparseCategoricalCrossentropy({ fromLogits: true });
    const fault = await loss
      .call(labels, logits)
      .item()
      .catch((error) => error);
    expect(fault).toBeInstanceOf(IndexOutOfRangeError);
    expect(fault).toMatchObject({ index: 3, position: [1], limit: 3 });
    expect(fault.message).toMatch(
      /^sparseCategoricalCrossentropy: index 3 .*`yTrue`.*`yPred` float32\[3, 3\][\s\S]*ignoreClass/,
    );
    const ignoring = losses.sparseCategoricalCrossentropy({ fromLogits: true, ignoreClass: 3 });
    expect(await ignoring.call(labels, logits).item()).toBeCloseTo(1.907606, 5);
  });
});

describe('numbers at the edge', () => {
  test.each([
    'mse',
    'mae',
    'mape',
    'msle',
    'huber',
    'logCosh',
    'cosineSimilarity',
    'bce',
    'kld',
    'poisson',
    'hinge',
  ])('NaN reaches %s', async (name) => {
    expect(
      await losses
        .get(name)
        .call([[0.5, 0.25]], [[0.5, Number.NaN]])
        .item(),
    ).toBeNaN();
  });

  test('an ignored sample keeps its NaN to itself', async () => {
    const logits = tensor([
      [1, 2],
      [Number.NaN, 0],
    ]);
    const loss = losses.sparseCategoricalCrossentropy({ fromLogits: true, ignoreClass: -1 });
    const value = (x: Tensor) => loss.call(tensor([1, -1], { dtype: 'int32' }), x);
    expect(await value(logits).item()).toBeCloseTo(Math.log1p(Math.exp(-1)), 6);
    const [, second] = (await grad(value)(logits).array()) as number[][];
    expect(second).toEqual([0, 0]);
  });

  test('zero vectors have a finite gradient of the cosine', async () => {
    const gradient = grad((x) => losses.cosineSimilarity().call([[1, 2]], x))(tensor([[0, 0]]));
    expect([...(await gradient.data())].every(Number.isFinite)).toBe(true);
  });

  test('logits of any size', async () => {
    const targets = [[1], [0], [1], [0]];
    const logits = tensor([[-200], [200], [1e30], [-1e30]]);
    const loss = losses.binaryCrossentropy({ fromLogits: true, reduction: 'none' });
    expect(await loss.call(targets, logits).array()).toEqual([200, 200, 0, 0]);
    const gradient = await grad((x) => sum(loss.call(targets, x)))(logits).data();
    expect(Array.from(gradient, (value) => value + 0)).toEqual([-1, 1, 0, 0]);
  });

  test('a mean over no samples is 0', async () => {
    const none = tensor([], { shape: [0, 3] });
    expect(await losses.meanSquaredError().call(none, none).item()).toBe(0);
    expect(
      await losses
        .meanSquaredError()
        .call(none, none, tensor([], { shape: [0] }))
        .item(),
    ).toBe(0);
  });

  test('an impossible alignment is infinitely unlikely', async () => {
    const value = (x: Tensor) => losses.ctc().call([[1, 1]], x);
    const logits = tensor([
      [
        [1, 2],
        [0, 1],
      ],
    ]);
    expect(await value(logits).item()).toBe(Number.POSITIVE_INFINITY);
    expect(await grad(value)(logits).array()).toEqual([
      [
        [0, 0],
        [0, 0],
      ],
    ]);
  });
});

test('second derivatives, also at an error of 0', async () => {
  const curvature = async (name: string, error: number) => {
    const value = (x: Tensor) => losses.get(name).call([[0]], x);
    return (hvp(value, [tensor([[error]])], [tensor([[1]])])[0] as Tensor).item();
  };
  expect(await curvature('mse', 0)).toBe(2);
  expect(await curvature('huber', 0)).toBe(1);
  expect(await curvature('huber', 3)).toBe(0);
  expect(await curvature('logCosh', 0)).toBeCloseTo(1, 5);
});

test('the layers of classes may stand first', async () => {
  const logits = tensor([1, 2, 3, 6, 5, 4], { shape: [1, 2, 3] });
  const loss = losses.sparseCategoricalCrossentropy({ fromLogits: true, axis: 1, reduction: 'none' });
  const values = (await loss.call([[0, 1, 0]], logits).array()) as number[][];
  const expected = [5, 3, 1].map((d, i) => Math.log1p(Math.exp(-d)) + (i === 1 ? 0 : d));
  expected.forEach((value, i) => {
    expect(values[0]?.[i]).toBeCloseTo(value, 5);
  });
});

test('symbolic predictions give a symbolic loss that a model computes', async () => {
  const yTrue = input({ shape: [3] });
  const yPred = input({ shape: [3] });
  for (const name of ['mse', 'huber', 'cosineSimilarity', 'hinge', 'bce', 'categoricalCrossentropy', 'kld']) {
    const object = losses.get(name);
    const value = object.call(yTrue, yPred);
    expect(value, name).toBeInstanceOf(KerasTensor);
    expect(value.shape).toEqual([]);
    const [t, p] = [
      tensor([
        [0, 1, 0],
        [1, 0, 0],
      ]),
      tensor([
        [0.2, 0.5, 0.3],
        [0.6, 0.3, 0.1],
      ]),
    ];
    const computed = model({ inputs: [yTrue, yPred], outputs: value as KerasTensor }).apply([
      t,
      p,
    ]) as unknown as Tensor;
    expect(await computed.item()).toBe(await object.call(t, p).item());
  }
});

test('nothing is left behind', async () => {
  const [t, p] = [tensor([[0, 1]]), tensor([[0.4, 0.6]])];
  const before = memory().tensors;
  const values = losses.binaryCrossentropy(t, p);
  const total = losses.binaryCrossentropy().call(t, p, [2]);
  expect(memory().tensors).toBe(before + 2);
  tidy(() => mul(values, total));
  for (const made of [values, total]) made.dispose();
});
