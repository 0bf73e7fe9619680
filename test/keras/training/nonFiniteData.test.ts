/**
 * @file NaN and infinities in data, under `checkNumerics`: the error refers to the data, not to the ops that slice batches from
 * them.
 */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { checkNumerics, init, NonFiniteError, tensor } from '../../../src/index.ts';
import { layers, sequential } from '../../../src/keras/index.ts';
import { wave } from './support.ts';

beforeAll(async () => {
  await init();
});

afterEach(() => {
  checkNumerics(false);
});

function network() {
  const net = sequential({ layers: [layers.dense({ units: 1 })] });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  checkNumerics();
  return net;
}

/** 12 samples of two features, the second of sample 7 being `value`. */
function spoiled(value: number, shape: readonly number[] = [12, 2], at = 15): Float32Array {
  const values = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i));
  values[at] = value;
  return values;
}

const x = (value: number) => tensor(spoiled(value), { shape: [12, 2] });

test.each<[string, (net: ReturnType<typeof network>) => Promise<unknown>, RegExp]>([
  [
    'shuffled batches',
    (net) => net.fit(x(Number.NaN), wave([12, 1]), { batchSize: 4 }),
    /fit: the data hold NaN: sample 7 of `x`, at position \[1\]/,
  ],
  [
    'batches in order',
    (net) => net.fit(x(Number.POSITIVE_INFINITY), wave([12, 1]), { batchSize: 4, shuffle: false }),
    /hold Infinity: sample 7 of `x`/,
  ],
  [
    'targets',
    (net) => net.fit(wave([12, 2]), spoiled(Number.NaN, [12], 3), { batchSize: 4 }),
    /sample 3 of `y`/,
  ],
  [
    'batches of a generator',
    (net) => {
      const batches = function* () {
        yield [wave([4, 2]), wave([4, 1])];
        yield [
          tensor([
            [1, 2],
            [Number.NaN, 3],
          ]),
          wave([2, 1]),
        ];
      };
      return net.fit(batches);
    },
    /sample 1 of `x`, at position \[0\]/,
  ],
  [
    'evaluation',
    (net) => net.evaluate(x(Number.NaN), wave([12, 1]), { batchSize: 5 }),
    /evaluate: the data hold NaN: sample 7/,
  ],
])('in %s', async (_, run, message) => {
  const net = network();
  const failed = await run(net).then(
    () => null,
    (error: Error) => error,
  );
  expect(failed).toBeInstanceOf(NonFiniteError);
  expect(failed?.message).toMatch(message);
  expect(failed?.message).not.toMatch(/output 0|gather|slice/);
});

test('data without them train as usual', async () => {
  const { history } = await network().fit(wave([12, 2]), wave([12, 1]), { batchSize: 4 });
  expect(history.loss?.[0]).toBeGreaterThan(0);
});
