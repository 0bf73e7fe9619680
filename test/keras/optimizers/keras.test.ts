/** @file Steps of all optimizers, and rates of all schedules, against Keras's own in float64 (test/fixtures/optimizers). */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, tensor, type Variable, variable } from '../../../src/index.ts';
import { optimizers } from '../../../src/keras/index.ts';
import file from '../../fixtures/optimizers/keras.json' with { type: 'json' };

interface Case {
  className: string;
  config: Record<string, unknown>;
  steps: Record<string, Record<string, number[]>>;
  state: { path: string; shape: number[]; values: number[] }[];
  finalized: Record<string, number[]> | null;
  defaults: Record<string, unknown>;
}

interface Golden {
  shapes: Record<string, number[]>;
  initial: Record<string, number[]>;
  gradients: Record<string, number[] | null>[];
  cases: Record<string, Case>;
  lossScaled: {
    bad: Record<string, [path: string, value: string]>;
    steps: { scale: number; values: Record<string, number[]>; state: { path: string; values: number[] }[] }[];
    keras: { initial_scale: number; dynamic_growth_steps: number };
  };
  schedules: {
    className: string;
    config: Record<string, unknown>;
    at: number[];
    rates: number[];
    keras: Record<string, unknown>;
  }[];
}

const golden = file as unknown as Golden;

beforeAll(async () => {
  await init();
});

const snake = (name: string) =>
  name.replace(/(beta|epsilon)(\d)/i, '$1_$2').replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

function expectClose(actual: ArrayLike<number>, expected: readonly number[], what: string): void {
  expect(actual.length, what).toBe(expected.length);
  expected.forEach((value, i) => {
    const error = Math.abs((actual[i] as number) - value);
    expect(error, `${what}[${i}]: ${actual[i]} for ${value}`).toBeLessThanOrEqual(
      2e-6 + 5e-6 * Math.abs(value),
    );
  });
}

function makeVariables(): Variable[] {
  return Object.entries(golden.shapes).map(([path, shape]) => {
    using start = tensor(Float32Array.from(golden.initial[path] as number[]), { shape });
    return variable(start, { name: path });
  });
}

async function expectValues(variables: Variable[], expected: Record<string, number[]>, what: string) {
  for (const w of variables) expectClose(await w.data(), expected[w.path] as number[], `${what} ${w.path}`);
}

describe.each(Object.entries(golden.cases))(
  '%s',
  (_, { className, config, steps, state, finalized, defaults }) => {
    test('updates as in Keras', async () => {
      const variables = makeVariables();
      const optimizer = optimizers.optimizerOf({ className, config });
      for (const [i, gradients] of golden.gradients.entries()) {
        const tensors = variables.map((w) => {
          const values = gradients[w.path];
          return values ? tensor(Float32Array.from(values), { shape: w.shape }) : null;
        });
        optimizer.apply(tensors, variables);
        const expected = steps[i + 1];
        if (expected) await expectValues(variables, expected, `step ${i + 1}`);
      }
      const inside = (path: string) => path.slice(path.indexOf('/') + 1);
      expect(optimizer.variables.map(({ path }) => inside(path))).toEqual(
        state.map(({ path }) => inside(path)),
      );
      for (const [i, { path, shape, values }] of state.entries()) {
        const own = optimizer.variables[i] as optimizers.OptimizerVariable;
        expect(own.shape, path).toEqual(shape);
        expectClose(await own.data(), values, path);
      }
      optimizer.finalizeVariableValues();
      if (finalized) await expectValues(variables, finalized, 'at the end');
    });

    test('has its options, and can be created again from them', () => {
      const optimizer = optimizers.optimizerOf({ className, config });
      const { name, learningRate, ...rest } = optimizer.getConfig();
      const options = Object.fromEntries(Object.entries(rest).map(([key, value]) => [snake(key), value]));
      expect(options).toEqual(defaults);
      const again = optimizers.optimizerOf({ className, config: { name, learningRate, ...rest } });
      expect(again).toBeInstanceOf(optimizer.constructor);
      expect(again.getConfig()).toEqual(optimizer.getConfig());
    });
  },
);

test('a loss scale adapts, and steps that are not finite change nothing', async () => {
  const { bad, steps, keras } = golden.lossScaled;
  const variables = makeVariables();
  const optimizer = optimizers.lossScaleOptimizer({
    innerOptimizer: optimizers.sgd({ learningRate: 0.1, momentum: 0.5 }),
    initialScale: keras.initial_scale,
    dynamicGrowthSteps: keras.dynamic_growth_steps,
  });
  for (const [i, { scale, values, state }] of steps.entries()) {
    expect(await optimizer.scaleLoss(tensor(1)).item()).toBe(scale);
    const tensors = variables.map(({ path, shape }) => {
      const gradient = golden.gradients[i]?.[path];
      if (!gradient) return null;
      const scaled = Float32Array.from(gradient, (value) => value * scale);
      const [where, value] = bad[i] ?? [];
      if (where === path) scaled[1] = value === 'inf' ? Number.POSITIVE_INFINITY : Number.NaN;
      return tensor(scaled, { shape });
    });
    optimizer.apply(tensors, variables);
    await expectValues(variables, values, `step ${i + 1}`);
    const own = optimizer.variables;
    const inside = (path: string) => path.slice(path.indexOf('/') + 1);
    expect(own.map(({ path }) => inside(path))).toEqual(state.map(({ path }) => inside(path)));
    for (const [k, { path, values: wanted }] of state.entries()) {
      // Skipped steps are counted, too, because the host doesn't know of them.
      if (path.endsWith('/iteration')) continue;
      expectClose(await (own[k] as optimizers.OptimizerVariable).data(), wanted, path);
    }
  }
  expect(optimizer.iterations).toBe(steps.length);
  const again = optimizers.optimizerOf({ className: 'LossScaleOptimizer', config: optimizer.getConfig() });
  expect(again.getConfig()).toEqual(optimizer.getConfig());
});

describe('schedules', () => {
  test.each(golden.schedules)('$className $config', ({ className, config, at, rates, keras }) => {
    const schedule = optimizers.schedules.scheduleOf({ className, config });
    expectClose(
      at.map((step) => schedule.call(step)),
      rates,
      className,
    );
    const own = Object.entries(schedule.getConfig()).map(([key, value]) => [snake(key), value]);
    expect(Object.fromEntries(own)).toEqual(keras);
  });
});
