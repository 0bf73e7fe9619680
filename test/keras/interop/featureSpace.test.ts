/** @file Keras opens feature spaces, and models of their graphs, that are saved here. `npm run test:keras`, with TensorFlow. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { init, type Tensor } from '../../../src/index.ts';
import { layers, model, utils } from '../../../src/keras/index.ts';

const { FeatureSpace } = utils;
const python = process.env.RETROGRAD_KERAS_PYTHON;
const script = fileURLToPath(new URL('./feature_space.py', import.meta.url));
// Keras's own feature spaces are made of TensorFlow's datasets.
const hasTensorFlow =
  !!python && spawnSync(python, ['-c', 'import tensorflow'], { stdio: 'ignore' }).status === 0;

const count = 70;
const words = ['a', 'größe', 'long word', ''];
const table = {
  age: Array.from({ length: count }, (_, i) => Math.sin(i) * 20 + 50),
  size: Array.from({ length: count }, (_, i) => (i * 37) % 101),
  kind: Array.from({ length: count }, (_, i) => words[(i * i) % 4] as string),
  code: Array.from({ length: count }, (_, i) => ((i * 7919) % 1000) - 500),
};
const fresh = { age: [40, 50.5], size: [3, 200], kind: ['a', 'unseen'], code: [-500, 12345] };

const spaces = {
  joined: new FeatureSpace({
    features: {
      age: 'floatNormalized',
      size: 'floatDiscretized',
      kind: 'stringCategorical',
      code: 'integerHashed',
    },
    crosses: [['kind', 'code']],
    numDiscretizationBins: 4,
  }),
  apart: new FeatureSpace({
    features: {
      age: 'float',
      size: FeatureSpace.floatRescaled(0.5, 1),
      kind: FeatureSpace.feature(
        'string',
        layers.textVectorization({ outputMode: 'tfIdf', split: 'character' }),
        'float',
      ),
      code: FeatureSpace.integerCategorical({ maxTokens: 20, numOovIndices: 2, outputMode: 'int' }),
    },
    outputMode: 'dict',
  }),
};

const valuesOf = async (found: Tensor | Record<string, Tensor>) => {
  const read = async (x: Tensor) => Array.from(await x.data());
  if (!('data' in found)) {
    const entries = Object.entries(found).map(async ([name, x]) => [name, await read(x)]);
    return Object.fromEntries(await Promise.all(entries));
  }
  return read(found as Tensor);
};

const flat = (value: unknown): number[] =>
  Array.isArray(value)
    ? value
    : Object.keys(value as object)
        .toSorted()
        .flatMap((key) => (value as never)[key]);

const compare = (found: unknown, expected: unknown) => {
  const [a, b] = [flat(found), flat(expected)];
  expect(a).toHaveLength(b.length);
  a.forEach((value, i) => {
    expect(value).toBeCloseTo(b[i] as number, 4);
  });
};

test.runIf(hasTensorFlow)(
  'Keras returns the same features, and reads them again',
  { timeout: 300_000 },
  async () => {
    await init();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'features-'));
    for (const [name, space] of Object.entries(spaces)) {
      await space.adapt(table);
      await space.save(path.join(folder, `${name}.keras`));
    }
    const { joined } = spaces;
    const net = model({
      inputs: joined.getInputs(),
      outputs: layers.dense(2).apply(joined.getEncodedFeatures()),
    });
    await net.save(path.join(folder, 'model.keras'));
    const given = joined.toInputs(fresh);
    const columns = Object.entries(given).map(async ([name, x]) => [name, await x.array()]);
    const inputs = Object.fromEntries(await Promise.all(columns));
    const cases = { spaces: { joined: fresh, apart: fresh }, inputs, floats: ['age', 'size'] };
    fs.writeFileSync(path.join(folder, 'cases.json'), JSON.stringify(cases));
    const { status, stderr } = spawnSync(python as string, [script, folder], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const results = JSON.parse(fs.readFileSync(path.join(folder, 'results.json'), 'utf8'));
    for (const [name, space] of Object.entries(spaces)) {
      compare(await valuesOf(space.apply(fresh)), results[name]);
      const again = await FeatureSpace.load<'concat' | 'dict'>(path.join(folder, `${name}.again.keras`));
      compare(await valuesOf(again.apply(fresh)), results[name]);
    }
    compare(await valuesOf(net.apply(given as never) as unknown as Tensor), results.model);
  },
);
