/** @file Models that are broken in other ways than those of variations.test.ts: the first finding says why they don't learn. */
import { beforeAll, describe, expect, test } from 'vitest';
import { GradientTape, init, matMul, mean, sigmoid, square, sub, tensor, variable } from '../../src/index.ts';
import { type Finding, inspector, type StepReport } from '../../src/inspect/index.ts';
import { initializers, layers, losses, optimizers, sequential } from '../../src/keras/index.ts';
import { usePlainStacks } from '../support/plainStacks.ts';

usePlainStacks();

beforeAll(async () => {
  await init();
});

const inspect = inspector({ featureMaps: 0 });
const rows = 16;
const wave = (...shape: number[]) =>
  tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(1.3 * i)),
    { shape },
  );
const x = () => wave(rows, 4);
const classes = (count: number, dtype: 'int32' | 'float32' = 'int32', columns: number[] = []) =>
  tensor(
    Array.from({ length: rows }, (_, i) => i % count),
    { dtype, shape: [rows, ...columns] },
  );
const oneHot = () =>
  tensor(Array.from({ length: rows }, (_, i) => [0, 1, 2].map((k) => Number(k === i % 3))));

const dense = (units: number, name: string, options: object = {}) =>
  layers.dense({ units, name, kernelInitializer: initializers.glorotUniform({ seed: units }), ...options });

interface Case {
  head?: object;
  units?: number;
  loss: unknown;
  y: Parameters<ReturnType<typeof sequential>['trainOnBatch']>[1];
  optimizer?: unknown;
  hidden?: object;
}

async function reportOf({ head = {}, units = 3, loss, y, optimizer = 'adam', hidden = {} }: Case) {
  const net = sequential([
    layers.inputLayer({ shape: [4] }),
    dense(8, 'hidden', { activation: 'tanh', ...hidden }),
    dense(units, 'head', head),
  ]);
  net.compile({ optimizer, loss } as never);
  const report = await inspect(net, x(), y);
  net.dispose();
  return report;
}

const first = (report: StepReport): Finding | undefined => report.findings[0];
const kinds = (report: StepReport) => report.findings.map(({ kind }) => kind);

