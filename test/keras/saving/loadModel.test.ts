/** @file Whole models from files of Keras: `.keras` and the older `.h5`. */
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesSource } from '../../../src/formats/byteSource.ts';
import { openKerasArchive } from '../../../src/formats/keras/index.ts';
import { writeZip, ZipArchive } from '../../../src/formats/zip/index.ts';
import { init, memory, type Tensor, tensor } from '../../../src/index.ts';
import { loadModel, readSafetensors } from '../../../src/io/index.ts';
import { matchPaths } from '../../../src/keras/saving/matchPaths.ts';
import { clearSession } from '../../../src/keras/index.ts';

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
    // Tensors that earlier tests dropped may have been collected.
    expect(memory().tensors).toBeLessThanOrEqual(before);
  });
});

test('an unknown metric class is reported when the model is loaded, with how to register it', async () => {
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
  expect(memory().tensors).toBeLessThanOrEqual(before);
  (await loadModel(file, { compile: false })).dispose();
});
