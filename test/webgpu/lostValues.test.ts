/**
 * @file Values that a failed submission should have written: a readback of them, or of something computed from them, throws the
 * reason, however late. What replaces them is clean.
 */
import { describe, expect, test, vi } from 'vitest';
import {
  add,
  compile,
  concat,
  gradients,
  mul,
  OutOfMemoryError,
  ones,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { input, layers, model, optimizers } from '../../src/keras/index.ts';
import { filled, type LimitedDevice, limited, MiB } from '../support/limitedDevice.ts';
import { keepBusy } from '../support/keepBusy.ts';

const KiB = 2 ** 10;

/**
 * Calls `work` in a submission that fails, because a buffer in it has no memory. `after` follows in another submission, before
 * the failure is known. Resolves to the result of `work` once the error of that buffer was thrown, and its tensor is gone.
 */
async function failing<T>(
  own: LimitedDevice,
  work: () => T,
  after: (result: T) => void = () => {},
): Promise<T> {
  // Memory for `work` is in the pool, and its kernels are compiled.
  for (let i = 0; i < 3; i++) tidy(() => void work());
  await own.device.sync();
  const { budget } = own.room;
  keepBusy();
  own.room.budget = own.room.live;
  // Less than what is worth a submission of its own.
  const failed = filled(640 * KiB, 1);
  const result = work();
  own.device.flush();
  own.room.budget = budget;
  after(result);
  await expect(own.device.sync()).rejects.toThrow(OutOfMemoryError);
  failed.dispose();
  expect(own.room.rejected).toBe(1);
  return result;
}

async function expectLost(t: Tensor): Promise<void> {
  await expect(t.data()).rejects.toMatchObject({
    constructor: OutOfMemoryError,
    rule: expect.stringContaining('if all work that they depend on ran'),
    received: expect.stringContaining('655360 bytes for fill'),
    hint: expect.stringContaining('compute the values again'),
    cause: expect.any(OutOfMemoryError),
    others: [],
  });
}

const all = async (t: Tensor) => [...new Set(await t.data())];

describe('a late readback', () => {
  test('of a value that the submission should have written throws, each time', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(KiB, 2);
    const y = await failing(own, () => mul(x, 3));
    await expectLost(y);
    await expectLost(y);
    expect(await all(x)).toEqual([2]);
    expect(await all(mul(x, 3))).toEqual([6]);
  });

  test('of what was computed from it throws, of other values does not', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(KiB, 2);
    let before: Tensor[] = [];
    const y = await failing(
      own,
      () => mul(x, 3),
      (lost) => {
        before = [add(lost, 1), add(x, 1)];
      },
    );
    const [derived, clean] = before as [Tensor, Tensor];
    await expectLost(derived);
    expect(await all(clean)).toEqual([3]);
    await expectLost(add(y, 1));
    await expectLost(sum(concat([x, derived])));
    expect(await all(add(clean, 1))).toEqual([4]);
  });

  test('is not needed: a readback that was under way gets the error of the memory', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(KiB, 2);
    let reading: Promise<PromiseSettledResult<unknown>[]> | undefined;
    await failing(
      own,
      () => mul(x, 3),
      (lost) => {
        reading = Promise.allSettled([lost.data(), add(lost, 1).data(), x.data()]);
      },
    );
    // Errors of the device reject every readback that waits for them.
    for (const { status, reason } of (await reading) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toBeInstanceOf(OutOfMemoryError);
    }
    expect(await all(x)).toEqual([2]);
  });
});

describe('clean again', () => {
  test('a buffer that the pool hands out again', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(KiB, 2);
    let early: Tensor | undefined;
    const y = await failing(
      own,
      () => [mul(x, 3), mul(x, 4)],
      ([first]) => {
        const { buffer } = (first as Tensor).storage;
        first?.dispose();
        early = add(x, 5);
        expect(early.storage.buffer).toBe(buffer);
      },
    );
    expect(await all(early as Tensor)).toEqual([7]);
    const second = y[1] as Tensor;
    await expectLost(second);
    const { buffer } = second.storage;
    second.dispose();
    const late = add(x, 5);
    expect(late.storage.buffer).toBe(buffer);
    expect(await all(late)).toEqual([7]);
    expect(own.device.faults.tracker.isActive).toBe(false);
  });

  test('a buffer that the host writes', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(KiB, 2);
    const y = await failing(own, () => mul(x, 3));
    const { buffer } = y.storage;
    y.dispose();
    const z = tensor(new Float32Array(256).fill(7));
    expect(z.storage.buffer).toBe(buffer);
    expect(await all(z)).toEqual([7]);
  });

  test('a variable that is assigned again', async () => {
    await using own = await limited(64 * MiB);
    const v = variable(filled(KiB, 1));
    const x = filled(KiB, 2);
    await failing(own, () => void v.assign(mul(x, 3)));
    await expectLost(v);
    v.assign(mul(v, 2));
    await expectLost(v);
    v.assign(mul(x, 2));
    expect(await all(v)).toEqual([4]);
    expect(await all(add(v, 1))).toEqual([5]);
  });
});

