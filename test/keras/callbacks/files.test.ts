/** @file Callbacks that keep files: CSVLogger, names with values in them, sinks; and History as JSON. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { FormatError, MissingHistoryError, ValueError } from '../../../src/core/errors.ts';
import { explainHistory, requireHistory } from '../../../src/history/explain.ts';
import {
  backupAndRestore,
  CSVLogger,
  csvLogger,
  History,
  modelCheckpoint,
  sinks,
} from '../../../src/keras/callbacks/index.ts';
import { PathTemplate } from '../../../src/keras/callbacks/pathTemplate.ts';
import { runEpochs, series } from './stub.ts';

const folder = mkdtempSync(join(tmpdir(), 'callbacks-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder of the origin-private file system, as in browsers. */
class StubFolder {
  readonly folders = new Map<string, StubFolder>();
  readonly files = new Map<string, Uint8Array>();
  paths(): string[] {
    const inside = [...this.folders].flatMap(([name, folder]) =>
      folder.paths().map((path) => `${name}/${path}`),
    );
    return [...this.files.keys(), ...inside];
  }
  async getDirectoryHandle(name: string, { create }: { create: boolean }): Promise<StubFolder> {
    const found = this.folders.get(name) ?? (create ? new StubFolder() : missing());
    this.folders.set(name, found);
    return found;
  }
  async getFileHandle(name: string, { create = false } = {}) {
    if (!create && !this.files.has(name)) missing();
    const write = async (bytes: Uint8Array) => void this.files.set(name, bytes.slice());
    return {
      createWritable: async () => ({ write, close: async () => {} }),
      getFile: async () => new Blob([(this.files.get(name) as Uint8Array).slice()]),
    };
  }
  async removeEntry(name: string): Promise<void> {
    if (!this.files.delete(name)) missing();
  }
}

function missing(): never {
  throw new DOMException('no such entry', 'NotFoundError');
}

const textOf = (bytes: Uint8Array | null | undefined) => new TextDecoder().decode(bytes ?? undefined);

describe('CSVLogger', () => {
  test('writes a row per epoch, with columns by name', async () => {
    const sink = sinks.memoryFiles();
    const logs = [
      { loss: 0.5, accuracy: 0.25 },
      { loss: 0.125, accuracy: 1 },
    ];
    await runEpochs(csvLogger({ filename: 'run/log.csv', sink }), logs);
    expect(textOf(sink.load('run/log.csv'))).toBe('epoch,accuracy,loss\n0,0.25,0.5\n1,1,0.125\n');
  });

  test('has columns for validation that comes later, and NA where a value is missing', async () => {
    const sink = sinks.memoryFiles();
    const logs = [{ loss: 1 }, { loss: 0.5, val_loss: 2 }];
    await runEpochs(csvLogger({ filename: 'log.csv', separator: ';', sink }), logs as never, {
      params: { validation: true },
    });
    expect(textOf(sink.load('log.csv'))).toBe('epoch;loss;val_loss\n0;1;NA\n1;0.5;2\n');
  });

  test('starts a new file, or appends rows', async () => {
    const sink = sinks.memoryFiles();
    const run = (append: boolean, ...values: number[]) =>
      runEpochs(csvLogger({ filename: 'log.csv', append, sink }), series('loss', ...values));
    await run(true, 3);
    await run(true, 2, 1);
    expect(textOf(sink.load('log.csv'))).toBe('epoch,loss\n0,3\n0,2\n1,1\n');
    await run(false, 9);
    expect(textOf(sink.load('log.csv'))).toBe('epoch,loss\n0,9\n');
  });

  test('quotes values that contain the separator', async () => {
    const sink = sinks.memoryFiles();
    await runEpochs(csvLogger({ filename: 'log.csv', sink }), [{ 'a,"b"': 1 }]);
    expect(textOf(sink.load('log.csv'))).toBe('epoch,"a,""b"""\n0,1\n');
  });

  test('takes a function as its sink', async () => {
    const saved: [string, string][] = [];
    const sink = (name: string, bytes: Uint8Array) => void saved.push([name, textOf(bytes)]);
    await runEpochs(csvLogger({ filename: 'log.csv', sink }), series('loss', 1));
    expect(saved.at(-1)).toEqual(['log.csv', 'epoch,loss\n0,1\n']);
    await expect(
      runEpochs(csvLogger({ filename: 'log.csv', sink, append: true }), series('loss', 1)),
    ).rejects.toThrow(/can load/);
  });
});

