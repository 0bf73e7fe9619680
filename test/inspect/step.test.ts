import { beforeAll, describe, expect, test } from 'vitest';
import {
  compile,
  explainHistory,
  gather,
  GradientTape,
  init,
  log,
  matMul,
  mean,
  memory,
  mul,
  relu,
  square,
  stopGradient,
  sub,
  sum,
  type Tensor,
  tensor,
  ValueError,
  variable,
} from '../../src/index.ts';
import { type Finding, inspect, inspector, type StepReport } from '../../src/inspect/index.ts';
import { initializers, input, layers, model, sequential } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const batch = 16;
const samples = () =>
  tensor(
    Array.from({ length: 4 * batch }, (_, i) => Math.sin(i)),
    { shape: [batch, 4] },
  );
const targets = () => tensor(Array.from({ length: batch }, (_, i) => [1 + Math.cos(i)]));

function found(report: StepReport, kind: Finding['kind']): Finding {
  const finding = report.findings.find((one) => one.kind === kind);
  if (!finding) throw new Error(`no finding '${kind}' in:\n${report.summary()}`);
  return finding;
}

describe('a step', () => {
  test('is reported with calls, launches, values, gradients, updates and memory; it really runs', async () => {
    const w = variable(tensor([[1], [2], [3], [0]]), { name: 'w' });
    const step = compile(
      (x: Tensor, y: Tensor) => {
        using tape = new GradientTape();
        const loss = mean(square(sub(matMul(x, w), y)));
        const [dw] = tape.gradient(loss, [w]);
        if (dw) w.assign(sub(w, mul(dw, 0.1)));
        return loss;
      },
      { name: 'step' },
    );
    const [x, y] = [samples(), targets()];
    using plain = step(x, y);
    const before = await w.data();
    const report = await inspect(step, x, y);
    const after = await w.data();
    expect(after).not.toEqual(before);
    expect(report.findings).toEqual([]);
    // Debug mode is as it was: no calls are traced.
    expect(explainHistory(square(x)).where).toBeUndefined();
    const {
      name,
      calls,
      outside,
      tensors,
      weights,
      memory: bytes,
      cost,
      total,
      loss,
      captures,
    } = report.toJSON();
    expect(name).toBe('step');
    expect(captures).toHaveLength(1);
    const forward = calls.filter(({ backward }) => !backward).map(({ op }) => op);
    expect(forward).toEqual(['matMul', 'sub', 'square', 'mean', 'mul', 'sub']);
    const gradients = calls.filter(({ backward }) => backward);
    expect(new Set(gradients.map(({ backward }) => backward?.op))).toContain('matMul');
    expect(calls.every(({ callSite }) => /^step\.test\.[jt]s:/.test(callSite ?? ''))).toBe(true);
    expect(calls.filter(({ leadsToLoss }) => !leadsToLoss).map(({ op }) => op)).toEqual(['mul', 'sub']);
    const product = calls[0];
    expect(product?.launches[0]).toMatchObject({ flops: 2 * batch * 4, workgroups: expect.any(Number) });
    const inCalls = calls.reduce((count, { launches }) => count + launches.length, 0);
    expect(total.launches).toBe(inCalls + outside.length);
    expect(cost.launches).toBeGreaterThanOrEqual(2 * calls.length);
    // Statistics, against the values themselves.
    const values = tensors.find(({ role }) => role === 'weight')?.values;
    expect(values).toMatchObject({ count: 4, zeros: [...before].filter((v) => v === 0).length, nans: 0 });
    expect(values?.min).toBe(Math.min(...before));
    expect(values?.max).toBe(Math.max(...before));
    expect(values?.mean).toBeCloseTo(before.reduce((a, b) => a + b) / 4, 5);
    expect(values?.norm).toBeCloseTo(Math.hypot(...before), 4);
    expect(values?.histogram.reduce((a, b) => a + b)).toBe(4);
    const [weight] = weights;
    expect(weights).toHaveLength(1);
    expect(weight).toMatchObject({ name: 'w', gradient: 'computed', trainable: true });
    expect(weight?.update?.norm).toBeCloseTo(
      Math.hypot(...after.map((v, i) => v - (before[i] as number))),
      5,
    );
    expect(weight?.path.map(({ call }) => calls[call]?.op)).toEqual(['mean', 'square', 'sub', 'matMul']);
    expect(weight?.path.every(({ norm }) => (norm ?? 0) > 0)).toBe(true);
    expect(loss).toBeCloseTo(await (report.result as Tensor).item(), 5);
    expect(bytes.peak).toBeGreaterThan(bytes.before);
    expect(bytes.allocations.length).toBeGreaterThan(3);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report.toJSON());
    void plain;
  });

  test('leaves no tensor, and counts special values of every dtype', async () => {
    const x = tensor([1, Number.NaN, Number.POSITIVE_INFINITY, 0, -2]);
    const labels = tensor([3, -1, 0], { dtype: 'int32' });
    const before = memory();
    const report = await inspect(() => {
      relu(x).dispose();
      sum(labels).dispose();
    });
    expect(memory().bytes).toBe(before.bytes);
    const { tensors } = report.toJSON();
    expect(tensors[0]?.values).toMatchObject({ count: 5, min: -2, max: 1, nans: 1, infinities: 1, zeros: 1 });
    expect(tensors[0]?.values?.firstNonFinite).toBe(1);
    expect(tensors.find(({ dtype }) => dtype === 'int32')?.values).toMatchObject({
      min: -1,
      max: 3,
      zeros: 1,
    });
    expect(found(report, 'non-finite').title).toMatch(/input float32\[5\] holds NaN before the step/);
  });

  test('rejects anything but a step, and rethrows errors of a step before its first op', async () => {
    await expect(inspect(tensor([1]) as never)).rejects.toThrow(ValueError);
    await expect(inspect(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    expect(() => inspector({ nmae: 'x' } as never)).toThrow(/did you mean/);
  });
});

describe('a model that does not learn: the findings say why', () => {
  test('a detached branch', async () => {
    const image = input({ shape: [4] });
    const branch = layers.dense({ units: 8, activation: 'relu', name: 'branch' }).apply(image);
    const main = layers.dense({ units: 8, activation: 'relu', name: 'main' }).apply(image);
    const both = layers.add().apply([stopGradient(branch), main]);
    const net = model({ inputs: image, outputs: layers.dense({ units: 1, name: 'top' }).apply(both) });
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const finding = found(await inspect(net, samples(), targets()), 'disconnected');
    expect(finding.title).toMatch(/No gradient reaches '.*branch\/kernel' and '.*branch\/bias'/);
    expect(finding.text).toMatch(/connected up to 'branch › .*disconnected at 'stopGradient'/);
    expect(finding.severity).toBe('error');
    expect(finding.callSite).toMatch(/^step\.test\.[jt]s:\d+$/);
  });

  test('a dead relu, in layers and in a function', async () => {
    const net = sequential([
      layers.dense({
        units: 8,
        activation: 'relu',
        biasInitializer: initializers.constant({ value: -10 }),
        name: 'hidden',
      }),
      layers.dense({ units: 1, name: 'top' }),
    ]);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const report = await net.inspectStep(samples(), targets());
    const finding = found(report, 'dead units');
    expect(finding.title).toMatch(/Dead relu: all 128 outputs of 'fusedMatMul' in layer '.*hidden' are zero/);
    expect(finding.weights).toHaveLength(3);
    expect(report.findings).toHaveLength(1);

    const w = variable(tensor([[-1], [-1], [-1], [-1]]), { name: 'w' });
    const own = await inspect(() => {
      using tape = new GradientTape();
      return tape.gradient(mean(square(sub(relu(matMul(square(samples()), w)), 1))), [w]);
    });
    expect(found(own, 'dead units').text).toMatch(
      /Its inputs lie between -\S+ and -\S+, none of them above zero/,
    );
  });

  test('an exploding recurrent net: first its gradient, then an infinity', async () => {
    const recurrent = (stddev: number) => {
      const net = sequential([
        layers.simpleRNN({
          units: 4,
          activation: 'linear',
          recurrentInitializer: initializers.randomNormal({ stddev, seed: 1 }),
          name: 'rnn',
        }),
        layers.dense({ units: 1, name: 'top' }),
      ]);
      net.compile({ optimizer: 'sgd', loss: 'mse' });
      return net;
    };
    const sequence = (time: number) =>
      tensor(
        Array.from({ length: 4 * time }, (_, i) => Math.sin(i)),
        { shape: [4, time, 1] },
      );
    const y = tensor([[1], [0], [1], [0]]);
    const exploding = found(await inspect(recurrent(6), sequence(8), y), 'exploding gradient');
    expect(exploding.title).toMatch(/explodes through time in layer '.*rnn': a factor of \d\S* per step/);
    expect(exploding.weights.join()).toMatch(/recurrent_kernel/);
    const infinite = found(await inspect(recurrent(100), sequence(20), y), 'non-finite');
    expect(infinite.title).toMatch(/The first (infinity|NaN) of the step is made by '\w+' in layer '.*rnn'/);
    expect(infinite.text).toMatch(/values grow by a factor of \S+ at each of \d+ steps/);
  });

  test('a label out of range', async () => {
    const net = sequential([layers.dense({ units: 3, activation: 'softmax', name: 'top' })]);
    net.compile({ optimizer: 'sgd', loss: 'sparseCategoricalCrossentropy' });
    const labels = tensor(
      Array.from({ length: batch }, (_, i) => i % 4),
      { dtype: 'int32' },
    );
    const report = await inspect(net, samples(), labels);
    const finding = found(report, 'fault');
    expect(finding.title).toBe('Label 3 is out of range: the model has 3 classes, 0 to 2.');
    expect(finding.text).toMatch(/labels of this step lie between 0 and 3/);
    expect(report.findings[0]).toBe(finding);
    const unchecked = await inspect(() => gather(samples(), [0, 99], { validateIndices: false }));
    expect(found(unchecked, 'fault').title).toMatch(/Unchecked indices of 'gather' are out of range/);
  });

  test('a NaN: its op, its inputs and its line', async () => {
    const w = variable(tensor([[1], [-2], [1], [1]]), { name: 'w' });
    const report = await inspect(() => {
      using tape = new GradientTape();
      return tape.gradient(mean(log(matMul(samples(), w))), [w]);
    });
    const finding = found(report, 'non-finite');
    expect(finding.title).toBe("The first NaN of the step is made by 'log'.");
    expect(finding.text).toMatch(/log of a negative number is NaN: its input goes down to -/);
    expect(finding.callSite).toMatch(/^step\.test\.[jt]s:\d+$/);
  });
});

test('a gradient that vanishes through layers of sigmoids', async () => {
  const deep = Array.from({ length: 10 }, (_, i) =>
    layers.dense({ units: 4, activation: 'sigmoid', name: `deep_${i}` }),
  );
  const net = sequential([...deep, layers.dense({ units: 1, name: 'top' })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  const finding = found(await inspect(net, samples(), targets()), 'vanishing gradient');
  expect(finding.title).toMatch(/vanishes on its way to '.*deep_0\/\w+'/);
  expect(finding.weights.join()).toMatch(/deep_0\/kernel/);
});
