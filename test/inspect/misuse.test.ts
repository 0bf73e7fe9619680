/** @file Calls of the inspector that can't work: each error states the correct call. */
import { beforeAll, expect, test } from 'vitest';
import {
  DisposedError,
  FormatError,
  GradientTape,
  init,
  matMul,
  memory,
  square,
  sum,
  type Tensor,
  tensor,
  ValueError,
  variable,
} from '../../src/index.ts';
import { compareSteps, inspect, inspector, recordSteps, StepReport } from '../../src/inspect/index.ts';
import { layers, sequential } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const small = inspector({ featureMaps: 0 });
const x = () => tensor([[1, 2]]);
const y = () => tensor([[1]]);

function regression() {
  const net = sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  return net;
}

/** Calls something with arguments that its types reject. */
const loose = (call: unknown, ...args: unknown[]): Promise<unknown> =>
  Promise.resolve().then(() => (call as (...args: unknown[]) => unknown)(...args));

test('a method without its object', async () => {
  const net = regression();
  for (const method of [net.fit, net.trainOnBatch]) {
    const failed = loose(small, method, x(), y());
    await expect(failed).rejects.toThrow(ValueError);
    await expect(failed).rejects.toThrow(/passed together with its object[\s\S]*inspect\(net, x, y\)/);
  }
  await expect(loose(small, net.apply, x())).rejects.toThrow(/\(\.\.\.args\) => object\.apply\(\.\.\.args\)/);
  await expect(recordSteps(net.trainOnBatch as never, { state: [net] }).step()).rejects.toThrow(
    /call recordSteps\(net\)/,
  );
  // With it, whatever it is: bound, in a function, or a method that needs none.
  const options = { epochs: 1, verbose: 0 } as const;
  for (const step of [net.trainOnBatch.bind(net, x(), y()), () => net.fit(x(), y(), options)]) {
    const report = await small(step);
    expect(report.toJSON().weights.map(({ gradient }) => gradient)).toEqual(['computed', 'computed']);
  }
  const steps = {
    double: (a: Tensor) => sum(a),
    async total(a: Tensor) {
      return sum(a);
    },
  };
  expect((await small(steps.total, x())).toJSON().calls.map(({ op }) => op)).toEqual(['sum']);
  // What the step itself does wrong stays as it is.
  const wrong = (a: { b: { c: number } }) => a.b.c;
  await expect(small(wrong, {} as never)).rejects.toThrow(TypeError);
  net.dispose();
});

test('what is no step, and wrong options', async () => {
  const net = regression();
  for (const target of [null, 3, 'fit', [], {}, x(), variable(y())])
    for (const call of [inspect, (it: unknown) => recordSteps(it as never)])
      await expect(loose(call, target)).rejects.toThrow(
        /a step is a function of tensors, or a compiled model/,
      );
  await expect(loose(inspect, Promise.resolve(1))).rejects.toThrow(
    /pass the function itself, not its result/,
  );
  await expect(loose(inspect, layers.dense({ units: 1 }), x())).rejects.toThrow(/\(x\) => layer\.apply\(x\)/);
  const uncompiled = sequential([layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })]);
  await expect(small(uncompiled, x(), y())).rejects.toThrow(/compile/);
  await expect(loose(small, net, x(), y(), { featureMaps: 0 })).rejects.toThrow(/featureMaps/);
  for (const [options, words] of [
    [{ featureMap: 1 }, /did you mean 'featureMaps'/],
    [{ featureMaps: -1 }, /integer of at least 0/],
    [{ name: 7 }, /`name` is a string/],
    [{ device: {} }, /device/],
    [null, /in one object/],
    ['name', /in one object/],
  ] as const) {
    expect(() => inspector(options as never), JSON.stringify(options)).toThrow(words);
    expect(() => recordSteps(net, options as never), JSON.stringify(options)).toThrow(words);
  }
  for (const state of [net, null, {}, [null], [[]], [x()], [y]])
    expect(() => recordSteps(() => 1, { state } as never)).toThrow(/`state` lists variables/);
  for (const options of [{ keep: 0 }, { checkpointEvery: 1.5 }, { keep: '9' }])
    expect(() => recordSteps(net, options as never)).toThrow(/integer of at least 1/);
  net.dispose();
  uncompiled.dispose();
});

