/** @file Combined features on the device and in graphs: the buckets are those of the host, which has TensorFlow's. */
import { beforeAll, expect, test } from 'vitest';
import { DTypeError, init, ShapeError, type Tensor, tensor } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { input, layers, model, modelToConfig } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const extremes = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 65_536, -65_537, 123_456_789];
const first = extremes.flatMap((a) => extremes.map(() => a));
const second = extremes.flatMap(() => extremes);
const asInts = (values: readonly number[]) => tensor([...values], { dtype: 'int32' });

test.each([1, 2, 7, 32, 1000, 65_536, 65_537, 1_000_003, 2 ** 30 + 1, 2 ** 31 - 1])(
  'buckets of integers below %i',
  async (numBins) => {
    const layer = layers.hashedCrossing({ numBins });
    const onHost = layer.apply([first, second]);
    const onDevice = layer.apply([asInts(first), asInts(second)]);
    expect(onDevice.dtype).toBe('int32');
    expect([...(await onDevice.data())]).toEqual([...(await onHost.data())]);
  },
);

test('three features, one-hot, in a graph that is saved', async () => {
  const columns = ['a', 'b', 'c'].map((name) => input({ shape: [1], dtype: 'int32', name }));
  const crossed = layers.hashedCrossing({ numBins: 5, outputMode: 'oneHot', name: 'cross' }).apply(columns);
  const bucket = layers.hashedCrossing({ numBins: 9, name: 'pair' }).apply(columns.slice(1));
  expect(crossed.shape).toEqual([null, 5]);
  expect(bucket.dtype).toBe('int32');
  const net = model({ inputs: columns, outputs: [crossed, bucket] });
  const values = [[1], [2], [-3]];
  const given = [values, values.toReversed(), values].map((column) => tensor(column, { dtype: 'int32' }));
  const expected = layers.hashedCrossing({ numBins: 5, outputMode: 'oneHot' });
  const host = expected.apply([values, values.toReversed(), values]);
  const saved = new BytesTarget();
  await net.save(saved);
  const loaded = await loadModel(saved.bytes);
  for (const made of [net, loaded]) {
    const [hot] = made.apply(given as never) as unknown as Tensor[];
    expect([...(await (hot as Tensor).data())]).toEqual([...(await host.data())]);
  }
  const described = JSON.stringify(modelToConfig(net));
  expect(described).toContain(
    '"name":"pair","num_bins":9,"output_mode":"int","sparse":false,"dtype":"int64"',
  );
  loaded.dispose();
});

test('features of other shapes and dtypes are refused', () => {
  const layer = layers.hashedCrossing({ numBins: 3 });
  expect(() => layer.apply([asInts([1, 2])])).toThrow(ShapeError);
  expect(() => layer.apply([asInts([1, 2]), asInts([1])])).toThrow(ShapeError);
  expect(() => layer.apply([tensor([1.5]), asInts([1])])).toThrow(DTypeError);
});
