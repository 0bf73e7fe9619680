/** @file Faults of training that one step shows: data without a signal, wrong learning rates, saturated units. No alarm while models learn. */
import { beforeAll, describe, expect, test } from 'vitest';
import { GradientTape, init, mean, mul, slice, square, sub, tensor } from '../../src/index.ts';
import { type Finding, inspector } from '../../src/inspect/index.ts';
import { initializers, input, layers, losses, model, optimizers, sequential } from '../../src/keras/index.ts';
import { usePlainStacks } from '../support/plainStacks.ts';

usePlainStacks();

beforeAll(async () => {
  await init();
});

const inspect = inspector({ featureMaps: 0 });
const rows = 32;
const numbers = (count: number, value = (i: number) => Math.sin(1.3 * i * i)) =>
  Float32Array.from({ length: count }, (_, i) => value(i));
const x = (columns = 4) => tensor(numbers(rows * columns), { shape: [rows, columns] });
const y = () =>
  tensor(
    numbers(rows, (i) => Math.sin(1.3 * (4 * i) ** 2) + 0.5),
    { shape: [rows, 1] },
  );
const labels = (classes: number) =>
  tensor(
    Array.from({ length: rows }, (_, i) => i % classes),
    { dtype: 'int32' },
  );

const dense = (units: number, name: string, options: object = {}) =>
  layers.dense({ units, name, kernelInitializer: initializers.glorotUniform({ seed: units }), ...options });
const netOf = (units: number, activation = 'tanh', hidden: object = {}, head: object = {}) =>
  sequential([
    layers.inputLayer({ shape: [4] }),
    dense(16, 'hidden', { activation, ...hidden }),
    dense(units, 'head', head),
  ]);

const titles = ({ findings }: { findings: readonly Finding[] }) => findings.map(({ title }) => title);
const sgd = (learningRate: number) => optimizers.sgd({ learningRate });

describe('data without a signal', () => {
  test('labels of one class, in the forms that labels take', async () => {
    const ones = Array.from({ length: rows }, () => 1);
    for (const [loss, targets] of [
      ['sparseCategoricalCrossentropy', tensor(ones, { dtype: 'int32' })],
      ['sparseCategoricalCrossentropy', tensor(ones.map((label) => [label]))],
      ['categoricalCrossentropy', tensor(ones.map(() => [0, 1, 0]))],
      [losses.categoricalCrossentropy({ fromLogits: true }), tensor(ones.map(() => [0, 1, 0]))],
    ] as const) {
      const net = netOf(3, 'tanh', {}, typeof loss === 'string' ? { activation: 'softmax' } : {});
      net.compile({ optimizer: 'adam', loss });
      const [finding, ...rest] = (await inspect(net, x(), targets)).findings;
      expect(finding?.title).toMatch(/^All 32 (?:labels|targets) of this step are the same/);
      expect(finding?.hint).toMatch(/shuffle/);
      expect(finding?.callSite).toMatch(/^training\.test\.[jt]s:\d+$/);
      expect(rest).toEqual([]);
      net.dispose();
    }
  });

  test('one sample repeated; no alarm where one of two inputs varies', async () => {
    const same = tensor(Array.from({ length: rows }, () => [1, 2, 3, 4]));
    const net = netOf(1);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const [finding] = (await inspect(net, same, y())).findings;
    expect(finding).toMatchObject({ kind: 'input', severity: 'error' });
    expect(finding?.title).toBe(
      'All 32 samples of the input float32[32, 4] are the same, but their targets differ.',
    );
    expect(finding?.layer).toMatch(/hidden$/);
    const [a, b] = [input({ shape: [4] }), input({ shape: [4] })];
    const both = layers.add().apply([dense(8, 'a').apply(a), dense(8, 'b').apply(b)]);
    const two = model({ inputs: [a, b], outputs: dense(1, 'top').apply(both) });
    two.compile({ optimizer: 'adam', loss: 'mse' });
    expect(titles(await inspect(two, [same, x()], y()))).toEqual([]);
    net.dispose();
    two.dispose();
  });

  test('pixels that are scaled twice, or not at all; no alarm where the model scales them', async () => {
    const pixels = (scale: number) => mul(x(), scale);
    const net = netOf(1);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    expect(titles(await inspect(net, pixels(1 / 255), y()))).toEqual([
      'The input float32[32, 4] has no value above 0.00392.',
    ]);
    expect(titles(await inspect(net, pixels(255), y()))).toContain(
      'The input float32[32, 4] has values up to 255.',
    );
    const scaling = sequential([
      layers.inputLayer({ shape: [4] }),
      layers.rescaling({ scale: 1 / 255 }),
      dense(1, 'top'),
    ]);
    scaling.compile({ optimizer: 'adam', loss: 'mse' });
    expect(titles(await inspect(scaling, pixels(255), y()))).toEqual([]);
    net.dispose();
    scaling.dispose();
  });
});

