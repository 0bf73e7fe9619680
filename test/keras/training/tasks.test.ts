/** @file Training while other tasks of the app compute: neither affects the other. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  gather,
  GradientTape,
  getDevice,
  IndexOutOfRangeError,
  init,
  mul,
  ones,
  scope,
  sum,
  type Tensor,
  tensor,
  variable,
} from '../../../src/index.ts';
import { input, layers, model } from '../../../src/keras/index.ts';
import { data, regressor, weightsOf } from './support.ts';

beforeAll(async () => {
  await init();
});

// Clears unread faults, so that they don't affect the next test.
afterEach(() =>
  getDevice()
    .sync()
    .catch(() => {}),
);

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
const bad = () => gather(tensor([1, 2, 3]), tensor([0, 3], { dtype: 'int32' }));
const fault = (readback: Promise<unknown>) => expect(readback).rejects.toThrow(IndexOutOfRangeError);

function compiled() {
  const net = regressor();
  net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'] });
  return net;
}

/** Returns a model of tokens 0 to 4. */
function embedder() {
  const tokens = input({ shape: [2], dtype: 'int32' });
  const table = layers.embedding({ inputDim: 5, outputDim: 2 });
  const top = layers.dense({ units: 1 });
  const net = model({ inputs: tokens, outputs: top.apply(layers.flatten().apply(table.apply(tokens))) });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  return net;
}
const tokens = [
  [0, 1],
  [2, 3],
  [4, 0],
  [1, 9],
];

/** Runs `body` repeatedly until `run` is done. */
async function meanwhile<T>(run: Promise<T>, body: () => unknown): Promise<T> {
  let isDone = false;
  const settled = run.finally(() => {
    isDone = true;
  });
  settled.catch(() => {});
  while (!isDone) {
    await body();
    await turn();
  }
  return settled;
}

describe('a fault elsewhere', () => {
  test('does not abort fit, evaluate or predict', async () => {
    const net = compiled();
    const [x, y] = data(24);
    const wrong: Tensor[] = [];
    const collect = () => void wrong.push(bad());
    collect();
    const history = await meanwhile(net.fit(x, y, { epochs: 6, batchSize: 2 }), collect);
    expect(history.epoch).toHaveLength(6);
    await meanwhile(net.evaluate(x, y, { batchSize: 2 }), collect);
    await meanwhile(net.predict(x, { batchSize: 2 }), collect);
    collect();
    await net.trainOnBatch(x, y);
    for (const each of wrong) await fault(each.data());
  });

  test('does not abort it if its tensor is gone; sync throws it', async () => {
    const net = compiled();
    const [x, y] = data(6);
    bad().dispose();
    await net.fit(x, y, { epochs: 2 });
    await fault(getDevice().sync());
  });

  test('aborts it if its data depend on the fault', async () => {
    const net = compiled();
    const [x, y] = data(2);
    const spoiled = mul(gather(x, tensor([0, 2], { dtype: 'int32' })), 1);
    await fault(net.fit(spoiled, y));
    const [other] = data(2);
    expect((await net.fit(other, y)).epoch).toEqual([0]);
  });
});

