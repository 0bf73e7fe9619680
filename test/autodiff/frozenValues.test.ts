/** @file Frozen values are found by comparing a recording with a new trace, and reported once with their line. */
import { afterAll, afterEach, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest';
import {
  add,
  compile,
  DynamicScalar,
  dropout,
  gather,
  GradientTape,
  greater,
  init,
  keep,
  mean,
  memory,
  mul,
  onReplay,
  randomNormal,
  relu,
  slice,
  square,
  sub,
  Tensor,
  tensor,
  ValueError,
  variable,
  where,
} from '../../src/index.ts';
import {
  type Batch,
  callbacks,
  input,
  Layer,
  layers,
  type losses,
  Model,
  model,
  sequential,
} from '../../src/keras/index.ts';
import { LaunchSurvey } from '../../src/execution/dryRun.ts';
import { data } from '../keras/training/support.ts';
import { collectAll } from '../support/collectGarbage.ts';

let warn: MockInstance<typeof console.warn>;

beforeAll(async () => {
  await init();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});

const warnings = () => warn.mock.calls.map(([text]) => String(text));

afterEach(() => {
  warn.mockClear();
});
afterAll(async () => {
  warn.mockRestore();
  // Tests of other files count tensors.
  await collectAll();
});

/** Calls `fn`, compiled, `count` times, with `change` between the calls. Returns what was printed. */
function callTwice(fn: (x: Tensor) => unknown, change: () => void, count = 2): string[] {
  const f = compile(fn, { name: 'step' });
  for (let i = 0; i < count; i++) {
    if (i > 0) change();
    f(tensor([1, 2, 3]));
  }
  return warnings();
}

describe('compile', () => {
  test('reports a number, with its line and the fix', async () => {
    let rate = 1;
    const f = compile((x: Tensor) => mul(relu(x), rate), { name: 'step' });
    expect(await f(tensor([3])).item()).toBe(3);
    rate = 2;
    expect(await f(tensor([3])).item()).toBe(3);
    f(tensor([3]));
    const [text, ...more] = warnings();
    expect(more).toEqual([]);
    expect(text).toMatch(
      /step: its launches were recorded.*a number that 'mul' takes: 1 in the recording, 2 now, at frozenValues\.test\.[jt]s:\d+.*hint: .*variable/s,
    );
    expect(f.explain()[0]?.frozen).toEqual([expect.stringMatching(/'mul' takes: 1 in the recording/)]);
  });

  test('reports a branch, host values and a tensor from outside', () => {
    let flag = false;
    const flip = () => {
      flag = !flag;
    };
    expect(callTwice((x) => (flag ? mul(x, 2) : add(x, 2)), flip)).toEqual([
      expect.stringMatching(/a branch: 'add' was recorded where 'mul' runs now.*where\(condition, a, b\)/s),
    ]);
    warn.mockClear();
    expect(callTwice((x) => (flag ? x : square(x)), flip)).toHaveLength(1);
    warn.mockClear();
    let values = [1, 2, 3];
    const change = () => {
      values = [4, 5, 6];
    };
    expect(callTwice((x) => add(x, tensor(values)), change)).toEqual([
      expect.stringMatching(/host values that 'add'/),
    ]);
    warn.mockClear();
    let constant = tensor([1]);
    const replace = () => {
      constant = tensor([2]);
    };
    expect(callTwice((x) => add(x, constant), replace)).toEqual([
      expect.stringMatching(/a tensor from outside that 'add' takes/),
    ]);
    warn.mockClear();
    let begin = 0;
    expect(
      callTwice(
        (x) => slice(x, { begin: [begin], size: [1] }),
        () => begin++,
      ),
    ).toHaveLength(1);
  });

  test('names each line that differs once, three at most', () => {
    let rate = 1;
    const w = variable(tensor([1, 2, 3]));
    const scaled = (x: Tensor) => mul(x, rate);
    const change = () => {
      rate = 2;
    };
    const line = (op: string) =>
      expect.stringMatching(
        new RegExp(`^  a number that '${op}' takes: 1 in the recording, 2 now, at frozenValues\\.test`),
      );
    const [text] = callTwice((x) => add(scaled(scaled(add(x, w))), rate), change);
    expect(text?.split('\n')).toEqual([
      expect.stringMatching(/^retrograd: step: /),
      line('mul'),
      line('add'),
      expect.stringMatching(/^ {2}hint: keep a number/),
    ]);
    warn.mockClear();
    rate = 1;
    const [max] = callTwice((x) => {
      const y = mul(add(x, rate), 3);
      const z = sub(y, rate);
      const u = mul(z, rate);
      return add(u, rate);
    }, change);
    expect(max?.split('\n').slice(1, -1)).toEqual([line('add'), line('sub'), line('mul')]);
  });

  test('compares nothing after a branch', () => {
    let flag = false;
    const flip = () => {
      flag = !flag;
    };
    const [text] = callTwice((x) => (flag ? mul(square(x), 5) : mul(relu(x), 3)), flip);
    expect(text?.split('\n').slice(1, -1)).toEqual([
      expect.stringMatching(/^ {2}a branch: 'relu' was recorded where 'square' runs now, at /),
    ]);
  });

  test('finds what changes later, at the sixteenth call', () => {
    let rate = 1;
    let calls = 0;
    const change = () => {
      if (++calls > 5) rate = 2;
    };
    expect(callTwice((x) => mul(x, rate), change, 15)).toEqual([]);
    rate = 1;
    calls = 0;
    expect(callTwice((x) => mul(x, rate), change, 16)).toHaveLength(1);
  });

  test('finds what changes later still, at the 64th call, or when it is asked', async () => {
    let [rate, traces] = [1, 0];
    const f = compile((x: Tensor, { by }: { by: Tensor }) => {
      traces++;
      return mul(mul(x, rate), by);
    });
    const given = tensor([1]);
    const call = (times: number) => {
      for (let i = 0; i < times; i++) f(given, { by: tensor([2]) });
    };
    call(20);
    const before = memory().tensors;
    rate = 2;
    call(43);
    expect([warnings(), traces]).toEqual([[], 3]);
    call(1);
    expect([warnings().length, traces]).toEqual([1, 4]);
    call(200);
    expect(f.explain()[0]?.frozen).toHaveLength(1);
    expect([warnings().length, traces]).toEqual([1, 4]);
    await collectAll();
    expect(memory().tensors).toBeLessThanOrEqual(before);

    rate = 1;
    const asked = compile((x: Tensor, rates: number[]) => mul(x, rate + (rates[0] as number)));
    for (let i = 0; i < 17; i++) asked(tensor([i]), [1]);
    rate = 3;
    asked(tensor([1]), [1]);
    expect(asked.explain()[0]?.frozen).toEqual([expect.stringMatching(/2 in the recording, 4 now/)]);
    expect(warnings()).toHaveLength(2);
  });

  test('finds a field of an object of a class, whenever it changes', () => {
    class Settings {
      rate = 1;
      readonly #hidden = { calls: 0 };
      get calls(): number {
        return this.#hidden.calls++;
      }
      scale(x: Tensor): Tensor {
        return mul(x, this.rate);
      }
    }
    const settings = new Settings();
    const f = compile((x: Tensor, { rate }: Settings) => mul(x, rate));
    for (let i = 0; i < 4; i++) f(tensor([1]), settings);
    expect(warnings()).toEqual([]);
    settings.rate = 3;
    f(tensor([1]), settings);
    expect(warnings()).toEqual([expect.stringMatching(/1 in the recording, 3 now/)]);
    warn.mockClear();
    const scale = compile(settings.scale);
    scale.call(settings, tensor([1]));
    settings.rate = 4;
    scale.call(settings, tensor([1]));
    expect(warnings()).toHaveLength(1);
  });

  test('finds nothing in what may change', () => {
    const w = variable(tensor([1, 2, 3]));
    const rate = new DynamicScalar(0.1);
    const indices = tensor([0, 2], { dtype: 'int32' });
    let steps = 0;
    const fn = (x: Tensor) => {
      onReplay(() => {
        rate.value /= ++steps;
      });
      const tape = new GradientTape();
      const noisy = add(dropout(x, { rate: 0.5 }), randomNormal([3]));
      const loss = mean(square(sub(where(greater(noisy, 0), noisy, x), w)));
      w.assign(sub(w, mul(tape.gradient(loss, w) as Tensor, 0.1)));
      return { loss, rows: gather(w, indices), view: w, given: x };
    };
    const change = () => {
      w.assign(tensor([4, 5, 6]));
    };
    expect(callTwice(fn, change, 18)).toEqual([]);
    expect(steps).toBe(18);
  });

  test('leaves everything as it was', async () => {
    const count = variable(tensor([0]));
    let traces = 0;
    const next = compile(() => {
      traces++;
      return count.assign(add(count, 1));
    });
    next();
    next();
    const before = memory();
    expect(traces).toBe(2);
    for (let i = 0; i < 3; i++) next();
    expect(memory()).toEqual({ ...before, peakBytes: expect.any(Number) });
    expect(await count.item()).toBe(5);
  });

  test("doesn't compare a call that throws when traced again", async () => {
    let calls = 0;
    const f = compile((x: Tensor) => {
      if (calls++ > 0) throw new Error('once only');
      return mul(x, 2);
    });
    for (let i = 0; i < 3; i++) expect(await f(tensor([i])).item()).toBe(2 * i);
    expect(warnings()).toEqual([]);
  });
});

test('a tensor throws in arithmetic, comparisons and concatenations, and reads as text', () => {
  const t = tensor(2) as never;
  for (const act of [
    () => t > 0,
    () => t * 2,
    () => -t,
    () => t + 1,
    () => Math.max(t, 1),
    () => [1, 2].at(t),
  ]) {
    expect(act).toThrow(ValueError);
    expect(act).toThrow(/greater\(x, 0\), where/);
  }
  expect(`${t}`).toBe('Tensor float32[]');
  expect(tensor(1) === t).toBe(false);
  // In a compiled function, too.
  expect(() => compile((x: Tensor) => ((x as never) > 0 ? x : mul(x, 2)))(tensor(1))).toThrow(
    /where\(condition/,
  );
});

describe('fit', () => {
  /** Multiplies by a field. */
  class Scaled extends Layer {
    factor = 1;
    scaleBy(factor: number): void {
      this.factor = factor;
    }
    override call(x: Tensor): Tensor {
      return mul(x, this.factor);
    }
  }

  test('reports a field of a layer that a callback changes', async () => {
    const scaled = new Scaled({ name: 'scaled' });
    const net = sequential({ layers: [scaled, layers.dense({ units: 1 })] });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(...data(4), {
      epochs: 3,
      batchSize: 2,
      callbacks: { onEpochEnd: (epoch) => scaled.scaleBy(epoch + 2) },
    });
    expect(warnings()).toEqual([
      expect.stringMatching(
        /train step.*'mul' in layer 'sequential.*scaled' takes: \d in the recording, \d now/s,
      ),
    ]);
    const { captured, frozen, text } = net.explainStep();
    expect({ captured, frozen }).toEqual({ captured: true, frozen: [expect.stringContaining("'mul'")] });
    expect(text).toMatch(/is captured and replayed.*frozen: a number/s);
  });

  test('reports a counter of a step, and a function that reads what changed', async () => {
    class Counting extends Model {
      readonly top = layers.dense({ units: 1 });
      steps = 0;
      override call(x: Tensor): Tensor {
        return this.top.apply(x);
      }
      override trainStep(batch: Batch) {
        this.steps++;
        return super.trainStep({ ...batch, x: mul(batch.x as Tensor, 1 / this.steps) });
      }
    }
    const net = new Counting();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(...data(8), { batchSize: 2 });
    expect(warnings()).toEqual([
      expect.stringMatching(/a number that 'mul' takes.*frozenValues\.test\.[jt]s/s),
    ]);
    warn.mockClear();
    let beta = 0;
    const annealed = sequential({ layers: [layers.dense({ units: 1 })] });
    annealed.compile({
      optimizer: 'sgd',
      loss: (y, yPred) => mul(mean(square(sub(y, yPred))), 1 + beta),
    });
    const raise = callbacks.lambdaCallback({ onEpochEnd: () => void beta++ });
    await annealed.fit(...data(16), { batchSize: 2, epochs: 3, callbacks: raise });
    expect(warnings()).toEqual([expect.stringMatching(/'mul'/)]);
  });

  test('reports what changes in the last epoch, and what a loop of batches of one changes', async () => {
    let beta = 0;
    const net = sequential({ layers: [layers.dense({ units: 1 })] });
    const loss: losses.LossFunction = (y, yPred) => mul(mean(square(sub(y, yPred))), 1 + beta);
    net.compile({ optimizer: 'sgd', loss });
    const onEpochEnd = (epoch: number) => {
      if (epoch === 10) beta = 1;
    };
    await net.fit(...data(2), { epochs: 11, callbacks: { onEpochEnd } });
    expect(warnings()).toEqual([]);
    beta = 0;
    await net.fit(...data(2), { epochs: 12, callbacks: { onEpochEnd } });
    expect(warnings()).toEqual([expect.stringMatching(/'mul' takes: 1 in the recording, 2 now/)]);
    expect(net.explainStep().frozen[0]).toMatch(/'mul' takes/);
    warn.mockClear();
    for (let i = 0; i < 20; i++) {
      if (i === 18) beta = 2;
      await net.trainOnBatch(...data(2));
    }
    expect(warnings()).toEqual([]);
    expect(net.explainStep().text).toMatch(/frozen: a number that 'mul' takes: 2 in the recording, 3 now/);
    net.dispose();
  });

  test('compares nothing of the library alone', async () => {
    const net = sequential({ layers: [layers.dropout({ rate: 0.2 }), layers.dense({ units: 1 })] });
    net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'] });
    const dryRuns = vi.spyOn(LaunchSurvey.prototype, 'run');
    await net.fit(...data(8), { batchSize: 2, epochs: 4 });
    expect(dryRuns).not.toHaveBeenCalled();
    dryRuns.mockRestore();
    expect(warnings()).toEqual([]);
    expect(net.explainStep()).toMatchObject({ captured: true, reason: null });
    expect(net.explainStep('predict')).toMatchObject({
      captured: false,
      reason: expect.stringMatching(/no step/),
    });
    expect(() => net.explainStep('fit' as never)).toThrow(ValueError);
  });

  test('says when a step runs uncaptured, and why', async () => {
    const kept: Tensor[] = [];
    class Keeping extends Layer {
      override call(x: Tensor): Tensor {
        const y = square(x);
        if (y instanceof Tensor) kept.push(keep(mul(y, 1)));
        return y;
      }
    }
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(new Keeping().apply(x)) });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(...data(10), { batchSize: 2 });
    expect(warnings()).toEqual([
      expect.stringMatching(/train step of.*isn't captured.*keeps 1 tensor beyond/),
    ]);
    expect(net.explainStep()).toMatchObject({
      captured: false,
      reason: expect.stringMatching(/keeps 1 tensor beyond/),
    });
    net.compile({ optimizer: 'sgd', loss: 'mse', runEagerly: true });
    await net.fit(...data(10), { batchSize: 2 });
    expect(warnings()).toHaveLength(1);
    expect(net.explainStep().text).toMatch(/runEagerly/);
    for (const tensor of kept) tensor.dispose();
  });
});