describe('a learning rate', () => {
  test('that is a hundred times too high oscillates: the finding is there, and the loss does rise', async () => {
    const net = netOf(1, 'tanh', {}, { kernelInitializer: initializers.glorotUniform({ seed: 3 }) });
    net.compile({ optimizer: sgd(0.8), loss: 'mse' });
    const [samples, targets] = [x(), y()];
    const found: { claimed: boolean; rose: boolean }[] = [];
    for (let step = 0; step < 12; step++) {
      const report = await inspect(net, samples, targets);
      const before = report.toJSON().loss ?? Number.NaN;
      expect(Number.isFinite(before)).toBe(true);
      const after = Number((await net.evaluate(samples, targets, { verbose: 0 })).loss);
      const claimed = titles(report).some((title) => /^The step is too long/.test(title));
      found.push({ claimed, rose: after > before });
    }
    const claims = found.filter(({ claimed }) => claimed);
    expect(claims.length).toBeGreaterThanOrEqual(3);
    // To second order only: a net is no parabola.
    expect(claims.filter(({ rose }) => rose).length / claims.length).toBeGreaterThan(0.8);
    net.dispose();
  });

  test('on a parabola the claim is exact: with 4 times the loss and more, the loss rises', async () => {
    for (const [rate, rises] of [
      [0.9, false],
      [1.1, true],
    ] as const) {
      const one = sequential([
        layers.inputLayer({ shape: [1] }),
        layers.dense({ units: 1, useBias: false, kernelInitializer: initializers.constant({ value: 3 }) }),
      ]);
      one.compile({ optimizer: sgd(rate), loss: 'mse' });
      const samples = tensor(
        numbers(rows, (i) => (i % 2 === 0 ? 1 : -1)),
        { shape: [rows, 1] },
      );
      const targets = tensor(
        numbers(rows, (i) => (i % 2 === 0 ? 0.5 : -0.5)),
        { shape: [rows, 1] },
      );
      const report = await inspect(one, samples, targets);
      const loss = Number((await one.evaluate(samples, targets, { verbose: 0 })).loss);
      expect(loss > (report.toJSON().loss ?? 0)).toBe(rises);
      expect(titles(report).some((title) => /^The step is too long/.test(title))).toBe(rises);
      one.dispose();
    }
  });

  test('that is far too low', async () => {
    const net = netOf(1);
    net.compile({ optimizer: sgd(1e-7), loss: 'mse' });
    const [finding, ...rest] = (await inspect(net, x(), y())).findings;
    expect(finding?.title).toMatch(/^The step is tiny: it changes every kernel by at most \S+ of its size/);
    expect(finding?.weights).toHaveLength(2);
    expect(rest).toEqual([]);
    net.dispose();
  });

  test('no finding for a loss that can be negative', async () => {
    const net = netOf(1);
    const gradient = sgd(5);
    const report = await inspect(() => {
      using tape = new GradientTape();
      const loss = sub(mean(square(sub(net.apply(x()), y()))), 0.2);
      gradient.apply(tape.gradient(loss, net.trainableWeights), net.trainableWeights);
    });
    expect(titles(report).filter((title) => /^The step is too long/.test(title))).toEqual([]);
    net.dispose();
  });
});

test.each(['tanh', 'sigmoid'])('saturated %s', async (activation) => {
  const kernelInitializer = initializers.randomNormal({ stddev: 40, seed: 1 });
  const net = netOf(1, activation, { kernelInitializer });
  net.compile({ optimizer: 'adam', loss: 'mse' });
  const report = await inspect(net, x(), y());
  const finding = report.findings.find(({ kind }) => kind === 'saturated units');
  expect(finding?.title).toMatch(new RegExp(`^Saturated ${activation}: 9\\S* % of the outputs of .*hidden'`));
  expect(finding?.layer).toMatch(/hidden$/);
  // At the end of a model it is how certain answers look.
  const certain = netOf(1, 'relu', {}, { activation, kernelInitializer });
  certain.compile({ optimizer: 'adam', loss: 'mse' });
  const sure = await inspect(
    certain,
    x(),
    tensor(
      numbers(rows, (i) => i % 2),
      { shape: [rows, 1] },
    ),
  );
  expect(sure.findings.filter(({ kind }) => kind === 'saturated units')).toEqual([]);
  net.dispose();
  certain.dispose();
});

