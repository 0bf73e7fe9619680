/**
 * @file Models of Keras whose layers are called on masked tensors and initial states: of Keras 3, which doesn't mask such calls
 * (test/fixtures/keras/masks.py), and of Keras 2, which does (older_masks.py).
 */
import fs from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { modelToConfig } from '../../../src/keras/json/write.ts';

type Values = number | readonly Values[];

const folder = new URL('../../fixtures/keras/', import.meta.url);
interface Cases {
  readonly words: number[][];
  readonly outputs: Record<string, Values>;
}
const casesIn = (name: string) => JSON.parse(fs.readFileSync(new URL(name, folder), 'utf8')) as Cases;
const current = casesIn('masks.json');
const older = casesIn('older_masks.json');
const files = [
  ...Object.entries(current.outputs).map(([name, wanted]) => [`masks/${name}.keras`, wanted] as const),
  ...Object.entries(older.outputs).flatMap(([name, wanted]) => [
    [`older_masks/${name}.keras`, wanted] as const,
    [`older_masks/${name}.h5`, wanted] as const,
  ]),
];

const flat = (values: Values): number[] => (typeof values === 'number' ? [values] : values.flatMap(flat));

beforeAll(async () => {
  await init();
});

for (const [name, wanted] of files) {
  test(`${name} computes what Keras does, and so does what is written`, async () => {
    const first = await loadModel(fs.readFileSync(new URL(name, folder)));
    const target = new BytesTarget();
    await first.save(target);
    const second = await loadModel(target.bytes);
    for (const net of [first, second]) {
      const y = flat(await (net.apply(tensor(current.words, { dtype: 'int32' })) as Tensor).array());
      for (const [i, value] of flat(wanted).entries()) expect(y[i]).toBeCloseTo(value, 5);
    }
  });
}

test('masks of a Keras 2 model that is saved for Keras 3 are written where the graph knows them', async () => {
  const net = await loadModel(fs.readFileSync(new URL('older_masks/lstm.keras', folder)));
  const target = new BytesTarget();
  await net.save(target);
  const calls = JSON.stringify(modelToConfig(net as never)).match(
    /"mask":\{"class_name":"__keras_tensor__"/g,
  );
  expect(calls?.length).toBeGreaterThan(0);
  expect(net.optimizer?.className).toBe('Adam');
});
