/**
 * @file Damaged files of every format: they load, or are rejected with a FormatError, immediately and without changes. A few
 * hundred here; `npm run fuzz:files` tries thousands of each format.
 */
import fs from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { FormatError, init, memory } from '../../src/index.ts';
import { BytesTarget, loadModel, readPyTorch } from '../../src/io/index.ts';
import { type ByteSource, bytesSource } from '../../src/formats/byteSource.ts';
import { Hdf5Group, openHdf5 } from '../../src/formats/hdf5/index.ts';
import { openKerasArchive } from '../../src/formats/keras/index.ts';
import { readWhole } from '../../src/formats/storedTensor.ts';
import { writeZip, ZipArchive } from '../../src/formats/zip/index.ts';
import { clearSession } from '../../src/keras/index.ts';
import type { AnyModel } from '../../src/keras/models/model.ts';
import { damaged } from '../support/damage.ts';
import { mutated } from '../support/mutate.ts';
import { type Random, random } from '../support/random.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const [first, last] = (process.env.RETROGRAD_FILE_CASES ?? '0-50').split('-').map(Number) as [number, number];
/** A case that takes longer hangs. */
const maxSeconds = 10;

const read = (name: string): Bytes =>
  new Uint8Array(fs.readFileSync(new URL(`../fixtures/${name}`, import.meta.url)));
const samples = {
  keras: [read('malformed/valid.keras'), read('malformed/valid_deflated.keras')],
  weights: [read('malformed/valid.weights.h5'), read('malformed/big_endian.weights.h5')],
  legacy: [read('malformed/valid.h5')],
  pytorch: [read('pytorch/dtypes.pt'), read('pytorch/shared.pt')],
  legacyTorch: [read('pytorch/network_legacy.pth')],
  hdf5: [read('hdf5/earliest.h5'), read('hdf5/v108.h5'), read('hdf5/latest.h5')],
};
const tfjs = {
  json: read('malformed/tfjs_valid/model.json'),
  shard: read('malformed/tfjs_valid/group1-shard1of1.bin'),
};
let target: AnyModel;
let safetensors: Bytes;
let config: string;

/** Returns a source that counts what is read: a reader must not read far more than the file has. */
function counting(bytes: Bytes, name: string): ByteSource {
  const source = bytesSource(bytes, name);
  let total = 0;
  return {
    ...source,
    read: async (begin, end) => {
      total += end - begin;
      const isWithin = Number.isSafeInteger(begin) && begin >= 0 && begin <= end && end <= bytes.length;
      if (!isWithin) throw new Error(`read from ${begin} to ${end} of ${bytes.length} bytes`);
      if (total > 1000 * (bytes.length + 65536)) throw new Error(`${total} bytes read of ${bytes.length}`);
      return source.read(begin, end);
    },
  };
}

/** Loads a whole model. */
async function whole(bytes: Bytes, name: string): Promise<void> {
  const model = await loadModel(counting(bytes, name), { onReport: () => {} });
  model.dispose();
}

/** Loads weights into a model, which stays unchanged if they are rejected. */
async function weights(bytes: Bytes, name: string): Promise<void> {
  const before = target.weights.map((weight) => weight.current);
  try {
    await target.loadWeights(counting(bytes, name));
  } catch (error) {
    expect(target.weights.map((weight) => weight.current)).toEqual(before);
    throw error;
  }
}

/** Reads every tensor of a state dictionary. */
async function state(bytes: Bytes): Promise<void> {
  await readPyTorch(counting(bytes, 'damaged.pth'));
}

/** Returns a state dictionary whose pickle or storages are damaged, with valid checksums. */
async function rebuiltState(dice: Random): Promise<Bytes> {
  const archive = await ZipArchive.open(bytesSource(samples.pytorch[0] as Bytes, 'dtypes.pt'));
  const hit = dice.below(3) === 0 ? dice.pick(archive.names) : 'dtypes/data.pkl';
  const target = new BytesTarget();
  const entries = await Promise.all(
    archive.names.map(async (name) => {
      const source = (await archive.entry(name)) as ByteSource;
      const bytes = await source.read(0, source.size);
      return { name, pieces: [name === hit ? damaged(bytes, dice, [bytes]) : bytes] };
    }),
  );
  await target.write(writeZip(entries));
  return target.bytes;
}

