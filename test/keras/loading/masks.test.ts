/** @file Models of Keras whose layers are called on masked tensors and initial states (test/fixtures/keras/masks.py). */
import fs from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';

type Values = number | readonly Values[];

const folder = new URL('../../fixtures/keras/', import.meta.url);
const { words, outputs } = JSON.parse(fs.readFileSync(new URL('masks.json', folder), 'utf8')) as {
  words: number[][];
  outputs: Record<string, Values>;
};

const flat = (values: Values): number[] => (typeof values === 'number' ? [values] : values.flatMap(flat));

beforeAll(async () => {
  await init();
});

for (const [name, wanted] of Object.entries(outputs)) {
  test(`${name} computes what Keras does, and so does what is written`, async () => {
    const first = await loadModel(fs.readFileSync(new URL(`masks/${name}.keras`, folder)));
    const target = new BytesTarget();
    await first.save(target);
    const second = await loadModel(target.bytes);
    for (const net of [first, second]) {
      const y = flat(await (net.apply(tensor(words, { dtype: 'int32' })) as Tensor).array());
      for (const [i, value] of flat(wanted).entries()) expect(y[i]).toBeCloseTo(value, 5);
    }
  });
}
