/** @file Whole models from files of Keras: `.keras` and the older `.h5`. */
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive } from '../../../src/formats/keras/index.ts';
import { writeZip, ZipArchive } from '../../../src/formats/zip/index.ts';
import { FormatError, init, memory, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel, readSafetensors } from '../../../src/io/index.ts';
import { matchPaths } from '../../../src/keras/saving/matchPaths.ts';
import type { TextLayer } from '../../../src/keras/saving/textLayers.ts';
import { clearSession, input, layers, model, sequential } from '../../../src/keras/index.ts';
import type { Loose } from '../json/support.ts';

const folder = new URL('../../fixtures/models/', import.meta.url);
const read = (path: string) => fs.readFileSync(new URL(path, folder));
const names = fs.readdirSync(folder).filter((name) => name !== 'lambda_model');

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

describe.each(names)('%s', (name) => {
  test.each(['model.keras', 'model.h5'])('%s', async (file) => {
    const before = memory().tensors;
    const net = await loadModel(read(`${name}/${file}`), { file });
    const wanted = readSafetensors(read(`${name}/weights.safetensors`)).tensors;
    const { io, count } = {
      io: readSafetensors(read(`${name}/io.safetensors`)).tensors,
      count: net.inputs.length,
    };
    expect(net.summary({ print: () => {}, lineLength: 80 }).trim()).toBe(
      read(`${name}/summary.txt`).toString().trim(),
    );
    expect(net.weights.length).toBe(wanted.size);
    const matched = matchPaths(
      net.weights.map(({ path }) => path),
      [...wanted.keys()],
    );
    for (const weight of net.weights) {
      const expected = wanted.get(matched.get(weight.path) as string)?.data;
      expect(
        expected &&
          Buffer.compare(
            Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength),
            Buffer.from((await weight.data()).buffer),
          ),
        weight.path,
      ).toBe(0);
    }
    const inputs = Array.from({ length: count }, (_, i) => {
      const { data, shape, dtype } = io.get(`x${i}`) as never as {
        data: Float32Array;
        shape: number[];
        dtype: 'float32';
      };
      return tensor(data, { shape, dtype });
    });
    const outputs = [(net.apply as (x: unknown) => Tensor)(count === 1 ? inputs[0] : inputs)].flat();
    for (const [i, output] of outputs.entries()) {
      const values = await output.data();
      const expected = io.get(`output${i}`)?.data as Float32Array;
      const largest = Math.max(...expected.map((value, j) => Math.abs(value - (values[j] as number))));
      expect(largest).toBeLessThan(1e-4);
      output.dispose();
    }
    for (const x of inputs) x.dispose();
    net.dispose();
    expect(memory().tensors).toBe(before);
  });
});

