/** @file tensorBoard: its files, read according to the format specifications. */
import { expect, test } from 'vitest';
import { ValueError } from '../../../src/index.ts';
import { CallbackList, sinks, tensorBoard } from '../../../src/keras/callbacks/index.ts';
import { crc32c } from '../../../src/keras/callbacks/eventFile.ts';
import { runEpochs, StubModel } from './stub.ts';

/** From RFC 3720 B.4, and the check value of CRC-32C in the catalogue of parametrised CRC algorithms. */
test.each<[number[], number]>([
  [new Array(32).fill(0), 0x8a9136aa],
  [new Array(32).fill(0xff), 0x62a8ab43],
  [Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  [[...'123456789'].map((c) => c.charCodeAt(0)), 0xe3069283],
])('checksum of %j', (bytes, wanted) => {
  expect(crc32c(Uint8Array.from(bytes))).toBe(wanted);
});

/** Returns the records of a file, with checked checksums. */
function records(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const unmasked = (at: number) => {
    const rotated = (view.getUint32(at, true) - 0xa282ead8) >>> 0;
    return ((rotated << 15) | (rotated >>> 17)) >>> 0;
  };
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = Number(view.getBigUint64(at, true));
    expect(unmasked(at + 8)).toBe(crc32c(bytes.subarray(at, at + 8)));
    const data = bytes.subarray(at + 12, at + 12 + length);
    expect(unmasked(at + 12 + length)).toBe(crc32c(data));
    found.push(data);
    at += length + 16;
  }
  return found;
}

/** Decodes the fields of a message: numbers by their wire types, and bytes. */
function fields(bytes: Uint8Array): [field: number, value: number | Uint8Array][] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: [number, number | Uint8Array][] = [];
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const type = key & 7;
    if (type === 0) found.push([key >> 3, varint()]);
    else if (type === 1) {
      found.push([key >> 3, view.getFloat64(at, true)]);
      at += 8;
    } else if (type === 5) {
      found.push([key >> 3, view.getFloat32(at, true)]);
      at += 4;
    } else {
      const length = varint();
      found.push([key >> 3, bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return found;
}

const textOf = (value: unknown) => new TextDecoder().decode(value as Uint8Array);

/** [step, { tag: value }] of each event but the first, which names the version. */
function curvesOf(bytes: Uint8Array): [step: number, scalars: Record<string, number>][] {
  const [first, ...events] = records(bytes).map((data) => new Map(fields(data)));
  expect(textOf(first?.get(3))).toBe('brain.Event:2');
  return events.map((event) => {
    expect(event.get(1)).toBeGreaterThan(1.5e9);
    const values = fields(event.get(5) as Uint8Array).map(
      ([, value]) => new Map(fields(value as Uint8Array)),
    );
    const scalars = values.map((value) => [textOf(value.get(1)), value.get(2) as number]);
    return [event.get(2) as number, Object.fromEntries(scalars)];
  });
}

test('curves of training and validation, in separate files', async () => {
  const sink = sinks.memoryFiles();
  const logs = Array.from({ length: 130 }, (_, i) => ({ loss: 1 / (i + 1), val_loss: i }));
  await runEpochs(tensorBoard({ logDir: 'runs/a', sink }), logs);
  const names = [...sink.files.keys()];
  expect(names.map((name) => name.replace(/\d+/, 'N'))).toEqual([
    'runs/a/train/events.out.tfevents.N.retrograd',
    'runs/a/validation/events.out.tfevents.N.retrograd',
  ]);
  const [train, validation] = names.map((name) => curvesOf(sink.files.get(name) as Uint8Array));
  expect(train).toEqual(
    logs.map(({ loss }, i) => [i, { epoch_loss: Math.fround(loss), epoch_learning_rate: 1 }]),
  );
  expect(validation?.at(-1)).toEqual([129, { epoch_loss: 129 }]);
});

test('batches, every n of the run, and steps per second', async () => {
  const sink = sinks.memoryFiles();
  const board = tensorBoard({ sink, updateFreq: 3, writeStepsPerSecond: true });
  expect(board.readsBatchLogs).toBe(true);
  expect(tensorBoard({ sink }).readsBatchLogs).toBe(false);
  const model = new StubModel();
  const list = new CallbackList(board, { model, params: { epochs: 2, steps: 4, verbose: 0 } });
  await list.onTrainBegin();
  for (const epoch of [0, 1]) {
    await list.onEpochBegin(epoch);
    for (const batch of [0, 1, 2, 3])
      await list.onTrainBatchEnd(batch, async () => ({ loss: 10 * epoch + batch }));
    await list.onEpochEnd(epoch, { loss: epoch });
  }
  const [train] = [...sink.files.values()].map(curvesOf);
  const steps = train?.map(([step, scalars]) => [step, Object.keys(scalars), scalars.batch_loss ?? null]);
  const epochs = ['epoch_loss', 'epoch_learning_rate', 'epoch_steps_per_second'];
  expect(steps).toEqual([
    [3, ['batch_loss'], 2],
    [0, epochs, null],
    [6, ['batch_loss'], 11],
    [1, epochs, null],
  ]);
  expect(train?.[1]?.[1].epoch_steps_per_second).toBeGreaterThan(0);
});

test('histograms of weights, every n epochs', async () => {
  const sink = sinks.memoryFiles();
  const weight = { path: 'dense/kernel', data: async () => Float32Array.of(0, 0, 1, 3, Number.NaN) };
  const model = Object.assign(new StubModel(), { weights: [weight] as never });
  const logs = [{ loss: 1 }, { loss: 1 }, { loss: 1 }];
  await runEpochs(tensorBoard({ sink, histogramFreq: 2 }), logs, { model });
  const file = [...sink.files.values()][0] as Uint8Array;
  const found = records(file)
    .slice(1)
    .map((data) => new Map(fields(data)))
    .flatMap((event) => {
      const [[, value]] = fields(event.get(5) as Uint8Array) as [[number, Uint8Array]];
      const parts = new Map(fields(value));
      return parts.has(5) ? [{ step: event.get(2), tag: textOf(parts.get(1)), bars: parts.get(5) }] : [];
    });
  expect(found.map(({ step, tag }) => [step, tag])).toEqual([
    [0, 'dense/kernel/histogram'],
    [2, 'dense/kernel/histogram'],
  ]);
  const histogram = new Map(fields(found[0]?.bars as Uint8Array));
  // Fields of HistogramProto: min, max, num, sum, sum_squares.
  expect([1, 2, 3, 4, 5].map((number) => histogram.get(number))).toEqual([0, 3, 4, 4, 10]);
  const doubles = (number: number) => new Float64Array((histogram.get(number) as Uint8Array).slice().buffer);
  expect(doubles(6).at(-1)).toBeCloseTo(3, 12);
  expect([...doubles(7).entries()].filter(([, count]) => count > 0)).toEqual([
    [0, 2],
    [10, 1],
    [29, 1],
  ]);
});

test('rejections', () => {
  expect(() => tensorBoard({ histogramFreq: -1 })).toThrow(/histogramFreq/);
  expect(() => tensorBoard({ updateFreq: 0 })).toThrow(/'epoch', 'batch' or a number/);
  expect(() => tensorBoard({ updateFreq: 'steps' as never })).toThrow(ValueError);
  expect(() => tensorBoard({ logDir: '' })).toThrow(ValueError);
  expect(() => tensorBoard({ sink: 3 as never })).toThrow(ValueError);
  expect(() => tensorBoard({ log_dir: 'x' } as never)).toThrow(/logDir/);
});