test('batch norm in inference mode while it is trained; no alarm in training, or when frozen', async () => {
  const net = sequential([
    layers.inputLayer({ shape: [4] }),
    dense(8, 'hidden'),
    layers.batchNormalization({ name: 'norm' }),
    dense(1, 'head'),
  ]);
  const step = (training: boolean) => () => {
    using tape = new GradientTape();
    const loss = mean(square(sub(net.apply(x(), { training }), y())));
    return tape.gradient(loss, net.trainableWeights);
  };
  const [finding, ...rest] = (await inspect(step(false))).findings;
  expect(finding).toMatchObject({ kind: 'inference mode', severity: 'warning' });
  expect(finding?.layer).toMatch(/norm$/);
  expect(finding?.callSite).toMatch(/^training\.test\.[jt]s:\d+$/);
  expect(finding?.hint).toMatch(/training: true/);
  expect(rest).toEqual([]);
  expect(titles(await inspect(step(true)))).toEqual([]);
  net.getLayer('norm').trainable = false;
  expect(titles(await inspect(step(false)))).toEqual([]);
  net.dispose();
});

test('a loss that reads some of the outputs', async () => {
  const net = netOf(3);
  const report = await inspect(() => {
    using tape = new GradientTape();
    const first = slice(net.apply(x()), { begin: [0, 0], size: [rows, 1] });
    return tape.gradient(mean(square(sub(first, y()))), net.trainableWeights);
  });
  expect(titles(report)).toEqual([
    expect.stringMatching(/^The loss doesn't depend on 2 of 3 outputs of .*head' in this step\.$/),
  ]);
  net.dispose();
  // Of two outputs, one has no loss.
  const inputs = input({ shape: [4] });
  const shared = dense(8, 'shared').apply(inputs);
  const two = model({ inputs, outputs: [dense(1, 'used').apply(shared), dense(1, 'unused').apply(shared)] });
  const [finding] = (
    await inspect(() => {
      using tape = new GradientTape();
      const [used] = two.apply(x());
      return tape.gradient(mean(square(sub(used, y()))), two.trainableWeights);
    })
  ).findings;
  expect(finding).toMatchObject({ kind: 'disconnected', severity: 'error' });
  expect(finding?.weights).toEqual([
    expect.stringMatching(/unused\/kernel/),
    expect.stringMatching(/unused\/bias/),
  ]);
  two.dispose();
});

test('no alarm while models learn, from the first step to a loss of almost 0', async () => {
  const cases = [
    [netOf(1), 'mse', y(), sgd(0.05)],
    [netOf(1, 'relu'), 'mae', y(), optimizers.adam({ learningRate: 0.003 })],
    [
      netOf(1, 'relu', {}, { activation: 'sigmoid' }),
      'binaryCrossentropy',
      tensor(
        numbers(rows, (i) => i % 2),
        { shape: [rows, 1] },
      ),
      'adam',
    ],
    [
      netOf(3, 'relu', { units: 64 }),
      losses.sparseCategoricalCrossentropy({ fromLogits: true }),
      labels(3),
      optimizers.adam({ learningRate: 0.01 }),
    ],
    [
      netOf(3, 'tanh', {}, { activation: 'softmax' }),
      'sparseCategoricalCrossentropy',
      labels(3),
      optimizers.sgd({ learningRate: 0.05, momentum: 0.9 }),
    ],
  ] as const;
  for (const [net, loss, targets, optimizer] of cases) {
    net.compile({ optimizer, loss });
    const samples = x();
    for (let step = 0; step < 4; step++) {
      const report = await inspect(net, samples, targets);
      expect(report.findings, `${net.name}, round ${step}: ${report.summary()}`).toEqual([]);
      await net.fit(samples, targets, { epochs: 4 ** step, batchSize: rows, verbose: 0 });
    }
    net.dispose();
  }
});
