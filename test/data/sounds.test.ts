/** @file Sounds of directories, as keras.utils reads them (test/fixtures/data/sounds.py), and WAV files in all forms. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AudioDirectoryOptions,
  audioDatasetFromDirectory,
  type DirectoryDataset,
} from '../../src/data/index.ts';
import { readWav } from '../../src/formats/wav.ts';
import { FormatError, init, Tensor, ValueError } from '../../src/index.ts';
import fixture from '../fixtures/data/sounds.json' with { type: 'json' };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-sounds-'));
const bytesOf = (content: string) => new Uint8Array(Buffer.from(content, 'base64'));
const entriesOf = (set: string) => Object.entries(fixture.sets[set as 'mono'] as Record<string, string>);

beforeAll(async () => {
  await init();
  for (const set of Object.keys(fixture.sets))
    for (const [name, content] of entriesOf(set)) {
      const target = path.join(folder, set, name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, bytesOf(content));
    }
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The files of `<input type="file" webkitdirectory>`. */
const chosen = (set: string) =>
  entriesOf(set).map(([name, content]) =>
    Object.defineProperty(new File([bytesOf(content)], path.basename(name)), 'webkitRelativePath', {
      value: `${set}/${name}`,
    }),
  );

type Made = DirectoryDataset<unknown>;
const sounds = audioDatasetFromDirectory as unknown as (
  source: unknown,
  options: object,
) => Promise<Made | [Made, Made]>;

const camel = (options: object) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const nested = (values: readonly number[], [size, ...shape]: readonly number[]): unknown => {
  if (size === undefined) return values[0];
  const step = values.length / size;
  return Array.from({ length: size }, (_, i) => nested(values.slice(i * step, (i + 1) * step), shape));
};

async function valuesIn(part: unknown): Promise<unknown> {
  if (part instanceof Tensor) return part.array();
  const { shape = [(part as Float32Array).length] } = part as { shape?: readonly number[] };
  return nested([...(part as Float32Array)], shape);
}

async function batchesOf(made: Made): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of made) found.push(await Promise.all([item].flat().map(valuesIn)));
  return found;
}

describe('as Keras', () => {
  const titled = fixture.cases.map((one) => [`${one.set} with ${JSON.stringify(one.options)}`, one] as const);
  test.each(titled)('%s', async (_, { set, options, made, ...rest }) => {
    for (const source of [path.join(folder, set), chosen(set)]) {
      const both = [await sounds(source, camel(options))].flat() as Made[];
      expect(both).toHaveLength(made.length);
      for (const [i, one] of both.entries()) {
        const { classes, batches } = made[i] as { classes: string[] | null; batches?: unknown };
        expect(one.classNames).toEqual(classes);
        const found = await batchesOf(one);
        expect(one.cardinality).toBe(found.length);
        // Keras's shuffling of a pass is another one.
        if (batches) expect(found).toEqual(batches);
        else {
          const values = found.flatMap((batch) =>
            (batch as number[][][][])[0]?.map((x) => x.flat().filter(Boolean)),
          );
          const { sounds: expected } = rest as unknown as { sounds: number[][] };
          expect(values.map(String).toSorted()).toEqual(expected.map(String).toSorted());
        }
      }
    }
  });
});

interface Header {
  encoding?: number;
  bits?: number;
  channels?: number;
  rate?: number;
  before?: readonly number[];
  extension?: readonly number[];
  size?: number;
}

/** A WAV file with that header and data. */
function wav(data: readonly number[], header: Header = {}): Uint8Array<ArrayBuffer> {
  const {
    encoding = 1,
    bits = 16,
    channels = 1,
    rate = 8000,
    before = [],
    extension = [],
    size = data.length,
  } = header;
  const word = (value: number) => [value & 255, (value >> 8) & 255];
  const long = (value: number) => [...word(value), ...word(value >>> 16)];
  const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
  const block = (channels * bits) / 8;
  const format = [
    ...word(encoding),
    ...word(channels),
    ...long(rate),
    ...long(rate * block),
    ...word(block),
    ...word(bits),
  ];
  const parts = [...ascii('fmt '), ...long(16 + extension.length), ...format, ...extension, ...before];
  const body = [...ascii('WAVE'), ...parts, ...ascii('data'), ...long(size), ...data];
  return Uint8Array.from([...ascii('RIFF'), ...long(body.length), ...body]);
}

const bytesIn = (values: ArrayBufferView) => [...new Uint8Array(values.buffer)];

