/** @file Datasets of what isn't data, and passes that fail: typed errors, and no tensor is left. */
import { beforeAll, describe, expect, test } from 'vitest';
import { audioDatasetFromDirectory, Dataset, fromIterable, zip } from '../../src/data/index.ts';
import { init, memory, RetrogradError, ShapeError, tensor, ValueError } from '../../src/index.ts';

beforeAll(() => init());

const tensors = () =>
  fromIterable(function* () {
    for (let i = 0; i < 3; i++) yield tensor([i, i]);
  });

/** The error of a pass, which leaves no tensors. */
async function errorOf(dataset: Dataset<unknown>): Promise<unknown> {
  const before = memory().tensors;
  let failed: unknown = null;
  try {
    await dataset.toArray();
  } catch (error) {
    failed = error;
  }
  expect(memory().tensors).toBe(before);
  return failed;
}

describe('elements that contain themselves, or are very deep', () => {
  const cyclic: Record<string, unknown> = { a: 1 };
  Object.assign(cyclic, { b: cyclic, c: cyclic });
  let deep: unknown = 1;
  for (let i = 0; i < 50_000; i++) deep = [deep];

  test.each([
    ['itself', cyclic],
    ['deep', { deep }],
  ])('%s', async (_, element) => {
    const dataset = fromIterable([element, element]);
    expect(await errorOf(dataset.batch(2))).toBeInstanceOf(ValueError);
    expect(await errorOf(dataset.paddedBatch(2))).toBeInstanceOf(ValueError);
    const made = fromIterable([1]).map(() => element);
    for (const passed of [made.shuffle(2), made.filter(() => false), made.map(() => 1)])
      expect(await errorOf(passed)).toBe(null);
  });
});

test('a function that opens no dataset', async () => {
  for (const opened of [5, null, [1, 2]])
    expect(await errorOf(new Dataset(() => opened as never))).toBeInstanceOf(ValueError);
});

test('a stream that another reader holds', async () => {
  const stream = new ReadableStream({ pull: (controller) => controller.enqueue(1) });
  stream.getReader();
  expect(await errorOf(fromIterable(stream))).toBeInstanceOf(ValueError);
});

test('steps that fail free the elements that they hold', async () => {
  const mine = new Error('mine');
  const fails = (): never => {
    throw mine;
  };
  const late = fromIterable(async function* () {
    yield 1;
    fails();
  });
  expect(await errorOf(tensors().filter(fails))).toBe(mine);
  expect(await errorOf(tensors().filter(() => 'yes' as never))).toBeInstanceOf(ValueError);
  expect(await errorOf(tensors().filter(() => tensor([1, 2])))).toBeInstanceOf(ShapeError);
  expect(await errorOf(zip([tensors(), late]).map(() => 1))).toBe(mine);
});

test('batches that no tensor holds', async () => {
  const short = fromIterable([[[1]], [[1, 2]]]);
  expect(await errorOf(short.paddedBatch(2, { paddedShapes: [[2 ** 40]] }))).toBeInstanceOf(ShapeError);
  // RIFF, one channel, 8 bits, one sample.
  const bytes = Uint8Array.from(
    [
      ...'RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x01\0\0\0\x80\0',
    ].map((one) => one.charCodeAt(0)),
  );
  const files = [1, 2].map((i) => {
    const file = new File([bytes], `${i}.wav`);
    return Object.defineProperty(file, 'webkitRelativePath', { value: `root/a/${i}.wav` });
  });
  for (const batchSize of [null, 2]) {
    const sounds = await audioDatasetFromDirectory(files, { outputSequenceLength: 2 ** 40, batchSize });
    expect(await errorOf(sounds)).toBeInstanceOf(RetrogradError);
  }
});

test('a padded batch of 150,000 rows', async () => {
  const rows = fromIterable(function* () {
    for (let i = 0; i < 150_000; i++) yield new Float32Array(1);
  });
  const [batch] = await rows.paddedBatch(150_000).toArray();
  expect(batch?.shape).toEqual([150_000, 1]);
  batch?.dispose();
});