describe('a model of Keras that begins with strings', () => {
  const asset = 'assets/layers/text_vectorization/vocabulary.txt';
  const options = {
    ...{ name: 'words', max_tokens: null, standardize: 'lower', split: 'whitespace', ngrams: null },
    ...{
      output_mode: 'int',
      output_sequence_length: 3,
      pad_to_max_tokens: false,
      sparse: false,
      ragged: false,
    },
    ...{ vocabulary: null, idf_weights: null, encoding: 'utf-8', vocabulary_size: 4, trainable: true },
  };
  const described = (className: string, config: object) => ({
    ...{ module: 'keras.layers', class_name: className, config, registered_name: null },
  });
  const text = (shape: unknown[], name: string) =>
    described('InputLayer', { batch_shape: shape, dtype: 'string', name });

  /** Returns a file of `net`, with another configuration and the vocabulary of its words. */
  async function withWords(
    net: { save(target: BytesTarget): Promise<void> },
    change: (config: Loose) => void,
  ) {
    const target = new BytesTarget();
    await net.save(target);
    const archive = await openKerasArchive(await ZipArchive.open(bytesSource(target.bytes, 'net.keras')));
    const config = JSON.parse(archive.config);
    change(config.config);
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const utf8 = (value: string) => [new TextEncoder().encode(value)];
    const zip = writeZip([
      { name: 'config.json', pieces: utf8(JSON.stringify(config)) },
      { name: 'model.weights.h5', pieces: [await archive.weights.read(0, archive.weights.size)] },
      { name: asset, pieces: utf8('\n[UNK]\nü\ncat') },
    ]);
    for await (const piece of zip) pieces.push(piece.slice());
    return new Blob(pieces);
  }

  test('is loaded from its numbers on, with the layer for its strings', async () => {
    const net = sequential([
      input({ shape: [3], dtype: 'int32' }),
      layers.embedding({ inputDim: 4, outputDim: 2 }),
      layers.flatten(),
    ]);
    const file = await withWords(net, (config) => {
      config.build_input_shape = [null];
      config.layers.splice(0, 1, text([null], 'text'), described('TextVectorization', options));
    });
    await expect(loadModel(file)).rejects.toThrow(/hold no strings[\s\S]*'words'[\s\S]*onTextLayer/);
    const found: TextLayer[] = [];
    const again = await loadModel(file, { onTextLayer: (layer) => found.push(layer) });
    const tokens = (found[0] as layers.TextVectorization).apply(['A Cat ü', 'cat']);
    expect([...(await tokens.data())]).toEqual([1, 3, 2, 3, 0, 0]);
    expect(await (again.apply(tokens) as Tensor).array()).toEqual(await net.apply(tokens).array());
  });

  test('may be a graph with other inputs; strings elsewhere are rejected', async () => {
    const [ids, size] = [
      input({ shape: [3], dtype: 'int32', name: 'words' }),
      input({ shape: [1], name: 'size' }),
    ];
    const h = layers.flatten().apply(layers.embedding({ inputDim: 4, outputDim: 2 }).apply(ids));
    const net = model({ inputs: { ids, size }, outputs: layers.concatenate().apply([h, size]) });
    const reference = (name: string) => ({
      class_name: '__keras_tensor__',
      config: { shape: [null, 1], dtype: 'string', keras_history: [name, 0, 0] },
    });
    const cut = (from: string) => (config: Loose) => {
      const at = config.layers.findIndex(({ name }: Loose) => name === 'words');
      const words = {
        ...described('TextVectorization', options),
        ...{ name: 'words', inbound_nodes: [{ args: [reference(from)], kwargs: {} }] },
      };
      const inputLayer = { ...text([null, 1], 'text'), name: 'text', inbound_nodes: [] };
      config.layers.splice(at, 1, inputLayer, words);
      config.input_layers.ids = ['text', 0, 0];
    };
    const found: TextLayer[] = [];
    const onTextLayer = (layer: TextLayer) => found.push(layer);
    const again = (await loadModel(await withWords(net, cut('text')), { onTextLayer })) as Loose;
    const x = { ids: (found[0] as layers.TextVectorization).apply(['cat', 'ü x']), size: tensor([[1], [2]]) };
    expect(await again.apply(x).array()).toEqual(await net.apply(x as never).array());
    await expect(loadModel(await withWords(net, cut('size')), { onTextLayer })).rejects.toThrow(FormatError);
    const other = cut('flatten');
    await expect(loadModel(await withWords(net, other), { onTextLayer })).rejects.toThrow(
      /first behind inputs/,
    );
  });
});

test('a metric of a class that is not known is named as the model is loaded, with how to make it known', async () => {
  const bytes = read('mlp_classifier/trained.keras');
  const archive = await openKerasArchive(await ZipArchive.open(bytesSource(bytes, 'model.keras')));
  const config = JSON.parse(archive.config);
  config.compile_config.metrics = [
    { module: 'mine', class_name: 'Sharpness', config: {}, registered_name: 'mine>Sharpness' },
  ];
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const zip = writeZip([
    { name: 'config.json', pieces: [new TextEncoder().encode(JSON.stringify(config))] },
    { name: 'model.weights.h5', pieces: [await archive.weights.read(0, archive.weights.size)] },
  ]);
  for await (const piece of zip) pieces.push(piece);
  const file = new Blob(pieces);
  const before = memory().tensors;
  await expect(loadModel(file)).rejects.toThrow(/mine>Sharpness[\s\S]*registerClass/);
  expect(memory().tensors).toBe(before);
  (await loadModel(file, { compile: false })).dispose();
});