describe('a compiled function', () => {
  /** `small` is copied out of each run, `large` has a buffer of its own. */
  function counter(x: Tensor) {
    const total = variable(tensor([0]));
    const f = compile((x: Tensor) => {
      total.assign(add(total, sum(x)));
      return { small: mul(total, 1), large: mul(x, 2) };
    });
    return { total, call: () => f(x) };
  }

  test('a replay in the submission: its results and its variables', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(256 * KiB, 1);
    const { total, call } = counter(x);
    const { small, large } = await failing(own, call);
    for (const lost of [small, large, total]) await expectLost(lost);
    const next = call();
    expect(await all(next.large)).toEqual([2]);
    await expectLost(next.small);
    total.assign(tensor([10]));
    for (let run = 1; run <= 3; run++) {
      const { small, large } = call();
      expect(await all(small)).toEqual([10 + run * x.size]);
      expect(await all(large)).toEqual([2]);
    }
    expect(await all(total)).toEqual([10 + 3 * x.size]);
  });

  test('replays after it, before the failure is known', async () => {
    await using own = await limited(64 * MiB);
    const x = filled(256 * KiB, 1);
    const { total, call } = counter(x);
    let next: ReturnType<typeof call> | undefined;
    await failing(own, call, () => {
      next = call();
    });
    await expectLost(total);
    await expectLost(next?.small as Tensor);
    expect(await all(next?.large as Tensor)).toEqual([2]);
  });

  test('a variable that a later replay replaces is clean', async () => {
    await using own = await limited(64 * MiB);
    const state = variable(filled(KiB, 1));
    const f = compile((x: Tensor) => {
      state.assign(mul(x, 2));
      return add(x, 1);
    });
    const x = filled(KiB, 3);
    await failing(own, () => f(x));
    await expectLost(state);
    for (let run = 0; run < 3; run++) {
      expect(await all(f(x))).toEqual([4]);
      expect(await all(state)).toEqual([6]);
    }
  });

  test('that is called on a lost value', async () => {
    await using own = await limited(64 * MiB);
    const f = compile((x: Tensor) => mul(add(x, 1), 2));
    const x = filled(KiB, 2);
    const y = await failing(own, () => mul(x, 3));
    for (let run = 0; run < 3; run++) {
      await expectLost(f(y));
      expect(await all(f(x))).toEqual([6]);
    }
  });
});

describe('training', () => {
  const small = () => {
    const x = input({ shape: [4] });
    return model({ inputs: x, outputs: layers.dense({ units: 2 }).apply(x) });
  };

  // On a slow host, fit yields after each step, so that errors arrive between two of them.
  test.each([
    [false, 0],
    [true, 0],
    [true, 20],
  ])('fit goes on with the weights that it has (eagerly: %s, %i ms a step)', async (runEagerly, delay) => {
    await using own = await limited(64 * MiB);
    const net = small();
    net.compile({ optimizer: 'adam', loss: 'mse', runEagerly });
    const [x, y] = [ones([64, 4]), ones([64, 2])];
    const train = () => net.fit(x, y, { epochs: 1, batchSize: 16, verbose: 0 });
    await train();
    const before = await Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
    const { budget } = own.room;
    own.device.allocator.trim();
    own.device.flush();
    own.room.budget = own.room.live;
    const { now } = performance;
    let late = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      late += delay;
      return now.call(performance) + late;
    });
    await expect(train()).rejects.toThrow(OutOfMemoryError);
    clock.mockRestore();
    own.room.budget = budget;
    const after = await Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
    expect(after).toEqual(before);
    const { history } = await train();
    expect(Number.isFinite(history.loss?.[0])).toBe(true);
  });

  test('a step of a loop is lost with its variables, until all are assigned again', async () => {
    await using own = await limited(64 * MiB);
    const weights = [variable(ones([4])), variable(ones([4]))];
    const sgd = optimizers.sgd({ learningRate: 0.5 });
    const step = () => {
      const loss = () => sum(mul(weights[0] as Tensor, weights[1] as Tensor));
      sgd.apply(gradients(loss, weights).gradients, weights);
    };
    await failing(own, step);
    for (const weight of weights) await expectLost(weight);
    for (const weight of weights) weight.assign(ones([4]));
    for (const weight of weights) expect(await all(weight)).toEqual([1]);
    step();
    for (const weight of weights) expect(await all(weight)).toEqual([0.5]);
  });
});
