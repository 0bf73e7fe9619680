/** @file Large files are loaded into the existing weights: all of them or none, with each range of a server fetched once. */
import fs from 'node:fs';
import os from 'node:os';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { FormatError, init, memory, RetrogradError } from '../../../src/index.ts';
import { atOnce } from '../../../src/core/pieces.ts';
import { clearSession, layers, sequential } from '../../../src/keras/index.ts';
import { type ByteSource, bytesSource } from '../../../src/formats/byteSource.ts';
import { assignStored } from '../../../src/keras/saving/assignStored.ts';
import { openWeightFile } from '../../../src/keras/saving/openWeightFile.ts';
import { saveWeights } from '../../../src/keras/saving/weights.ts';
import { ReadCache } from '../../../src/storage/readCache.ts';

const temporaryFolders = () =>
  fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('retrograd-temporary-'));

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

let before: string[] = [];
beforeEach(() => {
  before = temporaryFolders();
});
afterEach(() => expect(temporaryFolders()).toEqual(before));

function network(seed: number) {
  const net = sequential([
    layers.dense({ units: 5, kernelInitializer: { className: 'GlorotUniform', config: { seed } } }),
    layers.dense({ units: 3, kernelInitializer: { className: 'GlorotUniform', config: { seed: seed + 1 } } }),
  ]);
  net.build([null, 4]);
  return net;
}

type Network = ReturnType<typeof network>;

const valuesOf = async (net: Network) =>
  Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));

/** Loads in the way of large files. */
async function load(net: Network, source: ByteSource, options: { signal?: AbortSignal } = {}) {
  const reads = new ReadCache(source);
  const loaded: number[] = [];
  try {
    const file = await openWeightFile(reads.source, {});
    const weights = atOnce(file.match(net as never, { op: 'test', model: net.name }));
    const onProgress = ({ loaded: bytes, total }: { loaded: number; total: number }) =>
      loaded.push(bytes / total);
    await assignStored(weights, reads, { file: source.name, onProgress, ...options }, 0);
    return loaded;
  } finally {
    await reads.close();
  }
}

/** Bytes of a server, which fails from its `limit`-th request on. */
function served(bytes: Uint8Array<ArrayBuffer>, limit = Number.POSITIVE_INFINITY) {
  const { name, size, read } = bytesSource(bytes, 'net.safetensors');
  const requests: string[] = [];
  const source: ByteSource = {
    name,
    size,
    read: async (begin, end) => {
      requests.push(`${begin}-${end}`);
      if (requests.length > limit)
        throw new FormatError({ op: name, rule: 'served', received: 'status 500' });
      return read(begin, end);
    },
  };
  return { source, requests };
}

test('no second copy on the device, and each range of a server is fetched once', async () => {
  const [trained, net] = [network(1), network(5)];
  const { source, requests } = served(await saveWeights(trained));
  const buffers = net.weights.map((weight) => weight.storage.buffer);
  const held = memory().tensors;
  const progress = await load(net, source);
  expect(await valuesOf(net)).toEqual(await valuesOf(trained));
  expect(net.weights.map((weight) => weight.storage.buffer)).toEqual(buffers);
  expect(memory().tensors).toBeLessThanOrEqual(held);
  expect(new Set(requests).size).toBe(requests.length);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
  expect(net.weights[0]?.origin).toEqual({ kind: 'loaded', from: "'net.safetensors'" });
});

test('a server that fails, and an interruption, change nothing', async () => {
  const net = network(5);
  const bytes = await saveWeights(network(1));
  const old = await valuesOf(net);
  await expect(load(net, served(bytes, 4).source)).rejects.toThrow(FormatError);
  const controller = new AbortController();
  const { source } = served(bytes);
  const interrupted: ByteSource = {
    ...source,
    read: (begin, end) => {
      if (begin > 100) controller.abort();
      return source.read(begin, end);
    },
  };
  await expect(load(net, interrupted, { signal: controller.signal })).rejects.toThrow(/abort/i);
  expect(await valuesOf(net)).toEqual(old);
});

test('the error for a file that changes after it was checked reports the progress', async () => {
  const net = network(5);
  const local = bytesSource(await saveWeights(network(1)), 'net.safetensors');
  let reads = 0;
  const changing: ByteSource = {
    ...local,
    read: (begin, end) => {
      if (++reads > 8) throw new Error('the file changed');
      return local.read(begin, end);
    },
  };
  const error = await load(net, changing).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(RetrogradError);
  expect(String(error)).toMatch(/the file changed; 1 of 4 weights have its values/);
});

test('values that a tape or another tensor holds are unchanged', async () => {
  const [trained, net] = [network(1), network(5)];
  const [weight] = net.weights;
  const shared = weight?.storage.retain();
  const old = await weight?.data();
  await load(net, served(await saveWeights(trained)).source);
  expect(await weight?.data()).not.toEqual(old);
  expect(weight?.storage.buffer).not.toBe(shared?.buffer);
  shared?.release();
});
