import { beforeAll, describe, expect, test } from 'vitest';
import {
  compile,
  GradientTape,
  init,
  log,
  matMul,
  mean,
  memory,
  mul,
  setRandomSeed,
  square,
  sub,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  variable,
} from '../../src/index.ts';
import { inspector, recordSteps, type StepRecording, type StepReport } from '../../src/inspect/index.ts';
import { type callbacks, layers, optimizers, type Sequential, sequential } from '../../src/keras/index.ts';
import { seedPosition } from '../../src/ops/define/seeds.ts';
import { usePlainStacks } from '../support/plainStacks.ts';

usePlainStacks();

beforeAll(async () => {
  await init();
});

const wave = (step: number, ...shape: number[]) =>
  tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i + 0.7 * step)),
    { shape },
  );

/** Calls `body` with the logs of each step that a recording of `net` runs. */
function afterSteps(net: Sequential, body: (logs: unknown) => Promise<unknown>): void {
  const plain = net.inspectedStep.bind(net);
  net.inspectedStep = (...args) => {
    const step = plain(...args);
    const run = async (continues?: boolean) => {
      const logs = await step.run(continues);
      await body(logs);
      return logs;
    };
    return { ...step, run };
  };
}

describe('a model', () => {
  test('each step is replayed to the same bits, without changing the current state', async () => {
    // Random without a seed, random with one, and weights that aren't trained; built by the first step.
    const net = sequential([
      layers.dense({ units: 6, activation: 'relu' }),
      layers.dropout({ rate: 0.4 }),
      layers.batchNormalization(),
      layers.dropout({ rate: 0.2, seed: 3 }),
      layers.dense({ units: 1 }),
    ]);
    net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'] });
    const seen: unknown[] = [];
    const values = () => Promise.all(net.weights.map((weight) => weight.data()));
    afterSteps(net, async (logs) => seen.push([await values(), logs]));
    using recording = recordSteps(net, { checkpointEvery: 4, featureMaps: 0 });
    for (let step = 0; step < 7; step++) {
      // Arguments may change after the step.
      const x = new Float32Array(await wave(step, 8, 4).data());
      using y = wave(step, 8, 1);
      using batch = tensor(x, { shape: [8, 4] });
      await recording.step(batch, y);
      if (step === 4 && net.optimizer) net.optimizer.learningRate = 0.1;
    }
    const present = [await values(), net.optimizer?.iterations, net.optimizer?.learningRate, seedPosition()];
    for (const [step, first] of [
      [6, 4],
      [0, 0],
      [2, 0],
    ] as const) {
      const from = seen.length;
      const report = await recording.open(step);
      expect(seen.slice(from)).toEqual(seen.slice(first, step + 1));
      expect(report.findings.filter(({ kind }) => kind === 'replay')).toEqual([]);
      expect(report.toJSON().loss).toBeCloseTo(recording.steps[step]?.values.loss as number, 5);
      const now = [await values(), net.optimizer?.iterations, net.optimizer?.learningRate, seedPosition()];
      expect(now).toEqual(present);
    }
    const data = recording.toJSON();
    expect(Object.keys(data.opened)).toEqual(['0', '2', '6']);
    expect(data.steps[3]?.values).toEqual({ loss: expect.any(Number), mae: expect.any(Number) });
    expect(JSON.parse(JSON.stringify(recording))).toEqual(data);
    net.dispose();
  });

  test('a step that failed is opened like any other', async () => {
    const net = sequential([
      layers.inputLayer({ shape: [4] }),
      layers.dense({ units: 3, activation: 'softmax' }),
    ]);
    net.compile({ optimizer: 'sgd', loss: 'sparseCategoricalCrossentropy' });
    using recording = recordSteps(net, { featureMaps: 0 });
    await recording.step(wave(0, 2, 4), tensor([0, 2], { dtype: 'int32' }));
    const bad = tensor([1, 3], { dtype: 'int32' });
    await expect(recording.step(wave(1, 2, 4), bad)).rejects.toThrow(/outside/);
    expect(recording.steps[1]?.error).toMatch(/^IndexOutOfRangeError/);
    expect((await recording.open(1)).findings[0]?.title).toMatch(/^Label 3 is out of range/);
    net.dispose();
  });
});

