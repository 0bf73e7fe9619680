/**
 * @file Every place that models come from and go to: the same weights, progress to the end, and an interruption that leaves
 * existing files unchanged. IndexedDB needs a browser: test/e2e/savedModels.test.ts.
 */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { explainHistory, init, memory, ValueError } from '../../../src/index.ts';
import { BytesTarget, type FileSource, FilesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, sequential } from '../../../src/keras/index.ts';
import { FakeFolder } from '../../support/fakeOriginFiles.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'places-'));
const at = (name: string) => path.join(folder, name);
let bytes: Uint8Array<ArrayBuffer>;
let url = '';
let root: FakeFolder;

const network = () =>
  sequential([input({ shape: [3] }), layers.dense({ units: 4 }), layers.dense({ units: 2 })]);
type Network = ReturnType<typeof network>;
const valuesOf = (net: Network) => Promise.all(net.weights.map((weight) => weight.array()));

const server = http.createServer(({ url, headers }, response) => {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (!url?.startsWith('/ranges') || from === undefined) {
    response.writeHead(200).end(bytes);
    return;
  }
  const part = bytes.subarray(Number(from), Number(to) + 1);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
  response.writeHead(206, { 'Content-Range': range, 'Content-Length': part.length }).end(part);
});

let trained: Network;
let wanted: unknown;
beforeAll(async () => {
  await init();
  clearSession();
  trained = network();
  wanted = await valuesOf(trained);
  const target = new BytesTarget();
  await trained.save(target);
  bytes = target.bytes;
  fs.writeFileSync(at('net.keras'), bytes);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  clearSession();
  root = new FakeFolder();
  const storage = { value: { getDirectory: async () => root } };
  vi.stubGlobal('navigator', Object.create(globalThis.navigator ?? null, { storage }));
});
afterEach(() => vi.unstubAllGlobals());
afterAll(() => {
  trained.dispose();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

const sources: Record<string, () => FileSource | Promise<FileSource>> = {
  'an ArrayBuffer': () => bytes.slice().buffer,
  'a view': () => bytes,
  'a Blob': () => new Blob([bytes]),
  'a File': () => new File([bytes], 'net.keras'),
  // The name says nothing.
  'a File of another name': () => new File([bytes], 'net.h5'),
  'a path': () => at('net.keras'),
  'a file: URL': () => pathToFileURL(at('net.keras')),
  'a URL with ranges': () => `${url}/ranges/net.keras`,
  'a URL without ranges': () => new URL(`${url}/net.keras`),
  'a Response': () => fetch(`${url}/net.keras`),
  'a stream': () => new Blob([bytes]).stream(),
  'opfs://': async () => {
    await trained.save('opfs://models/net.keras');
    return 'opfs://models/net.keras';
  },
  'a file handle': async () => {
    await trained.save('opfs://net.keras');
    return (await root.getFileHandle('net.keras')) as never;
  },
  'the files of TF.js': async () => {
    const target = new FilesTarget();
    await trained.save(target);
    return target.files;
  },
};

describe.each(Object.keys(sources))('from %s', (name) => {
  const source = () => sources[name]?.() as FileSource;

  test('a model and its weights, with progress, and their origin', async () => {
    const progress: number[] = [];
    const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
      progress.push(loaded / total);
    const net = (await loadModel(await source(), { onProgress })) as never as Network;
    expect(await valuesOf(net)).toEqual(wanted);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    expect(explainHistory(net.weights[0] as never).text).toMatch(/loaded from '/);
    const other = network();
    await other.loadWeights(await source());
    expect(await valuesOf(other)).toEqual(wanted);
    net.dispose();
    other.dispose();
  });

  test('interrupted at any time, nothing is loaded', async () => {
    const net = network();
    const old = await valuesOf(net);
    const before = memory().tensors;
    for (const last of [0, 0.5, 1]) {
      const controller = new AbortController();
      const { signal } = controller;
      if (last === 0) controller.abort();
      const onProgress = ({ loaded, total }: { loaded: number; total: number }) => {
        if (loaded >= last * total) controller.abort();
      };
      const aborted = { name: 'AbortError' };
      await expect(loadModel(await source(), { signal, onProgress })).rejects.toMatchObject(aborted);
      await expect(net.loadWeights(await source(), { signal, onProgress })).rejects.toMatchObject(aborted);
    }
    expect(await valuesOf(net)).toEqual(old);
    expect(memory().tensors).toBe(before);
    net.dispose();
  });
});

test('a stalled stream can be interrupted', async () => {
  const controller = new AbortController();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (made) => made.enqueue(bytes.slice(0, 9)),
  });
  const loading = loadModel(stream, { signal: controller.signal });
  setTimeout(() => controller.abort(), 1);
  await expect(loading).rejects.toMatchObject({ name: 'AbortError' });
});

/** What is at a place after a save: null for nothing. */
interface Place {
  readonly target: () => unknown;
  readonly read: () => Promise<Uint8Array | null>;
}

const fileIn = async (name: string) => {
  const handle = await root.getFileHandle(name).catch(() => null);
  return handle && new Uint8Array(await (await handle.getFile()).arrayBuffer());
};
const onDisk = async (name: string) =>
  fs.existsSync(at(name)) ? new Uint8Array(fs.readFileSync(at(name))) : null;
const kept = new BytesTarget();
let streamed: Uint8Array<ArrayBuffer>[] | null = null;

const places: Record<string, Place> = {
  'a path': { target: () => at('saved.keras'), read: () => onDisk('saved.keras') },
  'a file: URL': { target: () => pathToFileURL(at('url.keras')), read: () => onDisk('url.keras') },
  'bytes in memory': { target: () => kept, read: async () => (kept.bytes.length > 0 ? kept.bytes : null) },
  'opfs://': { target: () => 'opfs://saved.keras', read: () => fileIn('saved.keras') },
  'a file handle': {
    target: async () => root.getFileHandle('chosen.keras', { create: true }),
    read: async () => {
      const found = await fileIn('chosen.keras');
      return found && found.length > 0 ? found : null;
    },
  },
  'a stream': {
    target: () => {
      const written: Uint8Array<ArrayBuffer>[] = [];
      return new WritableStream<Uint8Array<ArrayBuffer>>({
        write: (piece) => void written.push(piece.slice()),
        close: () => {
          streamed = written;
        },
      });
    },
    read: async () => streamed && new Uint8Array(await new Blob(streamed).arrayBuffer()),
  },
  'a folder for TF.js': {
    target: () => at('web/model.json'),
    read: () => onDisk('web/model.json'),
  },
};

test.each(Object.keys(places))('to %s: all or nothing, with progress', async (name) => {
  const { target, read } = places[name] as Place;
  const save = async (options: object) => trained.save((await target()) as never, options);
  const interrupted = async () => {
    for (const last of [0, 0.5, 1]) {
      const controller = new AbortController();
      const { signal } = controller;
      if (last === 0) controller.abort();
      const onProgress = ({ saved, total }: { saved: number; total: number }) => {
        if (saved >= last * total) controller.abort();
      };
      await expect(save({ signal, onProgress })).rejects.toMatchObject({ name: 'AbortError' });
    }
  };
  await interrupted();
  expect(await read()).toBeNull();
  const progress: number[] = [];
  await save({
    onProgress: ({ saved, total }: { saved: number; total: number }) => progress.push(saved / total),
  });
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
  const old = await read();
  await interrupted();
  expect(await read()).toEqual(old);
  expect(fs.readdirSync(folder).filter((file) => file.includes('.part'))).toEqual([]);
});

test.each([
  [
    'a folder that is not there',
    () => at('nowhere/model.keras'),
    /'.*nowhere\/model\.keras' \(ENOENT: no such file/,
  ],
  ['a folder itself', () => at('taken.keras'), /\(EISDIR: /],
])('a path is rejected: %s', async (_, place, received) => {
  fs.mkdirSync(at('taken.keras'), { recursive: true });
  const error = await trained.save(place()).catch((reason) => reason);
  expect(error).toBeInstanceOf(ValueError);
  expect(error.received).toMatch(received);
  expect(error.hint).toMatch(/create the folder/);
});
