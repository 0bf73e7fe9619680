/** @file HDF5: files of h5py (test/fixtures/hdf5) and of this library, read here and by h5wasm. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import h5wasm from 'h5wasm/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FormatError } from '../../src/index.ts';
import { blobSource, bytesSource } from '../../src/formats/byteSource.ts';
import { detectContainer } from '../../src/formats/detect.ts';
import { type Hdf5Dataset, type Hdf5Group, openHdf5, writeHdf5 } from '../../src/formats/hdf5/index.ts';
import { readWhole } from '../../src/formats/storedTensor.ts';

const folder = new URL('../fixtures/hdf5/', import.meta.url);
const read = (name: string) => fs.readFileSync(new URL(name, folder));
const open = (name: string) => openHdf5(bytesSource(read(name), name));
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'hdf5-'));
/** The values that every dataset of shape [3, 4, 5] has. */
const counted = Array.from({ length: 60 }, (_, i) => i);

beforeAll(async () => {
  await h5wasm.ready;
});
afterAll(() => fs.rmSync(temporary, { recursive: true }));

async function valuesOf(root: Hdf5Group, at: string) {
  const group = await root.descend(at.slice(0, Math.max(0, at.lastIndexOf('/'))));
  const dataset = (await group?.dataset(at.slice(at.lastIndexOf('/') + 1))) as Hdf5Dataset;
  const { shape, dtype, data } = await readWhole(await dataset.tensor());
  return { shape: [...shape], dtype, data: [...data] };
}

test.each([
  ['float16', 'float32'],
  ['float32', 'float32'],
  ['float64', 'float32'],
  ['int8', 'int32'],
  ['int16', 'int32'],
  ['int32', 'int32'],
  ['int64', 'int32'],
  ['uint8', 'int32'],
  ['uint16', 'int32'],
  ['uint32', 'uint32'],
  ['uint64', 'uint32'],
  ['big', 'float32'],
  ['bigint', 'int32'],
])('%s becomes %s', async (name, dtype) => {
  const root = await open('earliest.h5');
  expect(await valuesOf(root, `numbers/${name}`)).toEqual({ shape: [3, 4, 5], dtype, data: counted });
});

test.each(['chunked', 'gzip', 'shuffled'])('values that are %s', async (name) => {
  expect((await valuesOf(await open('earliest.h5'), `layouts/${name}`)).data).toEqual(counted);
});

test.each(['contiguous', 'chunked', 'gzip', 'single', 'single gzip'])(
  'values that are %s, in the latest form',
  async (name) => {
    expect((await valuesOf(await open('latest.h5'), `layouts/${name}`)).data).toEqual(counted);
  },
);

test('values with checksums, after a user block', async () => {
  const bytes = read('checked.h5');
  const source = bytesSource(bytes, 'checked.h5');
  expect(await detectContainer(source)).toBe('hdf5');
  const root = await openHdf5(source);
  for (const name of ['words', 'odd', 'gzip'])
    expect((await valuesOf(root, name)).data, name).toEqual(counted);
  const long = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 65536);
  expect((await valuesOf(root, 'long')).data).toEqual(long);
  const damaged = Uint8Array.from(bytes);
  const at = bytes.indexOf(new Uint8Array(Uint16Array.from(long.slice(10, 20)).buffer));
  damaged[at] = (damaged[at] as number) ^ 1;
  const opened = await openHdf5(bytesSource(damaged, 'damaged.h5'));
  await expect(valuesOf(opened, 'long')).rejects.toThrow(/bytes of another checksum/);
});

test('values that are in the header, scalar, sparse, unwritten or none', async () => {
  const root = await open('earliest.h5');
  expect(await valuesOf(root, 'layouts/compact')).toEqual({ shape: [3], dtype: 'float32', data: [1, 2, 3] });
  expect(await valuesOf(root, 'layouts/scalar')).toEqual({ shape: [], dtype: 'float32', data: [2.5] });
  expect((await valuesOf(root, 'layouts/sparse')).data).toEqual([7, 7, 7, 1, 7, 7, 7, 7, 7, 7, 7, 7]);
  expect(await valuesOf(root, 'layouts/unwritten')).toEqual({
    shape: [2, 2],
    dtype: 'int32',
    data: [3, 3, 3, 3],
  });
  expect(await valuesOf(root, 'layouts/empty')).toEqual({ shape: [0, 3], dtype: 'float32', data: [] });
  expect((await valuesOf(root, 'numbers/bool')).data.slice(0, 3)).toEqual([1, 0, 1]);
});