test('closed tapes and steps without a loss', async () => {
  const w = variable(tensor([[1], [2]]), { name: 'w' });
  const report = await small(() => {
    const tape = new GradientTape();
    const loss = sum(square(matMul(x(), w)));
    tape.dispose();
    return tape.gradient(loss, [w]);
  });
  const [failure] = report.findings;
  expect(failure).toMatchObject({ kind: 'failure', severity: 'error' });
  expect(failure?.title).toMatch(/^The step failed: (Tape|Disposed)Error/);
  const plain = await small(() => matMul(x(), w));
  expect(plain.findings).toEqual([]);
  expect(plain.toJSON()).toMatchObject({ loss: null, gradientNorm: null });
  expect(plain.toJSON().weights.map(({ gradient }) => gradient)).toEqual(['not asked for']);
  expect((await small(() => 3)).toJSON()).toMatchObject({ calls: [], loss: null });
  // One at a time, and the first goes on.
  const [first, second] = await Promise.allSettled([small(() => matMul(x(), w)), small(() => 1)]);
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  await expect(Promise.reject((second as PromiseRejectedResult).reason)).rejects.toThrow(
    /one profile at a time/,
  );
});

test('comparisons of steps of different models', async () => {
  const net = (units: number, name?: string) => {
    const made = sequential([
      layers.inputLayer({ shape: [2] }),
      layers.dense({ units, ...(name ? { name } : {}) }),
      layers.dense({ units: 1, ...(name ? { name: 'head' } : {}) }),
    ]);
    made.compile({ optimizer: 'sgd', loss: 'mse' });
    return made;
  };
  const reportOf = (units: number, name?: string) => small(net(units, name), x(), y());
  const [plain, again] = [await reportOf(3), await reportOf(3)];
  // Numbered names differ, and nothing else.
  expect(plain.toJSON().weights[0]?.name).not.toBe(again.toJSON().weights[0]?.name);
  expect(compareSteps(plain, again).differences).toEqual([]);
  const [narrow, wide, other] = [
    await reportOf(3, 'hidden'),
    await reportOf(5, 'hidden'),
    await reportOf(5, 'base'),
  ];
  expect(compareSteps(narrow, wide).differences).toEqual([
    "'hidden/kernel' is [2, 3] before, and [2, 5] after",
    "'hidden/bias' is [3] before, and [5] after",
    "'head/kernel' is [3, 1] before, and [5, 1] after",
  ]);
  expect(compareSteps(wide, other).differences).toEqual([]);
  expect(compareSteps(narrow, other).differences).toEqual([
    "only before: 'hidden/kernel' [2, 3]",
    "only before: 'hidden/bias' [3]",
    "'head/kernel' is [3, 1] before, and [5, 1] after",
    "only after: 'base/kernel' [2, 5]",
    "only after: 'base/bias' [5]",
  ]);
  const bare = await small(() => sum(x()));
  expect(compareSteps(bare, bare).differences).toEqual([]);
  const failed = () => compareSteps(bare, narrow);
  expect(failed).toThrow(ValueError);
  expect(failed).toThrow(
    /weights of the same names[\s\S]*without weights; after: .* with 4 weights[\s\S]*same model/,
  );
  expect(() => compareSteps(plain, narrow)).not.toThrow();
  expect(() => compareSteps(plain, wide)).toThrow(/two steps of one model/);
});

test('reports and comparisons of something else', async () => {
  const report = await small(() => sum(x()));
  const data = report.toJSON();
  for (const [wrong, words] of [
    [undefined, /before: undefined/],
    [data, /new StepReport\(JSON\.parse\(text\)\)/],
    [small(() => 1), /await it first/],
  ] as const) {
    expect(() => compareSteps(wrong as never, report)).toThrow(words);
    expect(() => compareSteps(report, wrong as never)).toThrow(ValueError);
    await wrong;
  }
  for (const wrong of [undefined, null, {}, [], JSON.stringify(data), { ...data, version: 2 }]) {
    expect(() => new StepReport(wrong as never)).toThrow(FormatError);
  }
  expect(() => new StepReport(JSON.stringify(data) as never)).toThrow(/parse it first/);
  for (const target of [undefined, null, 3, {}])
    await expect(loose(report.save.bind(report), target)).rejects.toThrow(ValueError);
});

test('recordings: steps that are none, and after the end', async () => {
  const net = regression();
  const batch = [x(), y()] as const;
  const before = memory();
  const recording = recordSteps(net, { featureMaps: 0 });
  await recording.step(...batch);
  for (const index of [-1, 0.5, '0', undefined, Number.NaN])
    await expect(loose(recording.open.bind(recording), index)).rejects.toThrow(/`index` must be an integer/);
  await expect(recording.open(1)).rejects.toThrow(/step 1, where steps 0 to 0 are kept/);
  recording.dispose();
  await expect(recording.step(...batch)).rejects.toThrow(DisposedError);
  // Among the callbacks of a training, it holds nothing more.
  await net.fit(...batch, { epochs: 2, verbose: 0, callbacks: [recording] });
  expect(recording.steps.length).toBe(3);
  net.dispose();
  expect(memory().bytes).toBeLessThanOrEqual(before.bytes);
});