describe('a loss that does not suit the predictions', () => {
  test.each([
    ['sparse', { loss: 'sparseCategoricalCrossentropy', y: () => classes(3) }],
    ['one-hot', { loss: 'categoricalCrossentropy', y: () => oneHot() }],
    ['binary', { units: 1, loss: 'binaryCrossentropy', y: () => classes(2, 'float32', [1]) }],
  ] as const)('logits without fromLogits: %s', async (_, { y, ...rest }) => {
    const finding = first(await reportOf({ ...rest, y: y() }));
    expect(finding).toMatchObject({ kind: 'loss', severity: 'error' });
    expect(finding?.title).toMatch(/^The loss takes probabilities, but the predictions lie between -/);
    expect(finding?.layer).toMatch(/head$/);
    expect(finding?.callSite).toMatch(/^brokenModels\.test\.[jt]s:\d+$/);
    expect(finding?.hint).toMatch(/fromLogits: true/);
  });

  test('fromLogits after a softmax, and after a sigmoid', async () => {
    const twice = await reportOf({
      head: { activation: 'softmax' },
      loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
      y: classes(3),
    });
    expect(first(twice)?.title).toMatch(/takes logits, but the predictions come from a softmax already/);
    const binary = await reportOf({
      head: { activation: 'sigmoid' },
      units: 1,
      loss: losses.binaryCrossentropy({ fromLogits: true }),
      y: classes(2, 'float32', [1]),
    });
    expect(first(binary)?.title).toMatch(/takes logits, but the predictions come from a sigmoid already/);
  });

  test('labels of three classes for a binary crossentropy, of probabilities and of logits', async () => {
    for (const fromLogits of [false, true]) {
      const report = await reportOf({
        head: fromLogits ? {} : { activation: 'sigmoid' },
        units: 1,
        loss: losses.binaryCrossentropy({ fromLogits }),
        y: classes(3, 'float32', [1]),
      });
      expect(first(report)?.title).toMatch(/must lie between 0 and 1, and lie between 0 and 2/);
    }
  });

  test('targets that the last activation never reaches', async () => {
    const y = tensor(Array.from({ length: rows }, (_, i) => [10 * i]));
    const report = await reportOf({ head: { activation: 'sigmoid' }, units: 1, loss: 'mse', y });
    expect(first(report)?.title).toMatch(/between 0 and 150, but sigmoid only gives values between 0 and 1/);
    const w = variable(wave(4, 1), { name: 'w' });
    const own = await inspect(() => {
      using tape = new GradientTape();
      return tape.gradient(mean(square(sub(wave(rows), sigmoid(matMul(x(), w))))), [w]);
    });
    // A vector and a column: that they don't match comes first.
    expect(first(own)?.title).toMatch(/^The loss compares every prediction with every target.*\[16, 16\]/);
  });

  test('a softmax over one unit, and one class of a categorical crossentropy', async () => {
    const y = classes(2, 'float32', [1]);
    const softmax = await reportOf({
      head: { activation: 'softmax' },
      units: 1,
      loss: 'binaryCrossentropy',
      y,
    });
    expect(first(softmax)?.title).toMatch(/^A softmax over one unit is always 1/);
    expect(first(softmax)?.layer).toMatch(/head$/);
    const one = { head: { activation: 'sigmoid' }, units: 1, loss: 'categoricalCrossentropy', y };
    const crossentropy = await reportOf(one);
    expect(first(crossentropy)?.title).toMatch(/^A categorical crossentropy of one class is always 0/);
    // That gradients are zero then is no finding of its own.
    for (const report of [softmax, crossentropy]) expect(kinds(report)).toEqual(['loss']);
  });

  test('a softmax after a softmax, and after a sigmoid', async () => {
    for (const activation of ['softmax', 'sigmoid']) {
      const net = sequential([
        layers.inputLayer({ shape: [4] }),
        dense(3, 'head', { activation }),
        layers.softmax({ name: 'shares' }),
      ]);
      net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
      const report = await inspect(net, x(), classes(3));
      expect(report.findings).toHaveLength(1);
      expect(first(report)?.title).toBe(`A softmax follows a ${activation}: its inputs lie between 0 and 1.`);
      expect(first(report)?.layer).toMatch(/head$/);
      net.dispose();
    }
  });

  test('no alarm where they suit one another', async () => {
    const suited: Case[] = [
      { head: { activation: 'softmax' }, loss: 'sparseCategoricalCrossentropy', y: classes(3) },
      { head: { activation: 'softmax' }, loss: 'categoricalCrossentropy', y: oneHot() },
      { loss: losses.categoricalCrossentropy({ fromLogits: true }), y: oneHot() },
      { head: { activation: 'sigmoid' }, loss: 'binaryCrossentropy', y: oneHot() },
      { loss: losses.binaryCrossentropy({ fromLogits: true, labelSmoothing: 0.1 }), y: oneHot() },
      { head: { activation: 'tanh' }, loss: 'mse', y: wave(rows, 3) },
      { units: 1, loss: 'mse', y: wave(rows) },
    ];
    for (const one of suited) {
      const report = await reportOf(one);
      expect(
        kinds(report).filter((kind) => kind === 'loss'),
        report.summary(),
      ).toEqual([]);
    }
  });
});

test('a label out of range in every form that labels take', async () => {
  const labels = Array.from({ length: rows }, (_, i) => i % 4);
  const head = { activation: 'softmax' };
  for (const y of [
    labels,
    labels.map((label) => [label]),
    Uint8Array.from(labels),
    classes(4, 'float32', [1]),
  ]) {
    const report = await reportOf({ head, loss: 'sparseCategoricalCrossentropy', y });
    expect(first(report)?.title).toBe('Label 3 is out of range: the model has 3 classes, 0 to 2.');
    expect(first(report)?.text).toMatch(/labels of this step lie between 0 and 3/);
  }
});

