/** @file Runs whose cleanup fails: the first error is thrown, and the model stays usable. */
import { afterEach, beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import {
  compile,
  GradientTape,
  init,
  matMul,
  mean,
  memory,
  profile,
  type Tensor,
  tidy,
  type ValueError,
  warmup,
} from '../../../src/index.ts';
import { callbacks, layers, metrics, Model, optimizers } from '../../../src/keras/index.ts';
import type { Batch, BatchIterable, BatchItem } from '../../../src/keras/training/index.ts';
import { getDevice } from '../../../src/webgpu/current.ts';
import { activeRecorders } from '../../../src/ops/define/recorders.ts';
import { data, regressor, wave } from './support.ts';

beforeAll(async () => {
  await init();
});

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  warn.mockRestore();
});

function compiled() {
  const net = regressor();
  net.compile({ optimizer: 'adam', loss: 'mse' });
  return net;
}

/** Throws unless the model can do everything that models can. */
async function expectUsable(net: Model): Promise<void> {
  const [x, y] = data(6);
  expect(activeRecorders()).toEqual([]);
  expect(getDevice().executor).toBe(getDevice().eager);
  await net.fit(x, y, { batchSize: 3 });
  expect((await net.evaluate(x, y)).loss).toBeGreaterThan(0);
  (await net.predict(x)).dispose();
  await net.trainOnBatch(x, y);
  await warmup(net, { batchSize: 2, training: true, x: { shape: [2, 2] }, y: { shape: [2, 1] } });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  // A tape that is still open would keep this from being captured.
  const fn = compile((t: Tensor) => matMul(t, t));
  tidy(() => void fn(wave([2, 2])));
  expect(fn.explain()).toMatchObject([{ captured: true }]);
  fn.dispose();
}

const batch = (): BatchItem => [wave([2, 2]), wave([2, 1])];

/** Throws, where a throw statement isn't allowed: failing cleanups are tested here. */
function raise(error: Error): never {
  throw error;
}

/** Data whose cleanup throws `error`. */
const failingData: Record<string, (error: Error) => BatchIterable> = {
  'a generator': (error) =>
    function* () {
      try {
        while (true) yield batch();
      } finally {
        raise(error);
      }
    },
  'an async generator': (error) =>
    async function* () {
      try {
        while (true) yield batch();
      } finally {
        await Promise.resolve();
        raise(error);
      }
    },
  'a generator that was begun': (error) => (failingData['a generator'] as never as Made)(error)(),
  'an iterator whose return throws': (error) => ({
    next: () => ({ value: batch(), done: false }),
    return: () => {
      throw error;
    },
  }),
  'an iterator whose return rejects': (error) => ({
    next: async () => ({ value: batch(), done: false }),
    return: () => Promise.reject(error),
  }),
};
type Made = (error: Error) => () => Iterable<BatchItem>;

describe.each(Object.entries(failingData))('%s that fails at its end', (_, make) => {
  const first = new Error('first');
  const last = new Error('last');
  const fail = () => throwNow(first);
  /** Every run ends in one of these. */
  const failing = { onEpochEnd: fail, onTestBatchEnd: fail, onPredictBatchEnd: fail };
  const runs: Record<string, (net: Model, callbacks: callbacks.CallbackLike) => Promise<unknown>> = {
    fit: (net, callbacks) => net.fit(make(last), { stepsPerEpoch: 2, callbacks }),
    'the validation of fit': (net, callbacks) =>
      net.fit(...data(4), { validationData: make(last), validationSteps: 1, callbacks }),
    evaluate: (net, callbacks) => net.evaluate(make(last), { steps: 2, callbacks }),
    predict: (net, callbacks) => net.predict(make(last), { steps: 2, callbacks }),
  };

  test.each(Object.keys(runs))('%s', async (name) => {
    const run = runs[name] as (typeof runs)[string];
    const net = compiled();
    await expect(run(net, {})).rejects.toBe(last);
    await expectUsable(net);
    await expect(run(compiled(), failing)).rejects.toBe(first);
    expect(warn.mock.calls.flat()).toContain(last);
  });
});

test('a generator that fails at its end, in a run with an error of the library', async () => {
  const net = compiled();
  const last = new Error('last');
  const ends = async function* () {
    try {
      yield [wave([2, 2]), wave([2, 1])];
      yield [wave([2, 2]), wave([3, 1])];
    } finally {
      raise(last);
    }
  };
  const error = (await net.fit(ends, { epochs: 2 }).catch((thrown: unknown) => thrown)) as ValueError;
  expect(error.message).toMatch(/same number of samples[\s\S]*while cleaning up: last/);
  expect(error.others).toEqual([last]);
  await expectUsable(net);
});

test('a generator from which no batch comes is not waited for', async () => {
  const net = compiled();
  const controller = new AbortController();
  const late = async function* () {
    yield batch();
    controller.abort(new Error('enough'));
    await new Promise(() => {});
  };
  await expect(net.fit(late, { signal: controller.signal })).rejects.toThrow('enough');
  await expectUsable(net);
});

test('fit waits for the end of an async generator', async () => {
  const net = compiled();
  const order: string[] = [];
  const slow = async function* () {
    try {
      while (true) yield batch();
    } finally {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('generator');
    }
  };
  await net.fit(slow, { stepsPerEpoch: 1 });
  expect(order).toEqual(['generator']);
});