/** Returns a model.json with its shard; the case's bytes are one of them. */
async function layersModel(bytes: Bytes): Promise<void> {
  const isJson = bytes[0] === 0x7b;
  const parts = isJson ? [bytes, tfjs.shard] : [tfjs.json, bytes];
  const names = ['model.json', 'group1-shard1of1.bin'];
  const model = await loadModel(
    names.map((name, i) => new File([parts[i] as Bytes], name)),
    { onReport: () => {} },
  );
  model.dispose();
}

/** Reads every value and some attributes of a file. */
async function objects(bytes: Bytes): Promise<void> {
  const open = [await openHdf5(counting(bytes, 'damaged.h5'))];
  const errors: unknown[] = [];
  const attempt = (body: () => Promise<unknown>) => body().catch((error: unknown) => errors.push(error));
  for (let group = open.pop(), left = 100; group && left > 0; group = open.pop(), left--) {
    const here = group;
    for (const name of ['text', 'fixed', 'numbers', 'none']) await attempt(() => here.attribute(name));
    for (const name of here.links.keys())
      await attempt(async () => {
        const child = await here.child(name);
        if (child instanceof Hdf5Group) open.push(child);
        else if (child) await readWhole(await child.tensor());
      });
  }
  const other = errors.find((error) => !(error instanceof FormatError));
  if (other) throw other;
}

/** Returns an archive whose parts are damaged, with valid checksums. */
async function rebuilt(dice: Random): Promise<Bytes> {
  const json = dice.below(2) === 0 ? mutated(config, dice) : config;
  const [sound] = samples.weights as [Bytes];
  const inside = json === config || dice.below(3) === 0 ? damaged(sound, dice, samples.hdf5) : sound;
  const target = new BytesTarget();
  const parts = [new TextEncoder().encode(json), inside];
  await target.write(
    writeZip(['config.json', 'model.weights.h5'].map((name, i) => ({ name, pieces: [parts[i] as Bytes] }))),
  );
  return target.bytes;
}

interface Format {
  readonly make: (dice: Random) => Bytes | Promise<Bytes>;
  readonly load: (bytes: Bytes) => Promise<void>;
}

const all = Object.values(samples).flat();
const from = (files: readonly Bytes[]) => (dice: Random) => damaged(dice.pick(files), dice, all);

const formats: Record<string, Format> = {
  '.keras': { make: from(samples.keras), load: (bytes) => whole(bytes, 'damaged.keras') },
  'parts of .keras': { make: rebuilt, load: (bytes) => whole(bytes, 'damaged.keras') },
  '.weights.h5': { make: from(samples.weights), load: (bytes) => weights(bytes, 'damaged.weights.h5') },
  '.h5': { make: from(samples.legacy), load: (bytes) => whole(bytes, 'damaged.h5') },
  PyTorch: { make: from(samples.pytorch), load: state },
  'parts of PyTorch': { make: rebuiltState, load: state },
  'PyTorch before 1.6': { make: from(samples.legacyTorch), load: state },
  'TF.js': {
    make: (dice) =>
      dice.below(4) === 0
        ? damaged(tfjs.shard, dice, all)
        : new TextEncoder().encode(mutated(new TextDecoder().decode(tfjs.json), dice)),
    load: layersModel,
  },
  HDF5: { make: from(samples.hdf5), load: objects },
  safetensors: {
    make: (dice) => damaged(safetensors, dice, all),
    load: (bytes) => weights(bytes, 'damaged'),
  },
};

beforeAll(async () => {
  await init();
  clearSession();
  target = await loadModel(samples.keras[0] as Bytes);
  const bytes = new BytesTarget();
  await target.saveWeights(bytes, { format: 'safetensors' });
  safetensors = bytes.bytes;
  config = (
    await openKerasArchive(await ZipArchive.open(bytesSource(samples.keras[0] as Bytes, 'valid.keras')))
  ).config;
});

describe.each(Object.entries(formats))('%s', (name, { make, load }) => {
  test(`cases ${first} to ${last}`, { timeout: 3_600_000 }, async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    let rejected = 0;
    for (let seed = first; seed < last; seed++) {
      const bytes = await make(random(seed * 31 + name.length));
      const before = memory().tensors;
      const start = performance.now();
      try {
        await load(bytes);
      } catch (error) {
        rejected++;
        if (!(error instanceof FormatError)) throw new Error(`${name}, case ${seed}`, { cause: error });
        expect(memory().tensors, `case ${seed}`).toBe(before);
      }
      expect((performance.now() - start) / 1000, `case ${seed}`).toBeLessThan(maxSeconds);
    }
    warn.mockRestore();
    expect(rejected).toBeGreaterThan((last - first) / 4);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
