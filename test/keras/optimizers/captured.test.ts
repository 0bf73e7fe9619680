/** @file Optimizers in compiled steps: values that change from step to step also change in replays. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  compile,
  GradientTape,
  init,
  matMul,
  mean,
  square,
  sub,
  type Tensor,
  tensor,
  tidy,
  type Variable,
} from '../../../src/index.ts';
import { constraints, optimizers } from '../../../src/keras/index.ts';
import { launchesOf, makeVariables, valuesOf, wave } from './support.ts';

beforeAll(async () => {
  await init();
});

const { schedules } = optimizers;
const shapes = [
  [3, 4],
  [1, 4],
  [4, 2],
  [1, 2],
];
const batchOf = (k: number): [Tensor, Tensor] => [
  tensor(wave(15, k), { shape: [5, 3] }),
  tensor(wave(10, k + 0.5), { shape: [5, 2] }),
];

function program(make: () => optimizers.Optimizer) {
  const variables = makeVariables(shapes);
  const [a, b, c, d] = variables as [Variable, Variable, Variable, Variable];
  const optimizer = make();
  const step = (x: Tensor, y: Tensor) =>
    tidy(() => {
      const tape = new GradientTape();
      const loss = mean(square(sub(sub(matMul(sub(matMul(x, a), b), c), d), y)));
      optimizer.apply(tape.gradient(optimizer.scaleLoss(loss), variables), variables);
      return loss;
    });
  return { variables, optimizer, step };
}

/** Values of the variables and the state after `steps` steps, plainly and compiled. */
async function bothWays(make: () => optimizers.Optimizer, steps = 6) {
  const [plain, other] = [program(make), program(make)];
  const compiled = compile(other.step);
  for (let k = 0; k < steps; k++) {
    const [x, y] = batchOf(k);
    plain.step(x, y).dispose();
    compiled(x, y).dispose();
  }
  const all = async ({ variables, optimizer }: typeof plain) => [
    ...(await valuesOf(variables)),
    ...(await optimizer.getWeights()).map((values) => Array.from(values)),
  ];
  return { expected: await all(plain), actual: await all(other), compiled, plain, other };
}

describe('a compiled step', () => {
  const rate = schedules.exponentialDecay({ initialLearningRate: 0.1, decaySteps: 2, decayRate: 0.5 });
  test.each<[string, () => optimizers.Optimizer]>([
    ['sgd with momentum', () => optimizers.sgd({ momentum: 0.9 })],
    ['adam', () => optimizers.adam({ learningRate: 0.05 })],
    ['nadam', () => optimizers.nadam({ learningRate: 0.05 })],
    ['rmsprop with a schedule', () => optimizers.rmsprop({ learningRate: rate })],
    [
      'adamW with everything',
      () =>
        optimizers.adamW({
          learningRate: rate,
          clipnorm: 0.5,
          useEma: true,
          emaMomentum: 0.5,
          emaOverwriteFrequency: 2,
          lossScaleFactor: 4,
          gradientAccumulationSteps: 2,
        }),
    ],
    ['sgd with all lengths', () => optimizers.sgd({ globalClipnorm: 0.5 })],
    [
      'adafactor',
      () => optimizers.adafactor({ learningRate: 0.1, gradientAccumulationSteps: 2, useEma: true }),
    ],
  ])('%s updates like the plain one', async (_, make) => {
    const { expected, actual, compiled, other } = await bothWays(make);
    expect(compiled.explain().map(({ captured, reason }) => ({ captured, reason }))).toEqual([
      { captured: true, reason: null },
    ]);
    expected.forEach((values, k) => {
      values.forEach((value, i) => {
        expect(actual[k]?.[i]).toBeCloseTo(value, 5);
      });
    });
    expect(other.optimizer.iterations).toBe(other.optimizer.options.gradientAccumulationSteps ? 3 : 6);
  });

  test('has the launches of the plain one, however it was built', async () => {
    const { compiled, plain, other } = await bothWays(() => optimizers.adam());
    const [x, y] = batchOf(9);
    const replayed = launchesOf(() => compiled(x, y).dispose());
    expect(replayed).toBeLessThanOrEqual(launchesOf(() => plain.step(x, y).dispose()));
    // The first call creates the states, so it isn't captured; in the second, the variables are packed.
    const built = program(() => optimizers.adam());
    built.optimizer.build(built.variables);
    const again = compile(built.step);
    again(x, y).dispose();
    expect(again.explain()[0]?.captured).toBe(true);
    expect(launchesOf(() => again(x, y).dispose())).toBe(replayed);
    expect(other.variables.every((w) => w.storage.offset % 256 === 0)).toBe(true);
  });

  test('sees a rate that was set, and values that were assigned, between its runs', async () => {
    const [plain, other] = [program(() => optimizers.adam()), program(() => optimizers.adam())];
    const compiled = compile(other.step);
    for (let k = 0; k < 6; k++) {
      const [x, y] = batchOf(k);
      for (const { optimizer, variables } of [plain, other]) {
        optimizer.learningRate = 0.1 / (k + 1);
        if (k !== 3) continue;
        for (const w of variables.slice(1)) w.assign(tensor(wave(w.size, 7), { shape: w.shape }));
        const weights = (await optimizer.getWeights()).map((values) => values.map((value) => value / 2));
        optimizer.setWeights([2, ...weights.slice(1)]);
      }
      plain.step(x, y).dispose();
      compiled(x, y).dispose();
    }
    const [expected, actual] = [await valuesOf(plain.variables), await valuesOf(other.variables)];
    expected.flat().forEach((value, i) => {
      expect(actual.flat()[i]).toBeCloseTo(value, 5);
    });
    expect(compiled.explain()[0]?.captured).toBe(true);
  });

  test('keeps variables within their constraints', async () => {
    const make = () => optimizers.sgd({ learningRate: 0.5 });
    const [plain, other] = [program(make), program(make)];
    const compiled = compile(other.step);
    for (const { variables } of [plain, other]) {
      for (const w of variables.slice(0, 2)) w.constraint = constraints.maxNorm({ maxValue: 0.5 });
    }
    for (let k = 0; k < 4; k++) {
      const [x, y] = batchOf(k);
      plain.step(x, y).dispose();
      compiled(x, y).dispose();
    }
    const [expected, actual] = [await valuesOf(plain.variables), await valuesOf(other.variables)];
    expected.flat().forEach((value, i) => {
      expect(actual.flat()[i]).toBeCloseTo(value, 5);
    });
    const [first = []] = actual;
    for (let column = 0; column < 4; column++) {
      const length = Math.hypot(...[0, 1, 2].map((row) => first[4 * row + column] as number));
      expect(length).toBeLessThan(0.5001);
    }
  });
});
