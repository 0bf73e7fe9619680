/**
 * @file Indices outside their range: found on the device, reported at the next readback, and harmless to everything else.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addN,
  bincount,
  confusionMatrix,
  cropAndResize,
  embedding,
  gather,
  gatherNd,
  GradientTape,
  getDevice,
  IndexOutOfRangeError,
  init,
  mul,
  scatterAdd,
  scatterAddAlongAxis,
  scatterNd,
  segmentSum,
  sum,
  takeAlongAxis,
  type Tensor,
  tensor,
  ValueError,
} from '../../src/index.ts';
import { insideCall } from '../../src/history/frames.ts';
import { Node } from '../../src/history/node.ts';

beforeAll(async () => {
  await init();
});

const floats = (shape: readonly number[]) => {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => i + 1),
    { shape },
  ) as Tensor;
};
const ints = (values: readonly number[], shape: readonly number[] = [values.length]) =>
  tensor(Int32Array.from(values), { shape }) as Tensor;

/** Returns the fault that a readback tells. */
async function faultOf(readback: Promise<unknown>): Promise<IndexOutOfRangeError> {
  const error = await readback.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(IndexOutOfRangeError);
  return error as IndexOutOfRangeError;
}

const thrownBy = (body: () => unknown): unknown => {
  try {
    body();
  } catch (error) {
    return error;
  }
  return null;
};

