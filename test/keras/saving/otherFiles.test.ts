/** @file Files of other kinds, as people pass them by mistake: the error identifies each, and says what to do. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeZip } from '../../../src/formats/zip/index.ts';
import { FormatError, init } from '../../../src/index.ts';
import { loadModel } from '../../../src/io/index.ts';
import { input, layers, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const tar = (text: string) => bytesOf(`${text.padEnd(257, '\0')}ustar\0`.padEnd(600, '\0'));

async function zipOf(...names: string[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const entries = names.map((name) => ({ name, pieces: [bytesOf('x')] }));
  for await (const piece of writeZip(entries)) parts.push(piece.slice());
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * First bytes as TensorFlow 2.21 and its converter to TensorFlow Lite write them; those of ONNX are by its format's definition.
 */
const cases: readonly [string, Uint8Array | (() => Promise<Uint8Array>), received: RegExp, hint: RegExp][] = [
  [
    'index.html',
    bytesOf('\n<!DOCTYPE html><html><body>404</body></html>'),
    /an HTML page/,
    /check the address/,
  ],
  ['login.h5', bytesOf('\xef\xbb\xbf<HTML lang="en"></HTML>'), /an HTML page/, /login/],
  [
    's3.keras',
    bytesOf('<?xml version="1.0"?><Error><Code>NoSuchKey'),
    /an XML document/,
    /check the address/,
  ],
  [
    'lfs.safetensors',
    bytesOf(`version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 553433881\n`),
    /Git LFS to a file of 553433881 bytes/,
    /git lfs pull/,
  ],
  [
    'saved_model.pb',
    bytesOf('\x08\x01\x12\xd9\xaa\x01\n\xd6\x0e\x12\xa6\x0e\n^'),
    /saved_model\.pb/,
    /model\.save\(/,
  ],
  ['net.onnx', bytesOf('\x08\x08\x12\x07pytorch\x1a\x052.0.1:\xaf\x05\n'), /an ONNX model/, /torch\.save/],
  ['net.tflite', bytesOf('\x1c\0\0\0TFL3\x14\0 \0\x1c\0'), /TensorFlow Lite/, /made from/],
  ['net.gguf', bytesOf('GGUF\x03\0\0\0'), /GGUF/, /safetensors/],
  ['weights.npy', bytesOf("\x93NUMPY\x01\0v\0{'descr': '<f4'}"), /an array of NumPy/, /save_weights/],
  ['net.pkl', bytesOf('\x80\x04\x95\n\0\0\0\0\0\0\0}'), /a pickle/, /state dictionary/],
  ['net.h5.gz', bytesOf('\x1f\x8b\x08\0'), /gzip/, /unpack/],
  ['net.tar', tar('model.keras'), /tar archive/, /unpack/],
  ['weights.npz', () => zipOf('arr_0.npy'), /only arr_0\.npy/, /arrays of NumPy/],
  [
    'saved.zip',
    () => zipOf('m/saved_model.pb', 'm/variables/variables.index'),
    /m\/saved_model\.pb/,
    /SavedModel/,
  ],
  [
    'download.zip',
    () => zipOf('net/model.keras'),
    /only net\/model\.keras/,
    /unpack the archive, and pass 'net/,
  ],
  ['folder.keras', () => zipOf('net/config.json', 'net/x'), /only net\/config\.json/, /without the folder/],
  ['photos.zip', () => zipOf('a.jpg'), /only a\.jpg/, /save the model again/],
  ['empty.keras', bytesOf(''), /an empty file/, /pass a file/],
  ['noise.bin', bytesOf('\x01\x02\x03 noise'), /no format that is known/, /cut short/],
];

describe.each(cases)('%s', (name, given, received, hint) => {
  const load = async (read: (file: File) => Promise<unknown>) => {
    const bytes = typeof given === 'function' ? await given() : given;
    return read(new File([bytes as BlobPart], name)).then(
      () => null,
      (error: FormatError) => error,
    );
  };

  test.each<[string, (file: File) => Promise<unknown>]>([
    ['loadModel', (file) => loadModel(file)],
    [
      'loadWeights',
      (file) => sequential([input({ shape: [2] }), layers.dense({ units: 1 })]).loadWeights(file),
    ],
  ])('%s', async (_, read) => {
    const error = await load(read);
    expect(error).toBeInstanceOf(FormatError);
    expect(error?.message).toContain(name);
    expect(error?.received).toMatch(received);
    expect(error?.hint).toMatch(hint);
  });
});

test('a folder of TensorFlow in place of a file', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'saved-model-'));
  fs.writeFileSync(path.join(folder, 'saved_model.pb'), '\x08\x01');
  await expect(loadModel(folder)).rejects.toThrow(/SavedModel of TensorFlow[\s\S]*model\.save\(/);
  fs.rmSync(folder, { recursive: true });
});
