/** @file Broken models in other forms, and models that only look broken: no false alarm. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  GradientTape,
  init,
  matMul,
  mean,
  mul,
  round,
  square,
  stopGradient,
  sub,
  type SymbolicTensor,
  tanh,
  type Tensor,
  tensor,
  variable,
} from '../../src/index.ts';
import { type Inspectable, inspector, type StepReport } from '../../src/inspect/index.ts';
import {
  initializers,
  input,
  type KerasTensor,
  layers,
  losses,
  model,
  sequential,
} from '../../src/keras/index.ts';
import { usePlainStacks } from '../support/plainStacks.ts';

usePlainStacks();

beforeAll(async () => {
  await init();
});

const inspect = inspector({ featureMaps: 0 });
const wave = (...shape: number[]) =>
  tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(1.3 * i)),
    { shape },
  );
const [x, y] = [() => wave(16, 4), () => wave(16, 1)];
const kinds = (report: StepReport) => report.findings.map(({ kind }) => kind);

/** Returns a step of a model with the mean squared error. */
async function stepOf(
  net: Inspectable<never[]> & { compile(options: object): unknown },
  images = x(),
  labels = y(),
) {
  net.compile({ optimizer: 'adam', loss: 'mse' });
  return inspect(net as Inspectable<unknown[]>, images, labels);
}

const dense = (units: number, name: string, options: object = {}) =>
  layers.dense({
    units,
    name,
    kernelInitializer: initializers.heNormal({ seed: units + name.length }),
    ...options,
  });

type Change = (x: SymbolicTensor) => SymbolicTensor;

describe('a detached branch', () => {
  /** Two branches that meet in a sum; `change` is applied at the place given by a case. */
  function branched(at: 'input' | 'inside' | 'output', change: Change) {
    const image = input({ shape: [4] });
    const maybe = (place: typeof at, value: KerasTensor): KerasTensor =>
      place === at ? (change(value) as KerasTensor) : value;
    const first = dense(8, 'first', { activation: 'relu' }).apply(maybe('input', image));
    const second = dense(8, 'second').apply(maybe('inside', first));
    const main = dense(8, 'main', { activation: 'relu' }).apply(image);
    const both = layers.add().apply([maybe('output', second), main]);
    return model({ inputs: image, outputs: dense(1, 'top').apply(both) });
  }

  test.each([
    ['at its end', 'output', stopGradient, 4],
    ['by rounding', 'output', round, 4],
    ['by a cast to integers', 'output', (h: SymbolicTensor) => cast(cast(h, 'int32'), 'float32'), 4],
    ['half-way', 'inside', stopGradient, 2],
  ] as const)('%s', async (_, at, change, count) => {
    const report = await stepOf(branched(at, change));
    const finding = report.findings.find(({ kind }) => /disconnected|zero gradient/.test(kind));
    expect(finding?.weights).toHaveLength(count);
    expect(finding?.severity).toBe('error');
  });

  test('no alarm: at the input, in one of two uses, frozen on purpose, or in the targets', async () => {
    expect(kinds(await stepOf(branched('input', stopGradient)))).toEqual([]);
    const twice = (h: SymbolicTensor) => add(h, stopGradient(h));
    expect(kinds(await stepOf(branched('output', twice)))).toEqual([]);
    const frozen = branched('output', stopGradient);
    for (const name of ['first', 'second']) frozen.getLayer(name).trainable = false;
    expect(kinds(await stepOf(frozen))).toEqual([]);
    const w = variable(wave(4, 1));
    const report = await inspect(() => {
      using tape = new GradientTape();
      const h = matMul(x(), w);
      return tape.gradient(mean(square(sub(h, mul(stopGradient(h), 0.9)))), [w]);
    });
    expect(kinds(report)).toEqual([]);
  });
});