describe('WAV files', () => {
  test.each<[string, Uint8Array, readonly number[]]>([
    ['8 bits', wav([0, 64, 128, 255], { bits: 8 }), [-1, -0.5, 0, 127 / 128]],
    ['16 bits', wav(bytesIn(Int16Array.of(-32768, 16384, 1))), [-1, 0.5, 2 ** -15]],
    ['24 bits', wav([0, 0, 128, 255, 255, 127, 1, 0, 0], { bits: 24 }), [-1, 1 - 2 ** -23, 2 ** -23]],
    ['32 bits', wav(bytesIn(Int32Array.of(-(2 ** 31), 2 ** 30)), { bits: 32 }), [-1, 0.5]],
    ['floats', wav(bytesIn(Float32Array.of(0.25, -1.5)), { encoding: 3, bits: 32 }), [0.25, -1.5]],
    [
      'an extended format',
      wav(bytesIn(Int16Array.of(8192)), { encoding: 0xfffe, extension: [22, 0, 16, 0, 0, 0, 0, 0, 1, 0] }),
      [0.25],
    ],
    [
      'other parts',
      wav(bytesIn(Int16Array.of(8192)), { before: [76, 73, 83, 84, 3, 0, 0, 0, 1, 2, 3, 0] }),
      [0.25],
    ],
    ['a stream', wav(bytesIn(Int16Array.of(8192, 0)), { size: 0xffffffff }), [0.25, 0]],
    ['no samples', wav([]), []],
  ])('%s', (_, bytes, expected) => {
    const { samples, frames, channels, sampleRate } = readWav(bytes, 'a.wav');
    expect([...samples]).toEqual(expected);
    expect([frames, channels, sampleRate]).toEqual([expected.length, 1, 8000]);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /0 bytes/],
    ['other bytes', new Uint8Array(60), /RIFF/],
    [
      'a file that is cut short',
      wav([1, 2, 3, 4]).subarray(0, 46),
      /'data' of 4 bytes, of which 2 are there/,
    ],
    ['half a sample', wav([1, 2, 3]), /whole samples/],
    ['a law of telephones', wav([1], { encoding: 7, bits: 8 }), /encoding 7 of 8 bits[\s\S]*ffmpeg/],
    ['floats of 64 bits', wav([], { encoding: 3, bits: 64 }), /64 bits/],
    ['no channels', wav([], { channels: 0 }), /channel/],
    ['an extension that is missing', wav([], { encoding: 0xfffe }), /26 bytes/],
    ['no data', wav([]).subarray(0, 36), /no data/],
    ['a large part', wav([], { before: [76, 73, 83, 84, 255, 255, 255, 255] }), /'LIST' of 4294967295 bytes/],
  ])('rejects %s', (_, bytes, message) => {
    expect(() => readWav(bytes, 'a.wav')).toThrow(FormatError);
    expect(() => readWav(bytes, 'a.wav')).toThrow(message);
  });
});

describe('rejects', () => {
  test.each<[string, object, RegExp]>([
    ['unknown options', { sequenceLength: 3 }, /outputSequenceLength/],
    ['no samples', { outputSequenceLength: 0 }, /outputSequenceLength/],
    ['half a rate', { samplingRate: 0.5 }, /samplingRate/],
    ['ragged tensors', { ragged: true }, /zeros at the end/],
    ['three classes', { labelMode: 'binary', classNames: ['no'] }, /two classes/],
  ])('%s', async (_, options, message) => {
    const made = sounds(chosen('mono'), options);
    await expect(made).rejects.toThrow(message);
    await expect(made).rejects.toThrow(ValueError);
  });

  test('damaged files and other rates, in a pass', async () => {
    const files = (bytes: Uint8Array<ArrayBuffer>) => [new File([bytes], 'x.wav')];
    const first = async (bytes: Uint8Array<ArrayBuffer>, options: AudioDirectoryOptions) =>
      batchesOf((await sounds(files(bytes), { labels: null, ...options })) as Made);
    await expect(first(new Uint8Array(50), {})).rejects.toThrow(FormatError);
    await expect(first(wav([0, 0]), { samplingRate: 16_000 })).rejects.toThrow(/8000 in 'x.wav'/);
    expect(await first(wav([0, 64]), { samplingRate: 8000, outputSequenceLength: 2 })).toEqual([
      [[[[0.5], [0]]]],
    ]);
    await expect(sounds([new File([], 'x.mp3')], { labels: null })).rejects.toThrow(
      /none of the formats .wav/,
    );
  });
});
