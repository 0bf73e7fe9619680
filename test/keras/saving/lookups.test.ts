/** @file Models of Keras that begin with lookups (test/fixtures/keras/lookups.py), and inputs of bytes. */
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, model, modelFromJSON, modelToJSON } from '../../../src/keras/index.ts';
import type { TextLayer } from '../../../src/keras/saving/textLayers.ts';

const folder = new URL('../../fixtures/keras/lookups/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder));

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

test('learned integers give what they gave in Keras, also when saved again', async () => {
  const { inputs, outputs } = JSON.parse(read('integers.json').toString());
  const x = tensor(inputs, { dtype: 'int32' });
  const saved = new BytesTarget();
  for (const file of [read('integers.keras'), saved]) {
    const net = await loadModel(file instanceof BytesTarget ? file.bytes : file);
    const found = net.apply(x as never) as unknown as Tensor[];
    for (const [i, y] of found.entries())
      [...(await y.data())].forEach((value, j) => {
        expect(value).toBeCloseTo(outputs[i].flat()[j], 5);
      });
    if (file !== saved) await net.save(saved);
    net.dispose();
  }
});

test('a vocabulary of words is read from the file', async () => {
  const taken: TextLayer[] = [];
  const net = await loadModel(read('reviews.keras'), { onTextLayer: (layer) => taken.push(layer) });
  const [words] = taken as [layers.TextVectorization];
  // Words that occur twice in the texts of lookups.py, alphabetically backwards.
  expect(words.getVocabulary().slice(0, 6)).toEqual(['', '[UNK]', 'the', 'dog', 'cat', 'a']);
  const ids = words.apply(['the CAT, a dog', 'xyz']) as unknown as Tensor;
  expect(ids.shape).toEqual([2, 5]);
  expect([...(await ids.data())]).toEqual([2, 4, 5, 3, 0, 1, 0, 0, 0, 0]);
  expect((net.apply(ids as never) as unknown as Tensor).shape).toEqual([2, 2]);
  net.dispose();
});

test('hashes of integers are computed in front of a model', async () => {
  const taken: TextLayer[] = [];
  const net = await loadModel(read('hashes.keras'), { onTextLayer: (layer) => taken.push(layer) });
  const { inputs, outputs } = JSON.parse(read('hashes.json').toString());
  const hashed = taken.map((layer, i) => (layer as layers.Hashing).apply(inputs[i]));
  const y = net.apply(hashed as never) as unknown as Tensor;
  expect(y.shape).toEqual([2, 10]);
  [...(await y.data())].forEach((value, i) => {
    expect(value).toBeCloseTo(outputs.flat(3)[i], 5);
  });
  net.dispose();
  await expect(loadModel(read('hashes.keras'))).rejects.toThrow(/Hashing[\s\S]*onTextLayer/);
});

test('vocabularies that were given are in the configuration', async () => {
  const taken: TextLayer[] = [];
  const net = await loadModel(read('words_and_numbers.keras'), { onTextLayer: (layer) => taken.push(layer) });
  const { inputs, outputs } = JSON.parse(read('words_and_numbers.json').toString());
  const byName = new Map(taken.map((layer) => [layer.name, layer]));
  expect((byName.get('kinds') as layers.StringLookup).getVocabulary()).toEqual(['[UNK]', 'cat', 'dog']);
  const columns = (i: number) => inputs[i].map((word: string) => [word]);
  const given = net.inputs.map(({ name }) => {
    if (name === 'size') return tensor(inputs[2]);
    return (byName.get(name) as layers.StringLookup).apply(columns(name === 'kinds' ? 1 : 0));
  });
  const y = net.apply(given as never) as unknown as Tensor;
  [...(await y.data())].forEach((value, i) => {
    expect(value).toBeCloseTo(outputs.flat(3)[i], 5);
  });
  net.dispose();
});

test('hashes of several features are computed in front of a model, whose other inputs stay', async () => {
  const taken: TextLayer[] = [];
  const net = await loadModel(read('crossed.keras'), { onTextLayer: (layer) => taken.push(layer) });
  const { inputs, outputs } = JSON.parse(read('crossed.json').toString());
  const { kind, city, size } = inputs;
  const [pair, sizes, letters] = ['pair', 'sizes', 'letters'].map((name) =>
    taken.find((layer) => layer.name === name),
  ) as [layers.HashedCrossing, layers.HashedCrossing, layers.TextVectorization];
  expect(Object.keys(net.input).sort()).toEqual(['letters', 'pair', 'size', 'sizes']);
  const y = net.apply({
    pair: pair.apply([kind, city]),
    sizes: sizes.apply([city, size]),
    letters: letters.apply(kind),
    size: tensor(size, { dtype: 'int32' }),
  } as never) as unknown as Tensor;
  [...(await y.data())].forEach((value, i) => {
    expect(value).toBeCloseTo(outputs.flat(3)[i], 5);
  });
  net.dispose();
});

test('an input of bytes stays one in files, and takes integers', async () => {
  const x = input({ shape: [2, 2, 1], dtype: 'int32', name: 'picture' });
  const made = model({ inputs: x, outputs: layers.rescaling({ scale: 1 / 255 }).apply(x) });
  const json = modelToJSON(made).replaceAll('"int32"', '"uint8"');
  const net = modelFromJSON(json);
  expect(JSON.parse(modelToJSON(net))).toEqual(JSON.parse(json));
  const pixels = Uint8Array.of(0, 51, 102, 255);
  const y = net.apply(tensor([...pixels], { shape: [1, 2, 2, 1], dtype: 'int32' }) as never);
  const values = [...(await (y as unknown as Tensor).data())];
  [0, 0.2, 0.4, 1].forEach((value, i) => {
    expect(values[i]).toBeCloseTo(value, 6);
  });
});
