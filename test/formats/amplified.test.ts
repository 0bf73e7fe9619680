/**
 * @file Small files that would take far more time or memory than their size suggests, because parts share the same bytes many
 * times. Each is rejected immediately, by the sum of the declared sizes.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init } from '../../src/index.ts';
import { BytesTarget, loadModel, readPyTorch } from '../../src/io/index.ts';
import { clearSession, input, layers, sequential } from '../../src/keras/index.ts';
import { bytesSource } from '../../src/formats/byteSource.ts';
import { type NewDataset, type NewGroup, openHdf5, writeHdf5 } from '../../src/formats/hdf5/index.ts';
import { readWeightStore } from '../../src/formats/keras/index.ts';
import { writeZip } from '../../src/formats/zip/index.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const text = new TextEncoder();
const context = { file: 'amplified.h5', format: 'HDF5' };
const group = (
  children: NewGroup['children'] = new Map(),
  attributes: NewGroup['attributes'] = new Map(),
) => ({
  attributes,
  children,
});

async function written(root: NewGroup): Promise<Bytes> {
  const pieces: Bytes[] = [];
  for await (const piece of writeHdf5(root)) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

/** Reads all groups of a file. */
async function walk(bytes: Bytes): Promise<unknown> {
  return readWeightStore([{ root: await openHdf5(bytesSource(bytes, 'amplified.h5')), context }]);
}

/** Returns the positions of a structure's signature. */
function positions(bytes: Bytes, signature: string): number[] {
  const file = Buffer.from(bytes.buffer);
  const found: number[] = [];
  for (let at = file.indexOf(signature); at >= 0; at = file.indexOf(signature, at + 1)) found.push(at);
  return found;
}

/** Returns the positions of the entries of all symbol tables. */
function entries(bytes: Bytes): number[] {
  const view = new DataView(bytes.buffer);
  return positions(bytes, 'SNOD').flatMap((node) =>
    Array.from({ length: view.getUint16(node + 6, true) }, (_, i) => node + 8 + 40 * i),
  );
}

describe('HDF5', () => {
  test('names that overlap in one long name', async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `name${i}`.padEnd(100, '.'));
    const bytes = await written(group(new Map(names.map((name) => [name, group()]))));
    const view = new DataView(bytes.buffer);
    const heap = positions(bytes, 'HEAP').at(-1) as number;
    const [size, at] = [8, 24].map((field) => Number(view.getBigUint64(heap + field, true))) as [
      number,
      number,
    ];
    expect(size).toBeGreaterThan(200_000);
    bytes.fill(0x61, at + 8, at + size - 1);
    entries(bytes).forEach((entry, i) => {
      view.setBigUint64(entry, BigInt(8 + i), true);
    });
    await expect(walk(bytes)).rejects.toThrow(/names of a group have bytes of their own/);
  });

  test('groups that share the links of one', async () => {
    const names = Array.from({ length: 600 }, (_, i) => `group ${i}`);
    const bytes = await written(group(new Map(names.map((name) => [name, group()]))));
    const view = new DataView(bytes.buffer);
    // The address and the heap of the root's links are in the superblock, those of a group in its first message.
    const root = bytes.slice(80, 96);
    for (const entry of entries(bytes)) {
      const header = Number(view.getBigUint64(entry + 8, true));
      bytes.set(root, header + 16 + 8);
    }
    await expect(walk(bytes)).rejects.toThrow(/the structures of a file are no larger than the file/);
  });

  test('attributes that share one long text', async () => {
    const long = 'x'.repeat(1 << 20);
    const names = Array.from({ length: 300 }, (_, i) => [`layer_names${i}`, long] as const);
    const bytes = await written(group(new Map(), new Map(names)));
    const net = sequential([input({ shape: [1] }), layers.dense({ units: 1 })]);
    await expect(net.loadWeights(bytes)).rejects.toThrow(FormatError);
    net.dispose();
  });

  test('datasets that share the values of one', async () => {
    const elements = 0x123456;
    const dataset = (): NewDataset => ({ type: 'uint8', shape: [elements], pieces: () => [] });
    const vars = new Map(Array.from({ length: 200 }, (_, i) => [`${i}`, dataset()]));
    const bytes = await written(group(new Map([['vars', group(vars)]])));
    const view = new DataView(bytes.buffer);
    const whole = new Uint8Array(bytes.length + elements);
    whole.set(bytes);
    // Their layouts: version 3, contiguous, address and size.
    for (const entry of entries(bytes)) {
      const header = Number(view.getBigUint64(entry + 8, true));
      const size = Buffer.from(bytes.buffer).indexOf(
        Uint8Array.of(0x56, 0x34, 0x12, 0, 0, 0, 0, 0),
        header + 40,
      );
      if (size > 0 && size < header + 200)
        new DataView(whole.buffer).setBigUint64(size - 8, BigInt(bytes.length), true);
    }
    new DataView(whole.buffer).setBigUint64(40, BigInt(whole.length), true);
    await expect(walk(whole)).rejects.toThrow(/the values of a file are in it/);
  });
});

