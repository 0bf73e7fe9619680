/** @file A model that Keras saved with two optimizers goes on training as in Keras (test/fixtures/optimizers/multi_model.py). */
import fs from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { init, tensor } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import multi from '../../fixtures/optimizers/multi.json' with { type: 'json' };

const file = new URL('../../fixtures/optimizers/multi.keras', import.meta.url);
const after: Readonly<Record<string, readonly number[] | undefined>> = multi.weights;

beforeAll(async () => {
  await init();
});

test("Keras's file of a model with two optimizers goes on training as in Keras", async () => {
  const net = await loadModel(fs.readFileSync(file));
  await net.fit(tensor(multi.x), tensor(multi.y), { batchSize: 4, verbose: 0 });
  for (const weight of net.weights) {
    const wanted = after[weight.path] ?? [];
    const values = await weight.data();
    expect(values.length).toBe(wanted.length);
    wanted.forEach((value, i) => {
      const error = Math.abs((values[i] as number) - value);
      expect(error).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(value)));
    });
  }
});