describe('weights that do not move', () => {
  test('a frozen layer is named; where all are frozen, that is the finding', async () => {
    const net = sequential([layers.inputLayer({ shape: [4] }), dense(8, 'base'), dense(1, 'head')]);
    net.getLayer('base').trainable = false;
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const report = await inspect(net, x(), wave(rows, 1));
    expect(report.findings).toEqual([]);
    expect(report.summary()).toMatch(/2 of 4 weights are not trainable: '.*base\/kernel', '.*base\/bias'/);
    net.trainable = false;
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const [failure] = (await inspect(net, x(), wave(rows, 1))).findings;
    expect(failure?.text).toMatch(/must have trainable weights[\s\S]*none of them trainable/);
    net.dispose();
  });

  test('a learning rate of zero, and of 100', async () => {
    const y = wave(rows, 3);
    const still = await reportOf({ loss: 'mse', y, optimizer: optimizers.adam({ learningRate: 0 }) });
    expect(first(still)?.title).toBe('The optimizer ran, and changed no weight.');
    for (const optimizer of [optimizers.adam({ learningRate: 100 }), optimizers.sgd({ learningRate: 100 })]) {
      const wild = await reportOf({ loss: 'mse', y, optimizer });
      expect(first(wild)?.title).toMatch(/^One step changes '.*' by \S+ times its size/);
      expect(first(wild)?.hint).toMatch(/learning rate/);
    }
  });

  test('a learning rate at which kernels jump, and one at which they do not', async () => {
    const trainedWith = async (learningRate: number) => {
      const net = sequential([layers.inputLayer({ shape: [4] }), dense(8, 'hidden'), dense(3, 'head')]);
      net.compile({ optimizer: optimizers.adam({ learningRate }), loss: 'mse' });
      const report = await inspect(net, x(), wave(rows, 3));
      net.dispose();
      return report;
    };
    expect(first(await trainedWith(0.2))).toMatchObject({ kind: 'update', severity: 'note' });
    expect(first(await trainedWith(0.2))?.title).toMatch(
      /^One step changes '.*kernel' by \S+ % of its size\.$/,
    );
    expect((await trainedWith(0.01)).findings).toEqual([]);
  });

  test('kernels of one value, and of zeros', async () => {
    const ones = { kernelInitializer: initializers.constant({ value: 0.3 }) };
    const same = await reportOf({ loss: 'mse', y: wave(rows, 3), hidden: ones, head: ones });
    expect(first(same)?.title).toMatch(/^All units of a layer are the same: .*hidden\/kernel.*head\/kernel/);
    const zeros = { kernelInitializer: 'zeros' };
    const head = await reportOf({ loss: 'mse', y: wave(rows, 3), head: zeros });
    expect(first(head)).toMatchObject({ kind: 'zero gradient', severity: 'warning' });
    expect(first(head)?.title).toMatch(/^A weight of zeros stops the gradient in .*head/);
    // Where all kernels are zeros, that is the one finding, and no dead relu.
    const both = await reportOf({
      loss: 'mse',
      y: wave(rows, 3),
      head: zeros,
      hidden: { ...zeros, activation: 'relu' },
    });
    expect(kinds(both)).toEqual(['same units']);
  });
});

test('data that is empty, and targets that are not scaled', async () => {
  const net = sequential([
    layers.inputLayer({ shape: [4] }),
    dense(8, 'hidden', { activation: 'relu' }),
    dense(1, 'head'),
  ]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  const empty = await inspect(net, tensor(new Float32Array(4 * rows), { shape: [rows, 4] }), wave(rows, 1));
  expect(first(empty)?.title).toBe('The input float32[16, 4] is 0 everywhere.');
  const prices = tensor(Array.from({ length: rows }, (_, i) => [1e6 * (1 + (i % 3))]));
  const unscaled = await inspect(net, x(), prices);
  expect(first(unscaled)?.title).toMatch(/^The gradient explodes in the loss: it is \S+ times larger/);
  const targets = unscaled.findings.find(({ kind }) => kind === 'input');
  expect(targets?.title).toBe('The targets float32[16, 1] have values up to 3.0e+6.');
  expect(targets?.hint).toMatch(/standard deviation/);
  net.dispose();
});

test('NaN in data: in samples, in targets, and in a weight', async () => {
  const holed = (values: Float32Array, ...shape: number[]) => {
    values[5] = Number.NaN;
    return tensor(values, { shape });
  };
  const net = sequential([layers.inputLayer({ shape: [4] }), dense(1, 'head')]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  const targets = await inspect(net, x(), holed(new Float32Array(rows), rows, 1));
  expect(first(targets)?.title).toMatch(/^The input .*float32\[16, 1\] holds NaN before the step begins/);
  expect(first(targets)?.text).toMatch(/the first at position \[5, 0\]/);
  // The step before made every weight NaN: the next report says that, too.
  const after = await inspect(net, x(), wave(rows, 1));
  expect(first(after)?.title).toMatch(/^The weight '.*head\/kernel' .* holds NaN before the step begins/);
  net.dispose();
  const samples = sequential([layers.inputLayer({ shape: [4] }), dense(1, 'head')]);
  samples.compile({ optimizer: 'sgd', loss: 'mse' });
  const report = await inspect(samples, holed(new Float32Array(4 * rows), rows, 4), wave(rows, 1));
  expect(first(report)?.title).toMatch(/float32\[16, 4\] holds NaN before the step begins/);
  samples.dispose();
});