test('attributes: text, lists of text, numbers', async () => {
  for (const name of ['earliest.h5', 'v108.h5', 'latest.h5'])
    expect(await (await open(name)).text('text')).toBe('über');
  const root = await open('earliest.h5');
  expect(await root.attribute('fixed')).toEqual(['one', 'three']);
  expect(await root.attribute('numbers')).toEqual([1.5, -2]);
  expect(await root.attribute('none')).toEqual([]);
  expect(await root.attribute('nothing')).toBeNull();
  await expect(root.text('fixed')).rejects.toThrow(FormatError);
});

test('groups of any size, in a symbol table or, in newer files, in the header', async () => {
  const many = await (await open('many.h5')).group('many');
  expect(many?.links.size).toBe(600);
  expect((await valuesOf(many as Hdf5Group, 'item 599')).data).toEqual([599]);
  expect((await valuesOf(await open('v108.h5'), 'numbers/int64')).data).toEqual(counted);
  await expect(open('dense.h5')).rejects.toThrow(/dense form[\s\S]*libver='latest'/);
});

test('a Blob is read by ranges: a tensor, not the file', async () => {
  const blob = new Blob([read('many.h5')]);
  const source = blobSource(blob, 'many.h5');
  let bytes = 0;
  const counting = {
    ...source,
    read: (begin: number, end: number) => {
      bytes += end - begin;
      return source.read(begin, end);
    },
  };
  const many = await (await openHdf5(counting)).group('many');
  const before = bytes;
  expect((await valuesOf(many as Hdf5Group, 'item 3')).data).toEqual([3]);
  expect(bytes - before).toBeLessThan(3 * 65536);
});

describe('written files', () => {
  test('are read by h5wasm: groups, values, text', async () => {
    const dataset = (type: 'float32' | 'int64', shape: number[], array: ArrayBufferView<ArrayBuffer>) => ({
      type,
      shape,
      pieces: () => [new Uint8Array(array.buffer)],
    });
    const names = Array.from({ length: 1200 }, (_, i) => `layer ${i}`);
    const group = (name: string) => ({
      attributes: new Map([['name', name]]),
      children: new Map([['0', dataset('float32', [3], Float32Array.of(1, 2, 3))]]),
    });
    const root = {
      attributes: new Map([['long', 'ü'.repeat(100_000)]]),
      children: new Map<string, never>([
        ['count', dataset('int64', [], BigInt64Array.of(7n)) as never],
        [
          'layers',
          { attributes: new Map(), children: new Map(names.map((name) => [name, group(name)])) } as never,
        ],
        ['none', { attributes: new Map(), children: new Map() } as never],
      ]),
    };
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of writeHdf5(root)) pieces.push(piece);
    const file = path.join(temporary, 'written.h5');
    fs.writeFileSync(file, Buffer.concat(pieces));
    const opened = new h5wasm.File(file, 'r');
    expect(opened.keys()).toEqual(['count', 'layers', 'none']);
    const found = (at: string) =>
      opened.get(at) as unknown as {
        value: unknown;
        attrs: Record<string, { value: unknown }>;
        keys(): string[];
      };
    expect(found('count').value).toEqual(7n);
    expect(found('layers').keys()).toEqual([...names].sort());
    expect(found('layers/layer 1199').attrs.name?.value).toBe('layer 1199');
    expect(found('layers/layer 77/0').value).toEqual(Float32Array.of(1, 2, 3));
    expect(opened.attrs.long?.value).toBe('ü'.repeat(100_000));
    opened.close();
    const again = await openHdf5(bytesSource(Buffer.concat(pieces), 'written.h5'));
    expect((await again.group('layers'))?.links.size).toBe(1200);
    expect(await again.text('long')).toBe('ü'.repeat(100_000));
    expect(await (await again.group('none'))?.child('x')).toBeNull();
  });
});
