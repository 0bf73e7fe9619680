import { describe, expect, test, vi } from 'vitest';
import { seedPosition } from '../../src/ops/define/seeds.ts';
import {
  add,
  broadcastTo,
  compile,
  type CompileProgress,
  conv2d,
  defineKernel,
  DeviceError,
  dropout,
  onReplay,
  exp,
  GradientTape,
  getDevice,
  keep,
  matMul,
  maxPool,
  mean,
  memory,
  mul,
  ones,
  randomNormal,
  relu,
  runKernel,
  softmax,
  square,
  sub,
  sum,
  TapeError,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  variable,
  type Variable,
  warmup,
} from '../../src/index.ts';
import { layers, optimizers, sequential } from '../../src/keras/index.ts';
import { ownDevice } from '../support/ownDevice.ts';

/** Returns the pipelines that `body` adds. */
async function pipelinesOf<T>(body: () => T | Promise<T>): Promise<{ added: number; value: T }> {
  const device = getDevice();
  const before = device.pipelineCount;
  const value = await body();
  return { added: device.pipelineCount - before, value };
}

function counts() {
  const { tensors, bytes } = memory();
  const { launches, submits } = getDevice().stream.statistics;
  return { tensors, bytes, launches, submits, seeds: seedPosition() };
}

/** A step of a small network with everything that has a state: weights, an optimizer, dropout, a running mean. */
function trainer() {
  const w = variable(randomNormal([12, 8], { seed: 1 }), { name: 'w' });
  const head = variable(randomNormal([8, 3], { seed: 2 }), { name: 'head' });
  const average = variable(ones([3]), { trainable: false });
  const optimizer = optimizers.adam({ learningRate: 0.01 });
  let runs = 0;
  const step = (x: Tensor, y: Tensor) => {
    onReplay(() => {
      runs++;
    });
    using tape = new GradientTape();
    const hidden = dropout(relu(matMul(x, w)), { rate: 0.25, seed: 7 });
    const logits = matMul(hidden, head);
    const loss = mean(square(sub(softmax(logits), y)));
    optimizer.apply(tape.gradient(loss, [w, head]) as Tensor[], [w, head]);
    average.assign(add(mul(average, 0.9), mul(mean(logits, { axis: 0 }), 0.1)));
    return loss;
  };
  return { step, optimizer, variables: [w, head, average] as Variable[], runs: () => runs };
}

const inputs = () => [randomNormal([6, 12], { seed: 3 }), randomNormal([6, 3], { seed: 4 })] as const;

async function valuesOf(tensors: readonly Tensor[]): Promise<number[][]> {
  return Promise.all(tensors.map(async (t) => [...(await t.data())]));
}