describe('sinks', () => {
  test('files of Node', async () => {
    const sink = sinks.nodeFiles(folder);
    await sink.save('deep/er/file.bin', new Uint8Array([1, 2, 3]));
    expect([...readFileSync(join(folder, 'deep/er/file.bin'))]).toEqual([1, 2, 3]);
    expect(existsSync(join(folder, 'deep/er/file.bin.part'))).toBe(false);
    expect([...((await sink.load?.('deep/er/file.bin')) ?? [])]).toEqual([1, 2, 3]);
    expect(await sink.load?.('none')).toBeNull();
    await sink.remove?.('deep/er/file.bin');
    await sink.remove?.('deep/er/file.bin');
    expect(existsSync(join(folder, 'deep/er/file.bin'))).toBe(false);
  });

  test('files of Node without a directory may have absolute names', async () => {
    const file = join(folder, 'absolute.bin');
    const sink = sinks.nodeFiles();
    await sink.save(file, new Uint8Array([4]));
    expect([...readFileSync(file)]).toEqual([4]);
    await sink.remove?.(file);
    expect(existsSync(file)).toBe(false);
  });

  test('files of an origin', async () => {
    const root = new StubFolder();
    vi.stubGlobal('navigator', { storage: { getDirectory: async () => root } });
    try {
      const sink = sinks.originFiles('mine');
      await sink.save('deep/file.bin', new Uint8Array([1, 2]));
      expect(root.paths()).toEqual(['mine/deep/file.bin']);
      expect([...((await sink.load?.('deep/file.bin')) ?? [])]).toEqual([1, 2]);
      expect(await sink.load?.('deep/none')).toBeNull();
      expect(await sink.load?.('none/none')).toBeNull();
      await sink.remove?.('deep/file.bin');
      await sink.remove?.('deep/file.bin');
      expect(root.paths()).toEqual([]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('downloads', () => {
    const clicked: string[] = [];
    vi.useFakeTimers();
    vi.stubGlobal('document', {
      createElement: () => ({
        download: '',
        click() {
          clicked.push(this.download);
        },
      }),
    });
    try {
      sinks.downloads().save('run/7.safetensors', new Uint8Array([1]));
      expect(clicked).toEqual(['7.safetensors']);
      vi.runAllTimers();
    } finally {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    }
  });

  test('are rejected if the environment has none', () => {
    expect(() => sinks.originFiles()).toThrow(ValueError);
    expect(() => sinks.downloads()).toThrow(/in a worker pass/);
  });

  test('a file of the origin that could not be written is unchanged', async () => {
    const closed: string[] = [];
    const stream = {
      write: () => Promise.reject(new DOMException('no room', 'QuotaExceededError')),
      abort: async () => void closed.push('abort'),
      close: async () => void closed.push('close'),
    };
    const folder = {
      getDirectoryHandle: async () => folder,
      getFileHandle: async () => ({ createWritable: async () => stream }),
    };
    vi.stubGlobal('navigator', { storage: { getDirectory: async () => folder } });
    try {
      await expect(sinks.originFiles().save('file.bin', new Uint8Array([1]))).rejects.toThrow('no room');
      expect(closed).toEqual(['abort']);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('files in memory are copies', () => {
    const sink = sinks.memoryFiles();
    const bytes = new Uint8Array([1]);
    sink.save('a', bytes);
    bytes[0] = 2;
    expect([...(sink.load('a') ?? [])]).toEqual([1]);
    expect(sink.load('b')).toBeNull();
  });
});

describe('names with values in them', () => {
  const values = { epoch: 7, val_loss: 0.0123456, loss: -1.5, batch: 12, lost: Number.NaN, far: Infinity };
  test.each([
    ['plain.txt', 'plain.txt'],
    ['{epoch}', '7'],
    ['run/{epoch:02d}-{val_loss:.2f}.h5', 'run/07-0.01.h5'],
    ['{lost:.1f}-{far:05.1f}-{lost}', 'nan-00inf-nan'],
    ['{epoch:4d}|', '   7|'],
    ['{val_loss:08.4f}', '000.0123'],
    ['{loss:06.2f}', '-01.50'],
    ['{val_loss:.2e}', '1.23e-02'],
    ['{val_loss:.3}', '0.0123'],
    ['{batch:d}', '12'],
    ['{{epoch}}', '{epoch}'],
  ])('%s is %s', (text, name) => {
    expect(new PathTemplate('op', text).fill(values)).toBe(name);
  });

  test.each(['{', '}', '{}', '{epoch', '{epoch:02x}', '{epoch!r}', '{a.b}'])('%s is rejected', (text) => {
    expect(() => new PathTemplate('op', text)).toThrow(ValueError);
  });

  test('the error for a missing value lists the available ones', () => {
    expect(() => new PathTemplate('op', '{acc}').fill(values)).toThrow(/epoch, val_loss, loss, batch/);
  });
});

describe('History', () => {
  test('keeps the logs of epochs, and the parameters', async () => {
    const logs = [{ loss: 2 }, { loss: 1, val_loss: 3 }];
    const { list } = await runEpochs([], logs as never, { params: { steps: 5 } });
    const history = list.history as History;
    expect(history.history).toEqual({ loss: [2, 1], val_loss: [3] });
    expect(history.epoch).toEqual([0, 1]);
    expect(history.params).toEqual({ epochs: 2, steps: 5, verbose: 0 });
  });

  test('goes to JSON and back', async () => {
    const { list } = await runEpochs([], series('loss', 1, Number.NaN, Number.NEGATIVE_INFINITY));
    const text = JSON.stringify(list.history);
    const again = History.fromJSON(text);
    expect(again.history).toEqual({ loss: [1, Number.NaN, Number.NEGATIVE_INFINITY] });
    expect(again.epoch).toEqual([0, 1, 2]);
    expect(again.params).toEqual(list.history?.params);
    expect(JSON.stringify(again)).toBe(text);
    expect(History.fromJSON(JSON.parse(text)).epoch).toEqual([0, 1, 2]);
  });

  test.each([
    'not json',
    '3',
    'null',
    '{}',
    '{"history":{"loss":1},"epoch":[],"params":{}}',
    '{"history":{"loss":["x"]},"epoch":[],"params":{}}',
    '{"history":{},"epoch":[0.5],"params":{}}',
    '{"history":{},"epoch":[],"params":null}',
  ])('%s is none', (text) => {
    expect(() => History.fromJSON(text)).toThrow(FormatError);
  });

  test('is not the history of a tensor, and says so', () => {
    const history = new History();
    expect(() => history.kerasHistory).toThrow(MissingHistoryError);
    expect(() => history.kerasHistory).toThrow(/metrics of a training run/);
    expect(() => requireHistory(history as never)).toThrow(/metrics of a training run/);
    const { cause, why, hint } = explainHistory(history as never);
    expect(cause).toBe('fresh');
    expect(why).toMatch(/metrics of a training run/);
    expect(hint).toMatch(/history\.history/);
  });
});

const sink = sinks.memoryFiles();
test.each<[string, () => unknown]>([
  ['a table without a name', () => csvLogger({} as never)],
  ['an empty separator', () => csvLogger({ filename: 'a.csv', separator: '' })],
  ['append that is no boolean', () => csvLogger({ filename: 'a.csv', append: 1 as never })],
  ['a sink that is none', () => new CSVLogger({ filename: 'a.csv', sink: {} as never })],
  ['a checkpoint without a name', () => modelCheckpoint({} as never)],
  ['a checkpoint of another format', () => modelCheckpoint({ filepath: 'a.h5', sink })],
  ['a name with a broken value', () => modelCheckpoint({ filepath: '{epoch.safetensors', sink })],
  ['a frequency of 0', () => modelCheckpoint({ filepath: 'a.safetensors', saveFreq: 0, sink })],
  [
    'a frequency that is none',
    () => modelCheckpoint({ filepath: 'a.safetensors', saveFreq: 'step' as never, sink }),
  ],
  [
    'saveBestOnly that is no boolean',
    () => modelCheckpoint({ filepath: 'a.safetensors', saveBestOnly: 1 as never }),
  ],
  [
    'a threshold that is no number',
    () => modelCheckpoint({ filepath: 'a.safetensors', initialValueThreshold: '1' as never }),
  ],
  ['an unknown option', () => modelCheckpoint({ filepath: 'a.safetensors', saveBest: true } as never)],
  ['a backup without a folder', () => backupAndRestore({ backupDir: '' })],
  ['a backup with a frequency of 1.5', () => backupAndRestore({ backupDir: 'b', saveFreq: 1.5 })],
  [
    'deleteCheckpoint that is no boolean',
    () => backupAndRestore({ backupDir: 'b', deleteCheckpoint: 'no' as never }),
  ],
])('%s is rejected', (_, make) => {
  expect(make).toThrow(ValueError);
});
