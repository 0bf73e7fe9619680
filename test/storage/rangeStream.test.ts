/** @file Successive ranges of a file on a server, by the requests that reach the server. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { ReadMemory } from '../../src/formats/readMemory.ts';
import { openSource } from '../../src/storage/sources.ts';

const megabyte = 1 << 20;
const size = 8 * megabyte;
const bytes = new Uint8Array(size).map((_, i) => (i * 7 + (i >> 9)) % 251);
const requests: string[] = [];
let url = '';
/** Where the server breaks off. */
let cutAt = size;

const server = http.createServer(({ headers }, response) => {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') as unknown as [string, string, string];
  requests.push(`${from}-${to}`);
  const part = bytes.subarray(Number(from), Number(to) + 1);
  const range = `bytes ${from}-${to}/${size}`;
  response.writeHead(206, { 'Content-Range': range, 'Content-Length': part.length });
  if (Number(to) < cutAt) response.end(part);
  else response.write(bytes.subarray(Number(from), cutAt), () => response.destroy());
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/net.h5`;
});
beforeEach(() => {
  requests.length = 0;
  cutAt = size;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const expectRange = async (read: Promise<Uint8Array>, begin: number, end: number) =>
  expect(Buffer.compare(await read, bytes.subarray(begin, end))).toBe(0);

test('ranges in order, and with small gaps, take one request', async () => {
  const source = await openSource(url);
  const memory = new ReadMemory();
  for (const [begin, end] of [
    [100, megabyte + 100],
    [megabyte + 100, megabyte + 110],
    [megabyte + 5000, 3 * megabyte],
    [4 * megabyte, 6 * megabyte],
  ] as const)
    await expectRange(source.read(begin, end, memory), begin, end);
  expect(requests).toEqual(['0-0', `100-${size - 1}`]);
  await source.close?.();
});

test('a range before the last one, or far after it, is a separate request', async () => {
  const source = await openSource(url);
  const memory = new ReadMemory();
  for (const [begin, end] of [
    [2 * megabyte, 3 * megabyte],
    [5 * megabyte, 7 * megabyte],
    [0, megabyte],
    [20, 40],
  ] as const)
    await expectRange(source.read(begin, end, memory), begin, end);
  expect(requests.slice(1)).toEqual(
    [2 * megabyte, 5 * megabyte, 0].map((begin) => `${begin}-${size - 1}`).concat('20-39'),
  );
  await source.close?.();
});

test('reads at the same time have their own bytes', async () => {
  const source = await openSource(url);
  const ranges = [0, 1, 2, 3, 4, 5].map((i) => [i * megabyte, (i + 1) * megabyte] as const);
  await Promise.all(
    ranges.map(([begin, end]) => expectRange(source.read(begin, end, new ReadMemory()), begin, end)),
  );
  await source.close?.();
});

test('parts that are fetched are in memory or on disk, and right in both', async () => {
  const source = await openSource(url);
  for (const [begin, end] of [
    [0, 10],
    [10, 10],
    [1000, 6 * megabyte],
    [6 * megabyte + 30, size],
  ] as const) {
    const part = await source.fetched?.(begin, end);
    expect(part?.size).toBe(end - begin);
    await expectRange(part?.read(0, end - begin) as Promise<Uint8Array>, begin, end);
  }
  await source.close?.();
});

test.each([false, true])('a connection that breaks off is an error (shared memory: %s)', async (isShared) => {
  const source = await openSource(url);
  cutAt = 2 * megabyte;
  const memory = isShared ? new ReadMemory() : undefined;
  await expect(source.read(0, 4 * megabyte, memory)).rejects.toThrow(FormatError);
  cutAt = size;
  await expectRange(source.read(0, 4 * megabyte, memory), 0, 4 * megabyte);
  await source.close?.();
});

test('where streams fill no memory of the reader, each range is a request of its own', async () => {
  const real = globalThis.fetch;
  const asked: string[] = [];
  let cancelled = 0;
  globalThis.fetch = async (_, options) => {
    const range = new Headers(options?.headers).get('Range') ?? '';
    asked.push(range);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) as unknown as [string, string, string];
    const part = bytes.slice(Number(from), Number(to) + 1);
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(part);
        controller.close();
      },
    });
    const cancel = body.cancel.bind(body);
    const headers = { 'Content-Range': `bytes ${from}-${to}/${size}` };
    const response = new Response(body, { status: 206, headers });
    Object.defineProperty(response, 'body', {
      value: Object.assign(body, { cancel: () => cancel().then(() => void cancelled++) }),
    });
    return response;
  };
  try {
    const source = await openSource('https://models.example/net.h5');
    const memory = new ReadMemory();
    for (const begin of [0, megabyte, 2 * megabyte])
      await expectRange(source.read(begin, begin + megabyte, memory), begin, begin + megabyte);
    // The first byte, one stream that is given up, and the ranges.
    expect(asked.length).toBe(5);
    expect(cancelled).toBe(2);
    await source.close?.();
  } finally {
    globalThis.fetch = real;
  }
});