describe('warmup', () => {
  test('compiles what a call needs, and launches nothing', async () => {
    await using own = await ownDevice();
    const x = ones([1, 8, 8, 3]);
    const w = ones([3, 3, 3, 4]);
    const work = () => tidy(() => softmax(maxPool(exp(conv2d(x, w)), { poolSize: 2 })));
    own.device.flush();
    const before = counts();
    const made = await warmup(work);
    expect(made).toBeGreaterThanOrEqual(4);
    expect(counts()).toEqual(before);
    const { added, value } = await pipelinesOf(work);
    expect(added).toBe(0);
    expect([...(await value.data())].slice(0, 4)).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(await warmup(work)).toBe(0);
  });

  test('prepares a compiled step, its recording and its replay, and leaves all states alone', async () => {
    const plain = async () => {
      const { step, variables } = trainer();
      const [x, y] = inputs();
      const compiled = compile(step);
      const losses: Tensor[] = [];
      for (let i = 0; i < 3; i++) losses.push(compiled(x, y));
      return valuesOf([...losses, ...variables]);
    };
    let expected: number[][];
    {
      await using _own = await ownDevice();
      expected = await plain();
    }
    await using own = await ownDevice();
    const { step, optimizer, variables, runs } = trainer();
    const [x, y] = inputs();
    const compiled = compile(step);
    const before = await valuesOf(variables);
    const seeds = seedPosition();
    await warmup(compiled, x, y);
    expect(seedPosition()).toBe(seeds);
    expect(await valuesOf(variables)).toEqual(before);
    expect([optimizer.iterations, runs(), compiled.explain()]).toEqual([0, 0, []]);
    expect(getDevice().executor).toBe(getDevice().eager);
    const losses: Tensor[] = [];
    const { added } = await pipelinesOf(() => {
      for (let i = 0; i < 3; i++) losses.push(compiled(x, y));
    });
    expect(added).toBe(0);
    expect(await valuesOf([...losses, ...variables])).toEqual(expected);
    expect([optimizer.iterations, runs()]).toEqual([3, 3]);
    expect(compiled.explain()[0]).toMatchObject({ captured: true });
    expect(own.device.isLost).toBe(false);
  });

  test('takes specs in place of tensors, at any depth', async () => {
    await using _own = await ownDevice();
    const fn = compile(({ x, rest }: { x: Tensor; rest: readonly Tensor[] }) =>
      relu(add(mul(x, 2), rest.at(0) as Tensor)),
    );
    await warmup(fn, { x: { shape: [4, 8] }, rest: [{ shape: [8], dtype: 'float32' }] } as never);
    // Made before: `ones` is a fill, which the function doesn't have, and which some adapters don't launch.
    const values = { x: ones([4, 8]), rest: [ones([8])] };
    const { added } = await pipelinesOf(() => {
      for (let i = 0; i < 2; i++) fn(values);
    });
    expect(added).toBe(0);
  });

  test('compiles several functions at once', async () => {
    await using _own = await ownDevice();
    const x = ones([4, 4]);
    const [a, b] = await Promise.all([warmup(() => exp(x)), warmup(() => matMul(x, x))]);
    expect(a + b).toBeGreaterThanOrEqual(2);
    expect((await pipelinesOf(() => [exp(x), matMul(x, x)])).added).toBe(0);
  });

  test('a launch that comes before its pipeline is ready compiles it itself', async () => {
    await using own = await ownDevice();
    const x = ones([4]);
    const warming = warmup(() => exp(x));
    expect((await exp(x).data())[0]).toBeCloseTo(Math.E);
    const count = own.device.pipelineCount;
    await warming;
    expect(own.device.pipelineCount).toBe(count);
  });

  test('really builds layers and optimizers, once', async () => {
    await using _own = await ownDevice();
    const net = sequential({ layers: [layers.dense({ units: 4 }), layers.dense({ units: 2 })] });
    const optimizer = optimizers.sgd({ momentum: 0.9 });
    const x = ones([5, 3]);
    const step = compile(() => {
      using tape = new GradientTape();
      const loss = sum(square(net.apply(x)));
      optimizer.apply(tape.gradient(loss, net.trainableWeights) as Tensor[], net.trainableWeights);
      return loss;
    });
    await warmup(step);
    expect([net.built, optimizer.built, optimizer.iterations]).toEqual([true, true, 0]);
    const weights = await valuesOf(net.weights);
    expect(weights[0]?.some((value) => value !== 0)).toBe(true);
    const { added, value } = await pipelinesOf(() => [step(), step()]);
    expect(added).toBe(0);
    const [first, second] = await valuesOf(value);
    expect(second?.[0]).toBeLessThan(first?.[0] as number);
    expect(step.explain()[0]).toMatchObject({ captured: true, reason: null });
  });

  test('weights that it builds keep the seeds that they drew', async () => {
    await using _own = await ownDevice();
    const net = () => sequential({ layers: [layers.dense({ units: 4 })] });
    const [first, second] = [net(), net()];
    const x = ones([5, 3]);
    const seeds = seedPosition();
    await warmup(() => dropout(x, { rate: 0.5 }));
    expect(seedPosition()).toBe(seeds);
    await warmup(() => first.apply(x));
    second.apply(x);
    const [a, b] = await valuesOf([...first.weights.slice(0, 1), ...second.weights.slice(0, 1)]);
    expect(a).not.toEqual(b);
  });

  test('is seen by no tape', async () => {
    await using _own = await ownDevice();
    using tape = new GradientTape();
    const x = tensor([1, 2]);
    tape.watch(x);
    let made: unknown;
    await warmup(() => {
      made = exp(x).kerasHistory;
    });
    expect(made).toBeNull();
    expect(exp(x).kerasHistory).not.toBeNull();
  });

  test('runs its function again where a kernel that failed has a fallback', async () => {
    await using own = await ownDevice();
    const x = ones([3]);
    const version = vi.spyOn(own.device, 'selectionVersion', 'get').mockReturnValueOnce(0).mockReturnValue(1);
    let runs = 0;
    await warmup(() => {
      runs++;
      exp(x);
    });
    expect(runs).toBe(2);
    version.mockRestore();
  });

  test('runs a function that makes new weights at each run three times at most', async () => {
    await using _own = await ownDevice();
    const x = ones([2, 3]);
    let runs = 0;
    await warmup(() => {
      runs++;
      layers.dense({ units: 1 }).apply(x);
    });
    expect(runs).toBe(3);
  });

  test('of an op, specs stand for its tensors, not for its options', async () => {
    await using _own = await ownDevice();
    await warmup(broadcastTo as (...args: unknown[]) => Tensor, { shape: [3] }, { shape: [2, 3] });
    const x = ones([3]);
    expect((await pipelinesOf(() => broadcastTo(x, { shape: [2, 3] }))).added).toBe(0);
  });

  test('of an object with calls of its own: loads what they need, and gives them the options', async () => {
    await using _own = await ownDevice();
    const calls: unknown[] = [];
    const target = {
      async loadTraining() {
        calls.push('loaded');
      },
      dryRun(options: { batchSize?: number }) {
        calls.push(options);
      },
    };
    await warmup(target, { batchSize: 8 });
    await warmup(target);
    expect(calls).toEqual(['loaded', { batchSize: 8 }, 'loaded', {}]);
    const { dryRun } = target;
    await expect(warmup({ dryRun }, {})).resolves.toBe(0);
    await expect((warmup as (...args: unknown[]) => Promise<number>)(target, {}, 3)).rejects.toThrow(
      /warmup: .*`model`, `options`[\s\S]*received: 3/,
    );
  });

  test('brings back variables that are assigned, moved or shared', async () => {
    await using _own = await ownDevice();
    const a = variable(ones([4]), { name: 'a' });
    const b = variable(tensor([1, 2, 3, 4]), { name: 'b' });
    const taped = add(b, 0);
    b.assign(taped);
    const given = tensor([9, 9, 9, 9]);
    const { origin } = a;
    await warmup(() => {
      const before = add(a, 0);
      a.assign(given);
      b.assign(mul(b, 2));
      b.writableStorage();
      a.assign(before);
    });
    expect(a.origin).toBe(origin);
    expect(await valuesOf([a, b, taped, given])).toEqual([
      [1, 1, 1, 1],
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      [9, 9, 9, 9],
    ]);
  });

  test('leaves the device as it was where the function fails', async () => {
    await using own = await ownDevice();
    const w = variable(ones([2]));
    const failing = () => {
      w.assign(mul(w, 2));
      throw new Error('stop');
    };
    await expect(warmup(failing)).rejects.toThrow('stop');
    await expect(warmup(compile(failing))).rejects.toThrow('stop');
    expect(getDevice().executor).toBe(getDevice().eager);
    expect(await valuesOf([w, mul(w, 3)])).toEqual([
      [1, 1],
      [3, 3],
    ]);
    expect(own.device.isLost).toBe(false);
  });
});

