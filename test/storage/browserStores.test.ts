/** @file Files that a browser keeps, on substitutes for its storage. test/e2e/savedModels.test.ts uses the real ones. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { FormatError, init, memory, RetrogradError, ValueError } from '../../src/index.ts';
import { listFiles, loadModel, removeFile } from '../../src/io/index.ts';
import { input, layers, sequential } from '../../src/keras/index.ts';
import type { FilePieces } from '../../src/storage/fileTarget.ts';
import { openSource } from '../../src/storage/sources.ts';
import { targetOf } from '../../src/storage/targets.ts';
import { FakeFolder } from '../support/fakeOriginFiles.ts';

beforeAll(async () => {
  await init();
});
afterEach(() => vi.unstubAllGlobals());

function originFiles(): FakeFolder {
  const root = new FakeFolder();
  const storage = { value: { getDirectory: async () => root } };
  vi.stubGlobal('navigator', Object.create(globalThis.navigator ?? null, { storage }));
  return root;
}

async function* pieces(text: string, error?: Error): FilePieces {
  yield new TextEncoder().encode(text);
  if (error) throw error;
}

async function textOf(url: string | URL): Promise<string> {
  const source = await openSource(url);
  return new TextDecoder().decode(await source.read(0, source.size));
}

test('opfs:// addresses are paths of files, which are listed and removed', async () => {
  originFiles();
  await targetOf('opfs://models/deep/net.bin').write(pieces('deep'));
  await targetOf(new URL('opfs://models/net.bin')).write(pieces('flat'));
  expect(await textOf('opfs://models/deep/net.bin')).toBe('deep');
  expect(await textOf('OPFS:///models/net.bin')).toBe('flat');
  expect((await openSource('opfs://models/net.bin')).name).toBe('opfs://models/net.bin');
  expect((await listFiles('opfs://')).map(({ url, bytes }) => [url, bytes])).toEqual([
    ['opfs://models/deep/net.bin', 4],
    ['opfs://models/net.bin', 4],
  ]);
  expect((await listFiles('opfs://models/deep')).length).toBe(1);
  expect(await listFiles('opfs://nowhere')).toEqual([]);
  expect(await removeFile('opfs://models/net.bin')).toBe(true);
  expect(await removeFile('opfs://models/net.bin')).toBe(false);
  await expect(openSource('opfs://models/net.bin')).rejects.toThrow(FormatError);
});

test('a folder in opfs:// is a model of TF.js, and a file has those next to it', async () => {
  originFiles();
  await targetOf('opfs://m/model.json').write(pieces('{}'));
  await targetOf('opfs://m/shards/1.bin').write(pieces('1'));
  for (const url of ['opfs://m', 'opfs://m/model.json']) {
    const source = await openSource(url);
    expect([source.name, source.size]).toEqual(['opfs://m/model.json', 2]);
    expect((await source.sibling?.('shards/1.bin'))?.size).toBe(1);
    await expect(source.sibling?.('2.bin')).rejects.toThrow(FormatError);
  }
});

test('an interrupted write leaves the old file, and no new one', async () => {
  originFiles();
  await targetOf('opfs://net.bin').write(pieces('old'));
  for (const name of ['net', 'new'])
    await expect(targetOf(`opfs://${name}.bin`).write(pieces('half', new Error('gone')))).rejects.toThrow(
      'gone',
    );
  expect(await textOf('opfs://net.bin')).toBe('old');
  expect((await listFiles('opfs://')).map(({ url }) => url)).toEqual(['opfs://net.bin']);
});

test('an aborted save leaves the old model, whenever it is aborted', async () => {
  originFiles();
  const net = sequential([input({ shape: [2] }), layers.dense({ units: 2, name: 'top' })]);
  const progress: unknown[] = [];
  await net.save('opfs://net.keras', { onProgress: (state) => progress.push(state) });
  expect(progress).toEqual([
    { saved: 16, total: 24 },
    { saved: 24, total: 24 },
  ]);
  const old = await openSource('opfs://net.keras');
  const wanted = await old.read(0, old.size);
  const tensors = memory().tensors;
  for (const at of [0, 16, 24]) {
    const controller = new AbortController();
    const { signal } = controller;
    if (at === 0) controller.abort();
    const onProgress = ({ saved }: { saved: number }) => {
      if (saved === at) controller.abort();
    };
    const saving = net.save('opfs://net.keras', { signal, onProgress });
    await expect(saving).rejects.toMatchObject({ name: 'AbortError' });
    const now = await openSource('opfs://net.keras');
    expect(await now.read(0, now.size)).toEqual(wanted);
  }
  expect(memory().tensors).toBe(tensors);
  const loaded = await loadModel('opfs://net.keras');
  expect(await loaded.weights[0]?.array()).toEqual(await net.weights[0]?.array());
  loaded.dispose();
  await expect(net.save('opfs://net.keras', { sginal: null } as never)).rejects.toThrow(/signal/);
  await expect(net.save('opfs://net')).rejects.toThrow(/ends in \.keras/);
  net.dispose();
});

test('a download has the name of its file, and begins once the file is complete', async () => {
  const clicked: unknown[] = [];
  const link = { href: '', download: '', click: () => clicked.push([link.download, link.href]) };
  vi.stubGlobal('document', { createElement: () => link });
  await targetOf('downloads://runs/net.keras').write(pieces('whole'));
  expect(clicked).toEqual([['net.keras', expect.stringMatching(/^blob:/)]]);
  expect(await (await fetch(link.href)).text()).toBe('whole');
  URL.revokeObjectURL(link.href);
  await expect(targetOf('downloads://net.keras').write(pieces('half', new Error('gone')))).rejects.toThrow(
    'gone',
  );
  expect(clicked.length).toBe(1);
  await expect(openSource('downloads://net.keras')).rejects.toThrow(/input type="file"/);
});

test('what the browser lacks, rejects or has no room for is said', async () => {
  vi.stubGlobal('navigator', {});
  await expect(openSource('opfs://net.keras')).rejects.toThrow(/opfs:\/\/ needs[\s\S]*https/);
  await expect(targetOf('opfs://net.keras').write(pieces(''))).rejects.toThrow(ValueError);
  await expect(openSource('indexeddb://net')).rejects.toThrow(/indexeddb:\/\/ needs IndexedDB/);
  await expect(targetOf('indexeddb://net').write(pieces(''))).rejects.toThrow(ValueError);
  await expect(targetOf('downloads://net.keras').write(pieces(''))).rejects.toThrow(/in a page/);
  await expect(listFiles('downloads://')).rejects.toThrow(/opfs:\/\/ and indexeddb:\/\//);
  await expect(removeFile('net.keras')).rejects.toThrow(ValueError);
  await expect(removeFile('opfs://')).rejects.toThrow(/names a file/);
  expect(() => targetOf('opfs://')).toThrow(/names a file/);
  expect(() => targetOf('opfs://../net.keras')).toThrow(/single slashes/);
  await expect(openSource('opfs://a//b')).rejects.toThrow(/single slashes/);
  expect(() => targetOf('localstorage://net')).toThrow(/indexeddb:\/\/net/);

  const root = originFiles();
  await targetOf('opfs://net.bin').write(pieces('old'));
  const full = new DOMException('no room', 'QuotaExceededError');
  await expect(targetOf('opfs://net.bin').write(pieces('new', full))).rejects.toThrow(
    /enough storage for the file/,
  );
  await expect(targetOf('opfs://net.bin').write(pieces('new', full))).rejects.toBeInstanceOf(RetrogradError);
  Object.assign(root.entries.get('net.bin') as object, { createWritable: undefined });
  await expect(targetOf('opfs://net.bin').write(pieces('new'))).rejects.toThrow(/Safari before 26/);
  expect(await textOf('opfs://net.bin')).toBe('old');
});
