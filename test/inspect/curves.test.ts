/** @file Findings about the curves of a recording: faults are named, and healthy runs have none. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, tensor } from '../../src/index.ts';
import { recordSteps } from '../../src/inspect/index.ts';
import { curveFindings } from '../../src/inspect/recording/curveFindings.ts';
import { layers, optimizers, sequential } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const stepsOf = (values: readonly (number | null)[], name = 'loss') =>
  values.map((value) => ({ values: { [name]: value }, milliseconds: 1, error: null }));
const titles = (values: readonly (number | null)[], name?: string) =>
  curveFindings(stepsOf(values, name)).map(({ title }) => title);
const curve = (count: number, at: (step: number) => number) => Array.from({ length: count }, (_, i) => at(i));

/** Normal numbers, the same in each run (mulberry32, Box and Muller). */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

describe('a curve', () => {
  test.each([
    ['rises', curve(20, (i) => 1.2 ** i), /^The loss rises: from about 1\.\d+ in the first steps to/],
    ['rises below zero', curve(20, (i) => i / 4 - 6), /^The loss rises: from about -5/],
    ['never changes', curve(12, () => 2.25), /^The loss never changes: it is 2\.25 in all 12 steps\.$/],
    ['is always 0', curve(12, () => 0), /^The loss is 0 in every step\.$/],
    ['jumps', curve(60, (i) => (i % 2 ? 4 : 1) + 0.01 * i), /^The loss jumps back and forth between about/],
    [
      'falls and comes back',
      curve(80, (i) => (i < 40 ? 3 * 0.9 ** i + 0.1 : 0.1 + 0.05 * (i - 40))),
      /^The loss fell to about 0\.1\d*, and has risen to/,
    ],
    ['overflows', [1, 10, 100, 1000, null, null], /^The loss isn't finite from step 4 on\.$/],
    ['has a gap', [3, 2, null, 1], /^The loss isn't finite in 1 steps?, the first of which is step 2\.$/],
  ])('that %s is named', (_, values, title) => {
    expect(titles(values)).toEqual([expect.stringMatching(title)]);
  });

  test('of another name is the loss if it is the only one', () => {
    expect(
      titles(
        curve(12, () => 1),
        'result',
      ),
    ).toEqual([expect.stringMatching(/never changes/)]);
  });

  test('of gradient norms that grow a hundredfold is named', () => {
    const steps = curve(16, (i) => 2 ** i).map((norm, i) => ({
      values: { loss: 1 / (1 + i), gradientNorm: norm },
      milliseconds: 1,
      error: null,
    }));
    expect(curveFindings(steps).map(({ title }) => title)).toEqual([
      expect.stringMatching(/^Gradients explode from step to step: 'gradientNorm' is about/),
    ]);
  });

  test('that falls, slowly or with the noise of batches, is left alone', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = noise(seed);
      const size = 0.5 * (seed % 3);
      const count = 12 + (seed % 90);
      const noisy = (level: number) => level * Math.exp(size * random());
      expect(titles(curve(count, (i) => noisy(3 * 0.97 ** i + 0.02))), `falls, seed ${seed}`).toEqual([]);
      expect(titles(curve(count, (i) => noisy(2.3 - 0.001 * i))), `slow, seed ${seed}`).toEqual([]);
    }
    // Learned after a few steps; what is left jumps, on a small scale.
    const random = noise(1);
    expect(titles(curve(400, (i) => 0.08 * 0.95 ** i + 4e-5 * Math.exp(random())))).toEqual([]);
    // Two batches in turn, of which one is harder.
    expect(titles(curve(60, (i) => (i % 2 ? 4 : 1) * 0.97 ** i))).toEqual([]);
    expect(titles([])).toEqual([]);
  });
});

describe('a recording', () => {
  const x = () =>
    tensor(
      curve(64, (i) => Math.sin(1.7 * i)),
      { shape: [16, 4] },
    );
  const y = () =>
    tensor(
      curve(16, (i) => Math.sin(6.8 * i) + 0.5),
      { shape: [16, 1] },
    );

  const record = async (learningRate: number) => {
    const net = sequential([
      layers.inputLayer({ shape: [4] }),
      layers.dense({ units: 1, kernelInitializer: 'ones' }),
    ]);
    net.compile({ optimizer: optimizers.sgd({ learningRate }), loss: 'mse' });
    using recording = recordSteps(net, { featureMaps: 0 });
    using inputs = x();
    using targets = y();
    for (let step = 0; step < 30; step++) await recording.step(inputs, targets);
    const { findings } = recording;
    expect(recording.toJSON().findings).toEqual(findings);
    net.dispose();
    return findings.map(({ title }) => title);
  };

  test('of a training that goes well has no finding', async () => {
    expect(await record(0.1)).toEqual([]);
  });

  test('says that steps are too long, or change nothing', async () => {
    expect(await record(2)).toEqual([expect.stringMatching(/^The loss rises/)]);
    expect(await record(0)).toEqual([expect.stringMatching(/^The loss never changes/)]);
  });

  test('of a fit that goes well has no finding', async () => {
    const net = sequential([
      layers.inputLayer({ shape: [4] }),
      layers.dense({ units: 8, activation: 'tanh' }),
      layers.dense({ units: 1 }),
    ]);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    using recording = recordSteps(net, { featureMaps: 0 });
    await net.fit(x(), y(), { epochs: 12, batchSize: 4, verbose: 0, callbacks: recording });
    expect(recording.steps.length).toBe(48);
    expect(recording.findings).toEqual([]);
    net.dispose();
  });
});