describe('what warmup rejects', () => {
  test('waiting, reading, and what is neither function nor model', async () => {
    await using _own = await ownDevice();
    const x = ones([2]);
    let ran = false;
    const waits = async () => {
      ran = true;
    };
    await expect(warmup(waits)).rejects.toThrow(TapeError);
    await expect(warmup(waits)).rejects.toThrow(/received: an async function[\s\S]*warmup\(\(\) => step/);
    expect(ran).toBe(false);
    await expect(warmup(() => Promise.resolve(1))).rejects.toThrow(
      /a dry run is synchronous[\s\S]*a function that returned a Promise/,
    );
    await expect(warmup(() => x.data())).rejects.toThrow(/synchronous/);
    for (const wrong of [3, null, {}]) {
      await expect(warmup(wrong as never)).rejects.toThrow(TapeError);
      await expect(warmup(wrong as never)).rejects.toThrow(/^warmup: it takes a function, or a model/);
    }
    await expect(warmup((y: Tensor) => relu(y), { shape: [1], dtyp: 'int32' } as never)).rejects.toThrow(
      /dtyp[\s\S]*'dtype'/,
    );
    await expect(warmup((y: Tensor) => relu(y), { shape: [-1] })).rejects.toThrow(/shape/);
    await expect(warmup((y: Tensor) => relu(y), { shape: [1], dtype: 'half' as never })).rejects.toThrow(
      /dtype/,
    );
  });

  test('variables that it would make without values', async () => {
    await using _own = await ownDevice();
    const { tensors } = memory();
    await expect(warmup(() => variable(ones([2]), { name: 'late' }))).rejects.toThrow(ValueError);
    await expect(warmup(() => variable(ones([2]), { name: 'late' }))).rejects.toThrow(/'late'/);
    expect(memory().tensors).toBe(tensors);
  });

  test('a kernel that does not compile, without harm to what else is compiled', async () => {
    await using _own = await ownDevice();
    const wrong = defineKernel({
      name: 'wrong',
      bindings: { x: 'read f32', y: 'write f32' },
      params: {},
      source: () => '@compute @workgroup_size(1) fn main() { y[0] = x[0] + nothing; }',
    });
    const x = ones([1]);
    const work = () => {
      exp(x);
      runKernel(wrong, { inputs: { x }, outputs: { y: x }, params: {}, workgroups: 1 });
    };
    await expect(warmup(work)).rejects.toThrow(DeviceError);
    await expect(warmup(work)).rejects.toThrow(/nothing/);
    // Nothing is left to report at the next readback.
    expect((await pipelinesOf(() => exp(x).data())).added).toBe(0);
  });

  test('values of a dry run, used after it', async () => {
    await using _own = await ownDevice();
    const x = ones([3]);
    let kept: Tensor | undefined;
    await warmup(() => {
      kept = keep(exp(x));
    });
    expect(() => exp(kept as Tensor)).toThrow(/tensors made in a dry run have no values/);
    expect((await exp(x).data())[0]).toBeCloseTo(Math.E);
  });
});

test('the device reports each pipeline that begins to compile, and each that is compiled', async () => {
  await using own = await ownDevice();
  const seen: CompileProgress[] = [];
  own.device.onCompile = (progress) => seen.push(progress);
  const compiled = await warmup((x: Tensor) => softmax(matMul(x, x)), { shape: [64, 64] });
  expect(seen.map(({ kernel }) => kernel)).toEqual(expect.arrayContaining(['matMul', 'softmax']));
  expect(seen).toHaveLength(2 * compiled);
  expect(seen.at(-1)).toMatchObject({ done: compiled, total: compiled });
  // Both begin before one of them is compiled.
  expect(seen.slice(0, 2).map(({ done, total }) => [done, total])).toEqual([
    [0, 1],
    [0, 2],
  ]);
  relu(ones([64, 64]));
  expect(seen.slice(-2).map(({ done, total }) => total - done)).toEqual([1, 0]);
  expect(seen.at(-1)?.total).toBeGreaterThan(compiled);
});
