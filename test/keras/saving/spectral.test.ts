/** @file A wrapper that Keras saves with a weight of the layer inside (test/fixtures/keras/spectral.py), read and written. */
import fs from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import wanted from '../../fixtures/keras/spectral.json' with { type: 'json' };

const file = fs.readFileSync(new URL('../../fixtures/keras/spectral.keras', import.meta.url));

beforeAll(async () => {
  await init();
});

test('spectral normalization is read, and read again from what is written', async () => {
  const first = await loadModel(file);
  const target = new BytesTarget();
  await first.save(target);
  const second = await loadModel(target.bytes);
  for (const net of [first, second]) {
    for (const [i, { values }] of wanted.weights.entries())
      expect([...((await net.weights[i]?.data()) ?? [])]).toEqual(values.map(Math.fround));
    const y = await (net.apply(tensor(wanted.x)) as Tensor).array();
    for (const [i, row] of (y as number[][]).entries())
      for (const [j, value] of row.entries()) expect(value).toBeCloseTo(wanted.y[i]?.[j] as number, 5);
  }
});
