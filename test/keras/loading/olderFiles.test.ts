/** @file Files of Keras 2 (test/fixtures/keras/older.py): they predict, measure and train as there. */
import fs from 'node:fs';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { init, mul, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession } from '../../../src/keras/index.ts';

interface Values {
  shape: number[];
  dtype: 'float32' | 'int32';
  data: number[];
}

interface Case {
  file: string;
  input: Values;
  output: Values;
  tolerance?: number;
  lambdas?: string[];
  targets?: Values;
  measured?: Record<string, number>;
  losses?: number[];
}

const fixtures = new URL('../../fixtures/keras/', import.meta.url);
const cases: Case[] = JSON.parse(fs.readFileSync(new URL('older.json', fixtures), 'utf8'));
const original = (file: string) => fs.readFileSync(new URL(`older/${file}`, fixtures));

beforeAll(async () => {
  await init();
});
beforeEach(() => {
  clearSession();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const made = ({ data, shape, dtype }: Values) => tensor(data, { shape, dtype });

function expectClose(values: ArrayLike<number>, wanted: readonly number[], tolerance: number) {
  expect(values.length).toBe(wanted.length);
  const worst = Array.from(values, (value, i) => Math.abs(value - (wanted[i] as number)));
  expect(Math.max(...worst)).toBeLessThanOrEqual(tolerance);
}

const isLost = ({ file }: Case) => file.startsWith('lost');

test.each(cases.map((found) => [found.file, found] as const))('%s', async (file, found) => {
  const { input, output, tolerance = 1e-5, targets, measured, losses } = found;
  const lambdas = Object.fromEntries(
    (found.lambdas ?? []).map((name) => [name, (x: unknown) => mul(x as Tensor, 2) as never]),
  );
  const net = await loadModel(original(file), { lambdas });
  const x = made(input);
  const predicted = await (net.apply(x, { training: false }) as Tensor).data();
  expectClose(predicted, output.data, tolerance);
  if (isLost(found)) {
    const [said, ...more] = vi.mocked(console.warn).mock.calls.flat().map(String);
    expect(said).toMatch(/isn't compiled.*squares/);
    expect(more).toEqual([]);
    return;
  }
  if (targets && measured && losses) {
    expect(console.warn).not.toHaveBeenCalled();
    const y = made(targets);
    const values = (await net.evaluate(x, y, {
      batchSize: 4,
      returnDict: true,
      verbose: 0,
    })) as unknown as typeof measured;
    expectClose(
      Object.keys(measured).map((name) => values[name] as number),
      Object.values(measured),
      1e-5,
    );
    const more = { batchSize: 4, epochs: 2, shuffle: false, verbose: 0 } as const;
    const { history } = await net.fit(x, y, more);
    expectClose(history.loss as number[], losses, 1e-5);
    return;
  }
  if (found.lambdas) return;
  // Saved as of Keras 3.
  const target = new BytesTarget();
  await net.save(target);
  const again = await loadModel(target.bytes);
  expect(await (again.apply(x, { training: false }) as Tensor).data()).toEqual(predicted);
});
