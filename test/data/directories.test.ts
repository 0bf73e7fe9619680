/** @file Images and texts of directories, as keras.utils reads them (test/fixtures/data/directories.py). */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type DirectoryDataset,
  type ImageDirectoryOptions,
  imageDatasetFromDirectory,
  textDatasetFromDirectory,
} from '../../src/data/index.ts';
import { FormatError, init, Tensor, ValueError } from '../../src/index.ts';
import cases from '../fixtures/data/directories.json' with { type: 'json' };
import { FakeFolder } from '../support/fakeOriginFiles.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-directories-'));
const bytesOf = (content: string) => new Uint8Array(Buffer.from(content, 'base64'));
type SetName = keyof typeof cases.sets;
const entriesOf = (set: string) => Object.entries(cases.sets[set as SetName] as Record<string, string>);

beforeAll(async () => {
  await init();
  for (const set of Object.keys(cases.sets)) {
    for (const [name, content] of entriesOf(set)) {
      const target = path.join(folder, set, name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, bytesOf(content));
    }
  }
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The pixels of a PNG file without filters, as the fixture has them. */
function decode(bytes: Uint8Array) {
  const file = Buffer.from(bytes);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const channels = file[25] === 6 ? 4 : 3;
  const start = file.indexOf('IDAT');
  const rows = inflateSync(file.subarray(start + 4, start + 4 + file.readUInt32BE(start - 4)));
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < channels; c++)
        data[4 * (y * width + x) + c] = rows[y * (1 + width * channels) + 1 + x * channels + c] as number;
  return { width, height, data };
}

/** The files of `<input type="file" webkitdirectory>`, in any order. */
const chosen = (set: string) =>
  entriesOf(set)
    .reverse()
    .map(([name, content]) => {
      const file = new File([bytesOf(content)], path.basename(name));
      return Object.defineProperty(file, 'webkitRelativePath', { value: `${set}/${name}` });
    });

async function folderHandle(set: string): Promise<FileSystemDirectoryHandle> {
  const root = new FakeFolder(set);
  for (const [name, content] of entriesOf(set)) {
    const parts = name.split('/');
    const last = parts.pop() as string;
    let at = root;
    for (const part of parts) at = await at.getDirectoryHandle(part, { create: true });
    const stream = await (await at.getFileHandle(last, { create: true })).createWritable();
    const writer = stream.getWriter();
    await writer.write(bytesOf(content));
    await writer.close();
  }
  return root as unknown as FileSystemDirectoryHandle;
}

const camel = (options: object) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

type Made = DirectoryDataset<unknown>;
type Load = (source: unknown, options: object) => Promise<Made | [Made, Made]>;
const images = ((source: never, options: object) =>
  imageDatasetFromDirectory(source, { decode, ...options } as ImageDirectoryOptions)) as Load;
const texts = textDatasetFromDirectory as unknown as Load;

async function valueIn(part: unknown): Promise<unknown> {
  if (part instanceof Tensor) return part.array();
  return ArrayBuffer.isView(part)
    ? (part as Int32Array & { shape?: [] }).shape
      ? (part as Int32Array)[0]
      : [...(part as Float32Array)]
    : part;
}

async function batchesOf(made: Made): Promise<unknown[]> {
  const batches: unknown[] = [];
  for await (const item of made)
    batches.push(await Promise.all((Array.isArray(item) && !isTexts(item) ? item : [item]).map(valueIn)));
  return batches;
}
const isTexts = (item: readonly unknown[]) => item.every((part) => typeof part === 'string');

interface Expected {
  paths: string[] | null;
  classes: string[] | null;
  batches?: unknown;
}

/** Compares with Keras's values, which are rounded to four digits. */
function expectNear(found: unknown, expected: unknown, tolerance: number, where = ''): void {
  if (Array.isArray(expected)) {
    expect((found as unknown[]).length, where).toBe(expected.length);
    for (const [i, value] of expected.entries())
      expectNear((found as unknown[])[i], value, tolerance, `${where}[${i}]`);
  } else if (typeof expected === 'number') {
    expect(Math.abs((found as number) - expected), where).toBeLessThan(tolerance);
  } else {
    expect(found, where).toEqual(expected);
  }
}

async function expectSame(
  made: Made | [Made, Made],
  expected: readonly Expected[],
  root: string,
  tolerance = 2e-3,
) {
  const both = [made].flat() as Made[];
  expect(both).toHaveLength(expected.length);
  for (const [i, one] of both.entries()) {
    const { paths, classes, batches } = expected[i] as Expected;
    if (paths) expect(one.filePaths).toEqual(paths.map((name) => root + name));
    expect(one.classNames).toEqual(classes);
    const found = await batchesOf(one);
    expect(one.cardinality).toBe(found.length);
    if (batches) expectNear(found, batches, tolerance);
  }
}

const titled = <C extends { options: object; set: string }>(list: readonly C[]) =>
  list.map((one) => [`${one.set} with ${JSON.stringify(one.options)}`, one] as const);

describe('as Keras', () => {
  test.each(titled(cases.order))('order: %s', async (_, { set, options, made }) => {
    const given = { imageSize: 1, ...camel(options) };
    await expectSame(
      await images(path.join(folder, set), given),
      made as Expected[],
      `${path.join(folder, set)}/`,
    );
    await expectSame(await images(chosen(set), given), made as Expected[], '');
    await expectSame(await images(await folderHandle(set), given), made as Expected[], '');
  });

  test.each(titled(cases.looks))('pixels: %s', async (_, { set, options, made }) => {
    // TensorFlow reads cubic weights from a table of 1,024 entries, and is as far from the formula as this.
    const tolerance = 'interpolation' in options && options.interpolation === 'bicubic' ? 0.1 : 2e-3;
    await expectSame(await images(chosen(set), camel(options)), made as Expected[], '', tolerance);
  });

  test.each(titled(cases.texts))('texts: %s', async (_, { set, options, made }) => {
    await expectSame(
      await texts(path.join(folder, set), camel(options)),
      made as Expected[],
      `${path.join(folder, set)}/`,
    );
    await expectSame(await texts(await folderHandle(set), camel(options)), made as Expected[], '');
  });
});

test("without `decode` it is the browser's decoder, with stored colours", async () => {
  const decoder = vi.fn(async (blob: Blob, ..._: readonly unknown[]) => ({
    ...decode(new Uint8Array(await blob.arrayBuffer())),
    close: vi.fn(),
  }));
  vi.stubGlobal('createImageBitmap', decoder);
  try {
    const made = (await imageDatasetFromDirectory(chosen('grey'), { imageSize: 2, shuffle: false })) as Made;
    const own = (await images(chosen('grey'), { imageSize: 2, shuffle: false })) as Made;
    expect(await batchesOf(made)).toEqual(await batchesOf(own));
    const stored = { colorSpaceConversion: 'none', premultiplyAlpha: 'none', imageOrientation: 'none' };
    expect(decoder.mock.calls.map(([, ...options]) => options)).toEqual(Array(4).fill([stored]));
  } finally {
    vi.unstubAllGlobals();
  }
});

test('labels are int32, float32 vectors, or float32 of one axis', async () => {
  const labelsOf = async (labelMode: string) => {
    const made = await images(chosen('grey'), { labelMode, imageSize: 2 });
    for await (const [x, y] of made as AsyncIterable<[Tensor, Tensor]>) return [x.shape, y.dtype, y.shape];
    return null;
  };
  expect(await labelsOf('int')).toEqual([[4, 2, 2, 3], 'int32', [4]]);
  expect(await labelsOf('binary')).toEqual([[4, 2, 2, 3], 'float32', [4, 1]]);
  expect(await labelsOf('categorical')).toEqual([[4, 2, 2, 3], 'float32', [4, 2]]);
});

test('files are shuffled again in each pass, with their labels', async () => {
  const made = (await texts(chosen('texts'), { seed: 3, batchSize: null })) as Made;
  const pass = async () => {
    const found: string[] = [];
    for await (const [text, label] of made as AsyncIterable<[string, Int32Array]>)
      found.push(`${text}: ${label[0]}`);
    return found;
  };
  const [first, second] = [await pass(), await pass()];
  expect(first).not.toEqual(second);
  expect([...first].sort()).toEqual(['bad été\n: 0', 'good film: 1', 'worse: 0', ': 1', '你好: 1'].sort());
  expect([...second].sort()).toEqual([...first].sort());
});

test('files without directories have no classes, but may be read without labels', async () => {
  const files = [new File(['a'], 'x.txt'), new File(['b'], 'w.txt')];
  await expect(texts(files, {})).rejects.toThrow(/pass labels: null/);
  const made = (await texts(files, { labels: null, shuffle: false })) as Made;
  expect(await batchesOf(made)).toEqual([[['b', 'a']]]);
});

test.skipIf(process.platform === 'win32')(
  'classes may be links; other links to directories are followed on request',
  async () => {
    const root = path.join(folder, 'links');
    fs.mkdirSync(root);
    fs.symlinkSync(path.join(folder, 'texts/neg'), path.join(root, 'neg'));
    fs.mkdirSync(path.join(root, 'pos'));
    fs.symlinkSync(path.join(folder, 'texts/pos'), path.join(root, 'pos/more'));
    fs.symlinkSync(path.join(folder, 'texts/pos/4.txt'), path.join(root, 'pos/4.txt'));
    const paths = async (followLinks: boolean) =>
      ((await texts(root, { followLinks, shuffle: false })) as Made).filePaths.map((file) =>
        path.relative(root, file),
      );
    expect(await paths(false)).toEqual(['neg/1.txt', 'neg/3.txt', 'pos/4.txt']);
    expect(await paths(true)).toEqual([
      ...['neg/1.txt', 'neg/3.txt', 'pos/4.txt'],
      ...['pos/more/2.TXT', 'pos/more/4.txt', 'pos/more/deep/0.txt'],
    ]);
  },
);

describe('rejects', () => {
  test.each<[string, object, RegExp]>([
    ['unknown options', { imagesize: 3 }, /imageSize/],
    ['labels', { labels: 'infered' }, /`labels` is/],
    ['labels for other files', { labels: [1, 2] }, /2 labels for 9 files/],
    ['a label mode', { labelMode: 'sparse' }, /labelMode/],
    ['binary labels of three classes', { labelMode: 'binary' }, /two classes/],
    ['classes that are no directories', { classNames: ['cats', 'cows'] }, /no directory 'cows'/],
    ['classes of listed labels', { labels: null, classNames: ['cats'] }, /classNames/],
    ['a split without a part', { validationSplit: 0.5 }, /together/],
    ['a part without a split', { subset: 'training' }, /together/],
    ['a shuffled split without a seed', { validationSplit: 0.5, subset: 'training' }, /no seed/],
    ['a split of all', { validationSplit: 1, subset: 'both' }, /between 0 and 1/],
    [
      'a split that leaves nothing',
      { validationSplit: 0.01, subset: 'training', seed: 1 },
      /has files for training/,
    ],
    ['a seed', { seed: -1 }, /2\^32/],
    ['a colour mode', { colorMode: 'bgr' }, /colorMode/],
    ['two ways to keep the ratio', { cropToAspectRatio: true, padToAspectRatio: true }, /leave out one/],
    ['a size', { imageSize: [1, 2, 3] }, /imageSize/],
    ['an interpolation', { interpolation: 'gaussian' }, /interpolation/],
    ['a batch size', { batchSize: 0 }, /batchSize/],
    ['a decoder', { decode: 'png' }, /decode/],
  ])('%s', async (_, options, message) => {
    const made = images(chosen('images'), options);
    await expect(made).rejects.toThrow(message);
    await expect(made).rejects.toThrow(ValueError);
  });

  test('what is no directory', async () => {
    await expect(images(path.join(folder, 'nowhere'), {})).rejects.toThrow(FormatError);
    await expect(images(7, {})).rejects.toThrow(/directory handle/);
    await expect(images(['cats'], {})).rejects.toThrow(/directory handle/);
    await expect(images('https://example.org/images', {})).rejects.toThrow(/directory handle/);
    const withoutImages = chosen('texts').filter(({ name }) => name.endsWith('.txt'));
    await expect(images(withoutImages, {})).rejects.toThrow(/none of the formats/);
    await expect(texts(chosen('texts'), { maxLength: -1 })).rejects.toThrow(/maxLength/);
  });

  test('images without a decoder, in Node', async () => {
    await expect(imageDatasetFromDirectory(chosen('images'))).rejects.toThrow(/only browsers/);
  });
});