describe('a fault of fit', () => {
  const y = [1, 2, 3, 4];

  test.each([
    ['captured', false],
    ['eager', true],
  ])('ends it, no matter what else reads meanwhile (%s steps)', async (_, runEagerly) => {
    const net = embedder();
    net.compile({ optimizer: 'sgd', loss: 'mse', runEagerly });
    const good = ones([2]);
    const run = net.fit(tokens, y, { batchSize: 1, epochs: 3, shuffle: false });
    await fault(meanwhile(run, async () => expect(await mul(good, 2).array()).toEqual([2, 2])));
    await getDevice().sync();
    for (const values of await weightsOf(net)) expect(values.every(Number.isFinite)).toBe(true);
    const fine = tokens.slice(0, 3);
    expect((await net.fit(fine, y.slice(0, 3))).epoch).toEqual([0]);
  });

  test('ends it even if a sync elsewhere throws it, too', async () => {
    const run = embedder().fit(tokens, y, { batchSize: 1, epochs: 3, shuffle: false });
    const settled = meanwhile(run, () =>
      getDevice()
        .sync()
        .catch(() => {}),
    );
    await fault(settled);
  });

  test.each([1, 2, 4])('counts as reported once it has ended (batches of %i)', async (batchSize) => {
    const net = embedder();
    await fault(net.fit(tokens, y, { batchSize, shuffle: false }));
    expect((await weightsOf(net)).flat().every(Number.isFinite)).toBe(true);
    await getDevice().sync();
  });

  test('is not hidden by an abort, and comes after the error of a callback', async () => {
    const stop = new AbortController();
    // The first batch is at fault, and the run ends before the second.
    const run = (end: () => void, signal?: AbortSignal) =>
      embedder().fit(tokens.toReversed(), y, {
        batchSize: 2,
        shuffle: false,
        ...(signal ? { signal } : {}),
        callbacks: { onTrainBatchBegin: (batch) => void (batch === 1 && end()) },
      });
    await fault(run(() => stop.abort(), stop.signal));
    const failed = run(() => {
      throw new RangeError('of the callback');
    });
    await expect(failed).rejects.toThrow('of the callback');
    await fault(getDevice().sync());
  });

  test('does not end another fit', async () => {
    const [first, second] = [embedder(), embedder()];
    const fine = tokens.slice(0, 3);
    const [a, b] = await Promise.allSettled([
      first.fit(tokens, y, { batchSize: 1, epochs: 4, shuffle: false }),
      second.fit(fine, y.slice(0, 3), { batchSize: 1, epochs: 4 }),
    ]);
    expect(a.status).toBe('rejected');
    expect(b.status).toBe('fulfilled');
    await getDevice().sync();
  });

  test('in evaluate and predict ends them', async () => {
    const net = embedder();
    await fault(net.evaluate(tokens, y, { batchSize: 1 }));
    await fault(net.predict(tokens, { batchSize: 1 }));
    await fault(net.testOnBatch(tokens, y));
    await getDevice().sync();
  });
});

describe('an open tape elsewhere', () => {
  test('records nothing of a run, whose steps are replayed', async () => {
    const net = compiled();
    const [x, y] = data(12);
    const w = variable(tensor([2]));
    const tape = new GradientTape();
    const loss = sum(mul(w, w));
    const recorded = tape.trace.length;
    await net.fit(x, y, { epochs: 2, batchSize: 4, validationData: [x, y] });
    await net.evaluate(x, y);
    await net.predict(x, { batchSize: 4 });
    await net.trainOnBatch(x, y);
    await net.testOnBatch(x, y);
    expect(tape.trace).toHaveLength(recorded);
    expect(tape.isRecording).toBe(true);
    expect(await (tape.gradient(loss, w) as Tensor).array()).toEqual([4]);
  });

  test('that is opened and closed while a run waits neither loses its calls nor records others', async () => {
    const net = compiled();
    const [x, y] = data(12);
    let rounds = 0;
    await meanwhile(net.fit(x, y, { epochs: 8, batchSize: 2 }), async () => {
      const w = variable(tensor([rounds]));
      using tape = new GradientTape();
      const squared = mul(w, w);
      await turn();
      const loss = sum(squared);
      expect(tape.trace).toHaveLength(2);
      expect(await (tape.gradient(loss, w) as Tensor).array()).toEqual([2 * rounds]);
      rounds++;
    });
    expect(rounds).toBeGreaterThan(0);
  });

  test('records the calls that the app itself makes of a model', async () => {
    const net = compiled();
    const [x] = data(2);
    using tape = new GradientTape();
    const loss = sum(net.apply(x));
    expect(tape.gradient(loss, net.trainableWeights[0] as Tensor)).not.toBeNull();
  });
});

test('an open scope elsewhere frees nothing of a run', async () => {
  const net = compiled();
  const [x, y] = data(12);
  const run = (async () => {
    using _ = scope();
    const fitting = net.fit(x, y, { epochs: 4, batchSize: 2 });
    const predicting = net.predict(x, { batchSize: 4 });
    return { fitting, predicting };
  })();
  const { fitting, predicting } = await run;
  expect((await fitting).epoch).toHaveLength(4);
  expect((await (await predicting).data()).length).toBe(12);
});