describe('fit', () => {
  const rows = 14;
  const train = async (net: Sequential, ...others: callbacks.CallbackLike[]) => {
    using x = wave(0, rows, 4);
    using y = tensor(
      Array.from({ length: rows }, (_, i) => i % 3),
      { dtype: 'int32' },
    );
    // Like real training: callbacks that change rates and weights, class weights, a short last batch.
    const changes: callbacks.CallbackLike = {
      onEpochEnd: (epoch) => {
        const [kernel] = net.weights;
        if (net.optimizer) net.optimizer.learningRate = 0.1 / (epoch + 1);
        kernel?.assign(tidy(() => mul(kernel, 0.5)));
      },
    };
    const options = { epochs: 3, batchSize: 4, seed: 1, classWeight: { 1: 3 }, verbose: 0 } as const;
    return await net.fit(x, y, { ...options, validationData: [x, y], callbacks: [changes, ...others] });
  };
  const classifier = () => {
    setRandomSeed(5);
    const net = sequential([
      layers.inputLayer({ shape: [4] }),
      layers.dense({ units: 6, activation: 'relu' }),
      layers.dropout({ rate: 0.4 }),
      layers.batchNormalization(),
      layers.dense({ units: 3, activation: 'softmax' }),
    ]);
    net.compile({
      optimizer: 'adam',
      loss: 'sparseCategoricalCrossentropy',
      metrics: ['accuracy'],
    });
    return net;
  };
  const valuesOf = (net: Sequential) => Promise.all(net.weights.map((weight) => weight.data()));

  test('runs the same when recorded, and any of its steps is replayed to the same bits', async () => {
    const plain = classifier();
    const expected = [(await train(plain)).history, await valuesOf(plain)];
    plain.dispose();

    const net = classifier();
    using recording = recordSteps(net, { checkpointEvery: 3, featureMaps: 0 });
    const after: unknown[] = [];
    const notes = async () => void after.push(await valuesOf(net));
    const history = await train(net, { onTrainBatchEnd: notes, readsBatchLogs: false }, recording);
    expect([history.history, await valuesOf(net)]).toEqual(expected);
    expect(recording.steps.length).toBe(12);
    // The numbers of an epoch's last step are those of the epoch.
    for (const [epoch, loss] of (history.history.loss ?? []).entries())
      expect(recording.steps[4 * epoch + 3]?.values.loss).toBe(loss);

    const present = await valuesOf(net);
    const replayed: unknown[] = [];
    afterSteps(net, async () => replayed.push(await valuesOf(net)));
    for (const step of [10, 7, 0]) {
      replayed.length = 0;
      const report = await recording.open(step);
      expect(replayed).toEqual(after.slice(step + 1 - replayed.length, step + 1));
      expect(report.findings.filter(({ kind }) => kind === 'replay')).toEqual([]);
      expect(await valuesOf(net)).toEqual(present);
    }
    net.dispose();
  });

  test('opens no step while it runs, records the step that fails, and takes no recording of another model', async () => {
    const net = classifier();
    using recording = recordSteps(net, { featureMaps: 0 });
    const early: unknown[] = [];
    const opens = {
      onEpochBegin: async (epoch: number) => {
        if (epoch === 1) early.push(await recording.open(0).catch((error: Error) => error.message));
      },
    };
    await train(net, opens, recording);
    expect(early).toEqual([expect.stringMatching(/does one thing at a time[\s\S]*while fit runs/)]);
    const bad = net.fit(wave(1, 2, 4), tensor([0, 7], { dtype: 'int32' }), { callbacks: recording });
    await expect(bad).rejects.toThrow(/outside[\s\S]*epoch 1 of 1, batch 1/);
    expect(recording.steps.at(-1)?.error).toMatch(/^IndexOutOfRangeError/);
    expect((await recording.open(12)).findings[0]?.title).toMatch(/^Label 7 is out of range/);
    const other = classifier();
    await expect(train(other, recording)).rejects.toThrow(
      /a recording of another model[\s\S]*of the same net/,
    );
    other.dispose();
    net.dispose();
  });
});