describe('a fault', () => {
  test('is reported in full by the next readback of its values, and by that one alone', async () => {
    const x = floats([10, 64]);
    const indices = ints([0, 9, 3, 4, 5, 6, 7, 17, 99, -1], [5, 2]);
    const y = gather(x, indices);
    const error = await faultOf(y.data());
    expect(error).toMatchObject({
      op: 'gather',
      layer: undefined,
      position: [3, 1],
      index: 17,
      limit: 10,
      axis: 0,
      others: [],
    });
    expect(error.message).toBe(
      'gather: index 17 at position [3, 1] of `indices` is outside [0, 10), the range of axis 0 of `x` float32[10, 64].\n' +
        "  made by op 'gather'\n" +
        '  hint: clamp or mask the indices, or pass validateIndices: false to read such rows as zeros.',
    );
    const rows = await y.data();
    expect(rows.subarray(0, 64)).toEqual((await x.data()).subarray(0, 64));
    expect(rows.subarray(7 * 64).every((value) => value === 0)).toBe(true);
    await getDevice().sync();
  });

  test('is reported by sync, without reading data', async () => {
    gather(floats([4]), ints([4]));
    await faultOf(getDevice().sync());
    await getDevice().sync();
  });

  test('carries the history of the call, and the layer that made it', async () => {
    using tape = new GradientTape();
    const layer = { name: 'embedding_1', className: 'Embedding' };
    const parts = { operation: layer, inputs: [], outputs: [] };
    new Node(parts);
    const y = insideCall(new Node(parts), () => gather(floats([4, 2]), ints([7])));
    const error = await faultOf(y.data());
    expect(error.history).toBe(y.kerasHistory?.node);
    expect(error.history).toBeInstanceOf(Node);
    expect(error.layer).toBe('embedding_1');
    expect(error.message).toContain("made by layer 'embedding_1' (call 2)");
    expect(tape.isRecording).toBe(true);
  });

  test('leaves the launches after it alone', async () => {
    const x = floats([3]);
    const bad = gather(x, ints([3]));
    const good = mul(gather(x, ints([2, 0])), 10);
    await faultOf(bad.data());
    expect([...(await good.data())]).toEqual([30, 10]);
  });

  test('drops its own gradient and no other', async () => {
    const x = floats([3, 2]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = gather(x, ints([2, -1, 5, 0, 2]));
    const dx = tape.gradient(sum(mul(y, y)), x) as Tensor;
    const error = await faultOf(dx.data());
    expect(error).toMatchObject({ op: 'gather', position: [1], index: -1, others: [] });
    expect([...(await dx.data())]).toEqual([2, 4, 0, 0, 20, 24]);
  });

  test.each([
    ['behind one value', (...sums: Tensor[]) => addN(sums).data()],
    ['in one submission, by sync', () => getDevice().sync()],
  ])('of several ops %s: the first is thrown and tells of the others', async (_, read) => {
    const x = floats([4, 3]);
    const first = gather(x, ints([1, 8]));
    const fine = gather(x, ints([3]));
    const last = scatterAdd(ints([0, 2, -9]), floats([3]), { shape: [2] });
    const error = await faultOf(read(...[first, fine, last].map((rows) => sum(rows))));
    expect(error).toMatchObject({ op: 'gather', position: [1], index: 8 });
    expect(error.others).toHaveLength(1);
    expect(error.others[0]).toMatchObject({ op: 'scatterAdd', position: [1], index: 2, limit: 2 });
    expect(error.message).toContain('scatterAdd: index 2 at position [1]');
    await getDevice().sync();
  });

  test('outlives more launches than there are slots', async () => {
    const x = floats([4]);
    const good = ints([0, 3]);
    gather(x, ints([4]));
    let y = gather(x, good);
    for (let i = 0; i < 600; i++) {
      y.dispose();
      y = gather(x, i === 400 ? ints([-5]) : good);
    }
    expect([...(await y.data())]).toEqual([1, 4]);
    const error = await faultOf(getDevice().sync());
    expect(error).toMatchObject({ index: 4 });
    expect(error.others).toMatchObject([{ index: -5 }]);
    expect([...(await y.data())]).toEqual([1, 4]);
  });

  test.each([
    ['int32', 2147483647],
    ['int32', -2147483648],
    ['int32', -1],
    ['uint32', 4294967295],
    ['uint32', 2147483648],
    ['uint32', 4],
  ] as const)('keeps all bits of the %s index %d', async (dtype, index) => {
    const host = dtype === 'int32' ? Int32Array.of(0, index) : Uint32Array.of(0, index);
    const y = gather(floats([4, 4]), tensor(host) as Tensor);
    expect(await faultOf(y.data())).toMatchObject({ position: [1], index });
  });

  test('is found among three million indices', async () => {
    const shape = [3, 1000, 1000];
    const host = new Int32Array(3_000_000);
    host[2_345_678] = 123_456_789;
    host[2_999_999] = -1;
    const y = gather(floats([2]), tensor(host, { shape }) as Tensor);
    expect(await faultOf(y.data())).toMatchObject({ position: [2, 345, 678], index: 123_456_789 });
  });

  test('of a scalar index has no position', async () => {
    const y = gather(floats([4, 4]), ints([6], []));
    const error = await faultOf(y.data());
    expect(error).toMatchObject({ position: [], index: 6 });
    expect(error.message).toContain('at position [] of');
  });

  test('is found where there is nothing to gather', async () => {
    gather(floats([4, 0]), ints([4]));
    expect(await faultOf(getDevice().sync())).toMatchObject({ index: 4, limit: 4 });
    gather(floats([0, 3]), ints([0]));
    expect(await faultOf(getDevice().sync())).toMatchObject({ index: 0, limit: 0 });
    scatterAdd(ints([4]), floats([1, 0]), { shape: [4, 0] });
    expect(await faultOf(getDevice().sync())).toMatchObject({ index: 4 });
    scatterAdd(ints([0]), floats([1, 2]), { shape: [0, 2] });
    expect(await faultOf(getDevice().sync())).toMatchObject({ index: 0, limit: 0 });
  });
});

describe('the same report from every op of the family', () => {
  const cases: [string, () => Tensor, object, string][] = [
    [
      'gather along a later axis, in batches',
      () => gather(floats([2, 3, 5]), ints([0, 4, 5, 1], [2, 2]), { axis: 2, batchDims: 1 }),
      { op: 'gather', position: [1, 0], index: 5, limit: 5, axis: 2 },
      'axis 2 of `x` float32[2, 3, 5]',
    ],
    [
      'embedding',
      () => embedding(floats([5, 4]), ints([0, 5])),
      { op: 'embedding', position: [1], index: 5, limit: 5, axis: 0 },
      'of `ids` is outside [0, 5), the range of axis 0 of `table` float32[5, 4]',
    ],
    [
      'scatterAdd',
      () => scatterAdd(ints([1, -3]), floats([2, 2]), { shape: [3, 2] }),
      { op: 'scatterAdd', position: [1], index: -3, limit: 3, axis: 0 },
      'axis 0 of the result float32[3, 2]',
    ],
    [
      'segmentSum above its range',
      () => segmentSum(floats([4, 2]), ints([0, -1, 2, 1]), { numSegments: 2 }),
      { op: 'segmentSum', position: [2], index: 2, limit: 2, axis: 0 },
      'of `segmentIds` is outside [0, 2)',
    ],
    [
      'takeAlongAxis',
      () => takeAlongAxis(floats([2, 3]), ints([0, 2, 3, 0], [2, 2]), { axis: 1 }),
      { op: 'takeAlongAxis', position: [1, 0], index: 3, limit: 3, axis: 1 },
      'axis 1 of `x` float32[2, 3]',
    ],
    [
      'takeAlongAxis with indices that broadcast',
      () => takeAlongAxis(floats([2, 3]), ints([0, 3], [1, 2]), { axis: 1 }),
      { op: 'takeAlongAxis', position: [0, 1], index: 3, limit: 3, axis: 1 },
      'axis 1 of `x` float32[2, 3]',
    ],
    [
      'scatterAddAlongAxis',
      () => scatterAddAlongAxis(ints([0, 4], [1, 2]), floats([1, 2]), { shape: [1, 3], axis: 1 }),
      { op: 'scatterAddAlongAxis', position: [0, 1], index: 4, limit: 3, axis: 1 },
      'axis 1 of the result',
    ],
    [
      'gatherNd',
      () => gatherNd(floats([3, 4, 2]), ints([2, 3, 1, 4, 7, 9], [3, 2])),
      { op: 'gatherNd', position: [1, 1], index: 4, limit: 4, axis: 1 },
      'axis 1 of `x` float32[3, 4, 2]',
    ],
    [
      'scatterNd',
      () => scatterNd(ints([2, 0, 3, 0], [2, 2]), floats([2]), { shape: [3, 4] }),
      { op: 'scatterNd', position: [1, 0], index: 3, limit: 3, axis: 0 },
      'axis 0 of the result',
    ],
  ];

  test.each(cases)('%s', async (_, call, fault, message) => {
    const y = call();
    const error = await faultOf(y.data());
    expect(error).toMatchObject(fault);
    expect(error.message).toContain(message);
    await y.data();
  });

  test('in a composite op names that, too: the outermost', async () => {
    const made = async (result: Tensor) => /made by op .*/.exec((await faultOf(result.data())).message)?.[0];
    expect(await made(bincount(ints([0, 5]), null, { size: 3 }))).toBe(
      "made by op 'segmentSum' in 'bincount'",
    );
    const pairs = confusionMatrix(ints([0, 5]), ints([0, 1]), null, { numClasses: 3 });
    expect(await made(pairs)).toBe("made by op 'scatterNd' in 'confusionMatrix'");
    const crops = cropAndResize(floats([1, 2, 2, 1]), floats([1, 4]), ints([3]), { size: 2 });
    expect(await made(crops)).toBe("made by op 'gather' in 'cropAndResize'");
    expect(await made(gather(floats([3]), ints([3])))).toBe("made by op 'gather'");
  });

  test('segmentSum drops negative ids silently', async () => {
    const y = segmentSum(floats([3]), ints([-1, 0, -7]), { numSegments: 2 });
    expect([...(await y.data())]).toEqual([2, 0]);
  });
});

describe('indices that the host knows', () => {
  test('are checked at the call', async () => {
    const error = thrownBy(() =>
      gather(floats([4, 2]), [
        [0, 1],
        [2, 4],
      ]),
    );
    expect(error).toBeInstanceOf(IndexOutOfRangeError);
    expect(error).toMatchObject({ op: 'gather', position: [1, 1], index: 4, limit: 4, axis: 0 });
    expect(thrownBy(() => gather(floats([4]), -1))).toMatchObject({ position: [], index: -1 });
    expect(thrownBy(() => gather(floats([4]), Uint32Array.of(3, 4294967295)))).toMatchObject({
      position: [1],
      index: 4294967295,
    });
    expect(thrownBy(() => gatherNd(floats([4, 3]), [[3, 3]]))).toMatchObject({
      position: [0, 1],
      limit: 3,
      axis: 1,
    });
    await getDevice().sync();
  });

  test('must be integers', () => {
    expect(thrownBy(() => gather(floats([4]), [0, 1.5]))).toBeInstanceOf(ValueError);
    expect(thrownBy(() => gather(floats([4]), Number.NaN))).toBeInstanceOf(ValueError);
  });

  test('gather as those of a tensor do', async () => {
    expect([...(await gather(floats([4]), [3, 0]).data())]).toEqual([4, 1]);
    expect([...(await gather(floats([2, 2]), 1).data())]).toEqual([3, 4]);
  });
});

describe('without validation', () => {
  test('nothing is reported: rows outside read as zeros, and their updates are dropped', async () => {
    const x = floats([3, 2]);
    const indices = ints([0, 3, -1, 2147483647, -2147483648, 1]);
    const y = gather(x, indices, { validateIndices: false });
    expect([...(await y.data())]).toEqual([1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4]);
    const back = scatterAdd(indices, y, { shape: [3, 2], validateIndices: false });
    expect([...(await back.data())]).toEqual([1, 2, 3, 4, 0, 0]);
    const host = gather(x, [0, 99], { validateIndices: false });
    expect([...(await host.data())]).toEqual([1, 2, 0, 0]);
  });

  test.each([
    ['clip', [1, 1, 1, 3, 3, 3]],
    ['wrap', [1, 3, 2, 1, 3, 3]],
    ['fill', [1, 7, 7, 7, 7, 3]],
  ] as const)('mode %s gives every index a meaning', async (mode, expected) => {
    const options = mode === 'fill' ? { mode, fillValue: 7 } : { mode };
    const y = gather(floats([3]), ints([0, -1, -2, 3, 5, 2]), options);
    expect([...(await y.data())]).toEqual(expected);
  });

  test('mode wrap and clip at the ends of the integers', async () => {
    const x = floats([10]);
    const extremes = ints([2147483647, -2147483648]);
    expect([...(await gather(x, extremes, { mode: 'wrap' }).data())]).toEqual([8, 3]);
    expect([...(await gather(x, extremes, { mode: 'clip' }).data())]).toEqual([10, 1]);
    const large = tensor(Uint32Array.of(4294967295)) as Tensor;
    expect([...(await gather(x, large, { mode: 'wrap' }).data())]).toEqual([6]);
    expect([...(await gather(x, large, { mode: 'clip' }).data())]).toEqual([10]);
  });
});
