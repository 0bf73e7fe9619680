/** @file Where files are read from: bytes, Blobs, paths, streams, and URLs of servers with and without ranges. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FormatError, ValueError } from '../../src/index.ts';
import { bufferedSource, type ByteSource, bytesSource, rangeSource } from '../../src/formats/byteSource.ts';
import { ReadMemory } from '../../src/formats/readMemory.ts';
import { writeZip, ZipArchive } from '../../src/formats/zip/index.ts';
import { type FileSource, openSource } from '../../src/storage/sources.ts';
import { targetOf } from '../../src/storage/targets.ts';

const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7) & 0xff);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sources-'));
const file = path.join(folder, 'some.bin');
const requests: (string | undefined)[] = [];
let url = '';

const server = http.createServer(({ url, headers }, response) => {
  requests.push(headers.range);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (url === '/missing.bin') response.writeHead(404).end();
  else if (url?.startsWith('/ranges') && from !== undefined) {
    const part = bytes.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
    response.writeHead(206, { 'Content-Range': range, 'Content-Length': part.length }).end(part);
  } else response.writeHead(200).end(bytes);
});

beforeAll(async () => {
  fs.writeFileSync(file, bytes);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  fs.rmSync(folder, { recursive: true });
});

const kinds: [string, () => FileSource, string][] = [
  ['an ArrayBuffer', () => bytes.slice().buffer, 'file'],
  ['a view', () => new DataView(bytes.slice().buffer), 'file'],
  ['a Blob', () => new Blob([bytes]), 'file'],
  ['a File', () => new File([bytes], 'given.bin'), 'given.bin'],
  ['a path', () => file, file],
  ['a file: URL', () => pathToFileURL(file), file],
  ['a Response', () => new Response(bytes), 'file'],
  ['a stream', () => new Blob([bytes]).stream(), 'stream'],
  ['a URL with ranges', () => `${url}/ranges.bin?v=1`, 'ranges.bin'],
  ['a URL without ranges', () => new URL(`${url}/whole.bin`), 'whole.bin'],
];

test('an archive on a server is fetched once', async () => {
  const archive: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of writeZip([{ name: 'weights', pieces: [bytes] }])) archive.push(piece.slice());
  const blob = new Blob(archive);
  let fetched = 0;
  const real = globalThis.fetch;
  globalThis.fetch = async (_, options) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(options?.headers).get('Range') ?? '') ?? [];
    const part = blob.slice(Number(from), Number(to) + 1);
    fetched += part.size;
    const headers = { 'Content-Range': `bytes ${from}-${to}/${blob.size}` };
    return new Response(part, { status: 206, headers });
  };
  try {
    const zip = await ZipArchive.open(await openSource('https://models.example/net.keras'));
    const entry = (await zip.entry('weights')) as ByteSource;
    for (let at = 0; at < entry.size; at += 50_000)
      expect(await entry.read(at, at + 50_000)).toEqual(bytes.slice(at, at + 50_000));
    // The directory is looked for at the end of the archive, where a comment may be.
    expect(fetched).toBeLessThan(blob.size + (1 << 17));
  } finally {
    globalThis.fetch = real;
  }
});

test.each(kinds)('%s', async (_, make, name) => {
  const source = await openSource(make());
  expect([source.name, source.size]).toEqual([name, bytes.length]);
  for (const [begin, end] of [
    [0, 4],
    [70_000, 70_009],
    [5, 5],
    [199_990, 200_000],
  ] as const)
    expect(await source.read(begin, end)).toEqual(bytes.slice(begin, end));
  await source.close?.();
});

test.each(kinds)('%s: reads that share memory return the same bytes', async (_, make) => {
  const opened = await openSource(make());
  const memory = new ReadMemory();
  for (const source of [opened, bufferedSource(opened), rangeSource(opened, 0, opened.size, 'part')]) {
    for (const [begin, end] of [
      [10, 20],
      [65_530, 65_540],
      [0, 150_000],
    ] as const)
      for (let times = 0; times < 2; times++) {
        const found = await source.read(begin, end, memory);
        expect(Buffer.compare(found, bytes.subarray(begin, end))).toBe(0);
      }
  }
  await opened.close?.();
});

test('a server that answers ranges is asked for them alone', async () => {
  requests.length = 0;
  const source = await openSource(`${url}/ranges.bin`, { file: 'mine' });
  await source.read(100, 200);
  expect(source.name).toBe('mine');
  expect(requests).toEqual(['bytes=0-0', 'bytes=100-199']);
});

test('what is not there, or no file, is said', async () => {
  await expect(openSource(`${url}/missing.bin`)).rejects.toThrow(/missing\.bin[\s\S]*404/);
  await expect(openSource(path.join(folder, 'none'))).rejects.toThrow(FormatError);
  await expect(openSource(folder)).rejects.toThrow(/one of the files describes a model[\s\S]*some\.bin/);
  await expect(openSource(7 as never)).rejects.toThrow(ValueError);
  const gone = bytes.slice().buffer;
  structuredClone(gone, { transfer: [gone] });
  await expect(openSource(gone)).rejects.toThrow(/transferred/);
  await expect(openSource(file, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
});

test('small ranges are read in blocks, each once, also across two of them', async () => {
  const source = bytesSource(bytes, 'some');
  let reads = 0;
  const counted = (begin: number, end: number) => {
    reads++;
    return source.read(begin, end);
  };
  const buffered = bufferedSource({ ...source, read: counted });
  for (let at = 0; at + 100 <= 131_072; at += 91)
    expect(await buffered.read(at, at + 100)).toEqual(bytes.slice(at, at + 100));
  expect(reads).toBe(2);
  expect(await buffered.read(0, 150_000)).toEqual(bytes.slice(0, 150_000));
  const inner = rangeSource(source, 1000, 2000, 'inner');
  expect([inner.size, await inner.read(10, 20)]).toEqual([1000, bytes.slice(1010, 1020)]);
});

test('streams are closed when a file is complete, and aborted when it fails', async () => {
  const seen: string[] = [];
  const stream = () =>
    new WritableStream<Uint8Array<ArrayBuffer>>({
      write: (piece) => void seen.push(String(piece.length)),
      close: () => void seen.push('close'),
      abort: () => void seen.push('abort'),
    });
  await targetOf(stream()).write(
    (async function* () {
      yield bytes;
    })(),
  );
  const failing = targetOf(stream()).write(
    (async function* () {
      yield bytes.slice(0, 3);
      throw new Error('the disk is full');
    })(),
  );
  await expect(failing).rejects.toThrow('the disk is full');
  expect(seen).toEqual(['200000', 'close', '3', 'abort']);
});