test("fit's next step is inspected by a callback around it", async () => {
  const net = sequential([layers.inputLayer({ shape: [4] }), layers.dense({ units: 1, name: 'only' })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  let report: StepReport | undefined;
  const aroundTrainStep = async (_batch: unknown, step: () => void | Promise<void>) => {
    report = await inspector({ featureMaps: 0 })(step);
  };
  const options = { batchSize: 8, verbose: 0, callbacks: [{ aroundTrainStep }] } as const;
  const { history } = await net.fit(wave(0, 8, 4), wave(1, 8, 1), options);
  expect(report?.toJSON().loss).toBeCloseTo(history.loss?.[0] as number, 5);
  expect(report?.toJSON().weights.map(({ name, gradient }) => [name, gradient])).toEqual([
    [expect.stringMatching(/only\/kernel$/), 'computed'],
    [expect.stringMatching(/only\/bias$/), 'computed'],
  ]);
  net.dispose();
});

describe('a function', () => {
  const w = () => {
    using initial = tensor([[1], [2], [3], [4]]);
    return variable(initial, { name: 'w' });
  };
  const stepOf = (weight: Tensor & ReturnType<typeof w>) => {
    const optimizer = optimizers.sgd({ learningRate: 0.1, momentum: 0.9 });
    optimizer.build([weight]);
    const step = compile((x: Tensor) => {
      using tape = new GradientTape();
      const loss = mean(square(sub(matMul(x, weight), 1)));
      optimizer.apply(tape.gradient(loss, [weight]), [weight]);
      return { loss };
    });
    return { step, optimizer };
  };

  test('changes only its declared state; other changes are reported', async () => {
    const weight = w();
    const { step, optimizer } = stepOf(weight);
    using recording = recordSteps(step, { state: [weight, optimizer], featureMaps: 0 });
    const run = async (from: number, to: number) => {
      for (let i = from; i < to; i++) await recording.step(wave(i, 3, 4));
    };
    await run(0, 4);
    const last = await weight.data();
    const replays = (await recording.open(3)).findings.filter(({ kind }) => kind === 'replay');
    expect(replays).toEqual([]);
    expect(await weight.data()).toEqual(last);
    weight.assign(mul(weight, 2));
    await run(4, 6);
    const [finding] = (await recording.open(5)).findings;
    expect(finding).toMatchObject({ kind: 'replay', severity: 'warning' });
    expect(finding?.title).toMatch(/The replay of step 5 isn't the step that was recorded: 'loss' is/);
    expect(() => recordSteps(step as never)).not.toThrow();
    await expect(recordSteps(step as never).step()).rejects.toThrow(/pass { state: \[w, optimizer\] }/);
    const unbuilt = recordSteps(step, { state: [optimizers.adam()] });
    await expect(unbuilt.step(wave(0, 3, 4))).rejects.toThrow(/call optimizer.build/);
    await expect(recording.open(9)).rejects.toThrow(/steps 0 to 5 are kept/);
    expect(() => recordSteps(step, { state: [], kep: 3 } as never)).toThrow(/did you mean/);
  });

  test('keeps the last steps and frees the others', async () => {
    const weight = w();
    const before = memory();
    const recording: StepRecording<[Tensor]> = recordSteps(
      (x: Tensor) => {
        using loss = tidy(() => mean(log(matMul(x, weight))));
        return loss.item();
      },
      { state: [weight], checkpointEvery: 2, keep: 3 },
    );
    for (let i = 0; i < 7; i++) {
      using x = wave(i, 3, 4);
      await recording.step(x);
    }
    await expect(recording.open(3)).rejects.toThrow(ValueError);
    expect(recording.toJSON().firstRetained).toBe(4);
    expect(recording.toJSON().steps.map(({ values }) => values.result)).toContain(null);
    const report = await recording.open(4);
    expect(report.toJSON().name).toMatch(/, step 4$/);
    recording.dispose();
    expect(memory().bytes).toBe(before.bytes);
    await expect(recording.open(6)).rejects.toThrow(/none are kept/);
  });
});