describe('callbacks that fail', () => {
  const hooks = ['onTrainBegin', 'onEpochBegin', 'onTrainBatchEnd', 'onTestEnd', 'onEpochEnd', 'onTrainEnd'];

  test.each(hooks.flatMap((hook) => [[hook, false] as const, [hook, true] as const]))(
    'in %s, async: %s',
    async (hook, isAsync) => {
      const net = compiled();
      const [x, y] = data(6);
      const error = new Error(hook);
      const fails = { [hook]: () => (isAsync ? Promise.reject(error) : throwNow(error)) };
      const run = net.fit(x, y, { validationData: [x, y], callbacks: fails });
      await expect(run).rejects.toBe(error);
      await expectUsable(net);
    },
  );

  class Releasing extends callbacks.Callback {
    released = 0;
    constructor(readonly error: Error | null) {
      super();
    }
    override release(): void {
      this.released++;
      if (this.error) throw this.error;
    }
  }

  test.each(['fit', 'evaluate', 'predict'] as const)('in release, after %s', async (op) => {
    const net = compiled();
    const [x, y] = data(6);
    const list = [new Error('one'), null, new Error('two')].map((error) => new Releasing(error));
    const runs = {
      fit: () => net.fit(x, y, { callbacks: list }),
      evaluate: () => net.evaluate(x, y, { callbacks: list }),
      predict: () => net.predict(x, { callbacks: list }),
    };
    const run = runs[op]();
    await expect(run).rejects.toBe(list[0]?.error);
    expect(list.map(({ released }) => released)).toEqual([1, 1, 1]);
    expect(warn.mock.calls.flat()).toContain(list[2]?.error);
    await expectUsable(net);
  });

  test('in release, after another error', async () => {
    const net = compiled();
    const [x, y] = data(6);
    const first = new Error('first');
    const fails = { onTrainBatchEnd: () => throwNow(first) };
    const list = [new Releasing(new Error('release')), fails];
    await expect(net.fit(x, y, { callbacks: list })).rejects.toBe(first);
    await expectUsable(net);
  });

  test('by an evaluation that they don’t wait for', async () => {
    const net = compiled();
    const [x, y] = data(6);
    let evaluation: Promise<unknown> = Promise.resolve();
    const starts = {
      onEpochEnd: () => {
        evaluation = net.evaluate(x, y);
      },
    };
    await expect(net.fit(x, y, { callbacks: starts })).rejects.toThrow(/while evaluate runs/);
    await evaluation;
    await expectUsable(net);
  });
});

function throwNow(error: Error): never {
  throw error;
}

test('a step that fails under its own tape leaves no tape open', async () => {
  class Failing extends Model {
    readonly top = layers.dense({ units: 1 });
    fails = true;
    override call(x: Tensor): Tensor {
      return this.top.apply(x);
    }
    override trainStep(given: Batch) {
      if (!this.fails) return super.trainStep(given);
      new GradientTape();
      mean(this.apply(given.x as Tensor));
      throw new Error('step');
    }
  }
  for (const runEagerly of [false, true]) {
    const net = new Failing();
    net.compile({ optimizer: 'sgd', loss: 'mse', runEagerly });
    await expect(net.fit(...data(4))).rejects.toThrow('step');
    net.fails = false;
    await expectUsable(net);
  }
});

describe('dispose', () => {
  class Stubborn extends layers.Dense {
    override dispose(): void {
      super.dispose();
      throw new Error('layer');
    }
  }

  test('frees all layers of a model, even if one of them throws', () => {
    class Two extends Model {
      readonly first = new Stubborn({ units: 2 });
      readonly second = layers.dense({ units: 2 });
      override call(x: Tensor): Tensor {
        return this.second.apply(this.first.apply(x));
      }
    }
    const net = new Two();
    net.compile({ optimizer: optimizers.sgd(), loss: 'mse' });
    tidy(() => void net.apply(wave([1, 2])));
    const { weights } = net;
    expect(() => net.dispose()).toThrow('layer');
    expect(weights.map(({ disposed }) => disposed)).toEqual(weights.map(() => true));
  });

  test('compile applies its options, even if disposing the old ones throws', async () => {
    class Failing extends metrics.Mean {
      override dispose(): void {
        super.dispose();
        throw new Error('metric');
      }
    }
    const net = compiled();
    const { lossTracker } = net.trainer.compiled as { lossTracker: { dispose(): void } };
    lossTracker.dispose = () => new Failing().dispose();
    expect(() => net.compile({ optimizer: 'sgd', loss: 'mae' })).toThrow('metric');
    await expectUsable(net);
  });
});

test('a profile that fails ends', async () => {
  const error = new Error('no');
  for (const run of [() => throwNow(error), () => Promise.reject(error)]) {
    await expect(profile(run)).rejects.toBe(error);
  }
  const report = await profile(() => tidy(() => void matMul(wave([2, 2]), wave([2, 2]))));
  expect(report.submissions).toBeGreaterThan(0);
});

test('a compile that fails leaves no tensors', () => {
  const net = regressor();
  const before = memory().tensors;
  for (const options of [{ loss: 'constructor' }, { loss: 'mse', metrics: ['none'] }, { optimizer: 'none' }])
    expect(() => void net.compile(options as never)).toThrow(/is one of|named by one of/);
  expect(memory().tensors).toBe(before);
});