test('a model whose weights are declared as chunks is allocated only what the chunks hold', async () => {
  const file = readFileSync(new URL('../fixtures/hdf5/claims.keras', import.meta.url));
  await expect(loadModel(file)).rejects.toThrow(
    /values that a dataset declares are in the file[\s\S]*of which 0 are stored/,
  );
});

/** Returns a pickled dictionary of `count` tensors of 2^24 elements, all of them element 0 of one storage. */
function repeatedTensors(count: number): Bytes {
  const string = (value: string) => {
    const bytes = text.encode(value);
    return [0x58, bytes.length, 0, 0, 0, ...bytes];
  };
  const name = (module: string, name: string) => [0x63, ...text.encode(`${module}\n${name}\n`)];
  const number = (value: number) => [0x4a, ...new Uint8Array(Int32Array.of(value).buffer)];
  const storage = [
    0x28,
    ...string('storage'),
    ...name('torch', 'FloatStorage'),
    ...string('0'),
    ...string('cpu'),
    ...number(4),
    ...[0x74, 0x51],
  ];
  const hooks = [...name('collections', 'OrderedDict'), 0x29, 0x52];
  const tensor = [
    ...name('torch._utils', '_rebuild_tensor_v2'),
    ...[0x28, ...storage, ...number(0)],
    ...[...number(1 << 24), 0x85, ...number(0), 0x85],
    ...[0x89, ...hooks, 0x74, 0x52],
  ];
  const items = Array.from({ length: count }, (_, i) => [...string(`w${i}`), ...tensor]);
  return Uint8Array.from([0x80, 2, 0x7d, 0x28, ...items.flat(), 0x75, 0x2e]);
}

test('PyTorch: tensors that repeat one value', async () => {
  const target = new BytesTarget();
  const files = { 'data.pkl': repeatedTensors(8), 'data/0': new Uint8Array(16) };
  await target.write(
    writeZip(Object.entries(files).map(([name, bytes]) => ({ name: `net/${name}`, pieces: [bytes] }))),
  );
  await expect(readPyTorch(target.bytes)).rejects.toThrow(/8 times the values of their storages/);
});

test('TF.js: one shard, listed often', async () => {
  const topology = { model_config: { class_name: 'Sequential', config: { name: 'net', layers: [] } } };
  const weights = [{ name: 'dense/kernel', shape: [4000], dtype: 'float32' }];
  const manifest = [{ paths: Array.from({ length: 1000 }, () => 'shard.bin'), weights }];
  const json = JSON.stringify({ modelTopology: topology, weightsManifest: manifest });
  const files = [new File([json], 'model.json'), new File([new Uint8Array(16)], 'shard.bin')];
  await expect(loadModel(files)).rejects.toThrow(/each shard is listed once/);
});

beforeAll(async () => {
  await init();
  clearSession();
});