describe('a dead relu', () => {
  const biasInitializer = initializers.constant({ value: -20 });

  test('as a layer of its own, of a convolution, or in its upper end', async () => {
    const own = sequential([
      dense(8, 'hidden', { biasInitializer }),
      layers.reLU({ name: 'dead' }),
      dense(1, 'top'),
    ]);
    expect((await stepOf(own)).findings[0]?.title).toMatch(/^Dead relu: .*dead/);
    const conv = { filters: 4, kernelSize: 3, activation: 'relu', name: 'eye', biasInitializer } as const;
    const seeing = sequential([layers.conv2d(conv), layers.globalAveragePooling2d(), dense(1, 'top')]);
    const { findings } = await stepOf(seeing, wave(16, 5, 5, 1));
    expect(findings[0]?.title).toMatch(/^Dead relu: .*eye/);
    // The zeros that reach the head don't count as a second cause.
    expect(findings[0]?.weights).toHaveLength(3);
    expect(findings).toHaveLength(1);
    const high = initializers.constant({ value: 50 });
    const full = sequential([
      dense(8, 'hidden', { biasInitializer: high }),
      layers.reLU({ maxValue: 6, name: 'full' }),
      dense(1, 'top'),
    ]);
    const [finding] = (await stepOf(full)).findings;
    expect(finding?.kind).toBe('zero gradient');
    expect(finding?.title).toMatch(/full/);
  });

  test('no alarm: leaky ones, some zeros, dropout', async () => {
    const leaky = sequential([dense(8, 'hidden', { biasInitializer }), layers.leakyReLU(), dense(1, 'top')]);
    expect(kinds(await stepOf(leaky))).toEqual([]);
    const usual = sequential([
      dense(16, 'hidden', { activation: 'relu' }),
      layers.dropout({ rate: 0.8, seed: 1 }),
      dense(1, 'top'),
    ]);
    expect(kinds(await stepOf(usual))).toEqual([]);
  });
});

describe('a recurrent net', () => {
  const sequence = (time: number) => wave(4, time, 2);
  const labels = () => wave(4, 1);

  test('unrolled by hand explodes', async () => {
    const w = variable(mul(wave(3, 3), 8), { name: 'w' });
    const report = await inspect(() => {
      using tape = new GradientTape();
      let state: Tensor = wave(4, 3);
      for (let step = 0; step < 8; step++) state = matMul(state, w);
      return tape.gradient(mean(state), [w]);
    });
    expect(kinds(report)).toContain('exploding gradient');
  });

  test('no alarm: gated cells, and an orthogonal kernel with tanh', async () => {
    for (const layer of [
      layers.lstm({ units: 4 }),
      layers.gru({ units: 4 }),
      layers.simpleRNN({ units: 4 }),
    ]) {
      const net = sequential([layer, dense(1, 'top')]);
      expect(kinds(await stepOf(net, sequence(8), labels())), layer.name).toEqual([]);
    }
    const w = variable(mul(wave(3, 3), 0.5), { name: 'w' });
    const report = await inspect(() => {
      using tape = new GradientTape();
      let state: Tensor = wave(4, 3);
      for (let step = 0; step < 5; step++) state = tanh(matMul(state, w));
      return tape.gradient(mean(state), [w]);
    });
    expect(kinds(report)).toEqual([]);
  });
});

describe('labels', () => {
  const net = () =>
    sequential([dense(6, 'hidden', { activation: 'relu' }), dense(3, 'top', { activation: 'softmax' })]);
  const classes = (...values: number[]) =>
    tensor(
      Array.from({ length: 16 }, (_, i) => values[i % values.length] as number),
      { dtype: 'int32' },
    );

  test('out of range: below zero, from logits, of an embedding', async () => {
    const below = net();
    below.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });
    expect((await inspect(below, x(), classes(0, -1))).findings[0]?.title).toMatch(
      /^Label -1 is out of range/,
    );
    const logits = sequential([dense(3, 'top')]);
    logits.compile({
      optimizer: 'adam',
      loss: losses.sparseCategoricalCrossentropy({ fromLogits: true }),
    });
    expect((await inspect(logits, x(), classes(3))).findings[0]?.title).toMatch(/^Label 3 is out of range/);
    const words = sequential([
      layers.embedding({ inputDim: 5, outputDim: 4, name: 'words' }),
      layers.globalAveragePooling1d(),
      dense(1, 'top'),
    ]);
    words.compile({ optimizer: 'adam', loss: 'mse' });
    const [finding] = (await inspect(words, tensor([[1, 2, 5]], { dtype: 'int32' }), tensor([[1]]))).findings;
    expect(finding).toMatchObject({ kind: 'fault', severity: 'error' });
    expect(finding?.layer).toMatch(/words/);
  });

  test('no alarm: a class that the loss ignores, and all classes', async () => {
    const ignoring = net();
    ignoring.compile({
      optimizer: 'adam',
      loss: losses.sparseCategoricalCrossentropy({ ignoreClass: -1 }),
      metrics: ['accuracy'],
    });
    expect(kinds(await inspect(ignoring, x(), classes(0, 1, 2, -1)))).toEqual([]);
  });
});
