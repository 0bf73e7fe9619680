/** @file How feed-forward layers handle the masks of their inputs. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { layers } from '../../../src/keras/index.ts';
import type { AnyLayer } from '../../../src/keras/layers/base/layer.ts';
import { maskOf, setMask } from '../../../src/keras/masks.ts';

beforeAll(async () => {
  await init();
});

const masked = (values: number[][][], mask: number[][]) =>
  setMask(tensor(values) as Tensor, tensor(mask, { dtype: 'bool' }) as Tensor);

/** Two samples of two steps of one value. */
const a = () =>
  masked(
    [
      [[1], [2]],
      [[3], [4]],
    ],
    [
      [1, 0],
      [0, 0],
    ],
  );
const b = () =>
  masked(
    [
      [[5], [-6]],
      [[-7], [8]],
    ],
    [
      [1, 1],
      [0, 1],
    ],
  );
const plain = () =>
  tensor([
    [[10], [20]],
    [[30], [40]],
  ]) as Tensor;

async function called(layer: AnyLayer, inputs: Tensor | Tensor[]) {
  const y = layer.apply(inputs) as Tensor;
  const mask = maskOf(y);
  return { values: ((await y.array()) as number[][][]).flat(2), mask: mask && (await mask.array()) };
}

describe('masks', () => {
  test.each<[string, AnyLayer, number[]]>([
    ['add', layers.add(), [6, -4, -4, 12]],
    ['subtract', layers.subtract(), [-4, 8, 10, -4]],
    ['average', layers.average(), [3, -2, -2, 6]],
  ] as never)('%s shows what either mask shows', async (_, layer, values) => {
    expect(await called(layer, [a(), b()])).toEqual({
      values,
      mask: [
        [1, 1],
        [0, 1],
      ],
    });
    expect((await called(layer, [a(), plain()])).mask).toBeNull();
  });

  test('multiply treats masked values as 1, and values masked everywhere as 0', async () => {
    expect(await called(layers.multiply() as never, [a(), b()])).toEqual({
      values: [5, -6, 0, 8],
      mask: [
        [1, 1],
        [0, 1],
      ],
    });
    expect((await called(layers.multiply() as never, [a(), plain()])).values).toEqual([10, 20, 30, 40]);
  });

  test('maximum and minimum ignore masked values', async () => {
    expect((await called(layers.maximum() as never, [a(), b()])).values).toEqual([5, -6, 3, 8]);
    expect((await called(layers.minimum() as never, [a(), b()])).values).toEqual([1, -6, 3, 8]);
  });

  test('concatenate joins the masks of steps, and shows steps with any unmasked value', async () => {
    expect((await called(layers.concatenate({ axis: 1 }) as never, [a(), b()])).mask).toEqual([
      [1, 0, 1, 1],
      [0, 0, 0, 1],
    ]);
    expect((await called(layers.concatenate() as never, [a(), b()])).mask).toEqual([
      [1, 1],
      [0, 1],
    ]);
    expect((await called(layers.concatenate() as never, [a(), plain()])).mask).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect((await called(layers.concatenate() as never, [plain(), plain()])).mask).toBeNull();
  });

  const passing: AnyLayer[] = [
    layers.dense({ units: 1 }),
    layers.activation({ activation: 'relu' }),
    layers.reLU(),
    layers.leakyReLU(),
    layers.elu(),
    layers.prelu(),
    layers.dropout({ rate: 0.5 }),
    layers.spatialDropout1d({ rate: 0.5 }),
    layers.gaussianNoise({ stddev: 1 }),
    layers.gaussianDropout({ rate: 0.5 }),
    layers.batchNormalization(),
    layers.layerNormalization(),
    layers.groupNormalization({ groups: 1 }),
    layers.unitNormalization(),
    layers.rescaling({ scale: 2 }),
    layers.normalization({ mean: 0, variance: 1 }),
    layers.activityRegularization(),
    layers.identity(),
  ] as never;

  test.each(passing.map((layer) => [layer.className, layer] as const))(
    '%s passes its mask on',
    async (_, layer) => {
      expect((await called(layer, a())).mask).toEqual([
        [1, 0],
        [0, 0],
      ]);
    },
  );

  const ending: AnyLayer[] = [
    layers.conv1d({ filters: 1, kernelSize: 1 }),
    layers.flatten(),
    layers.reshape({ targetShape: [2, 1] }),
    layers.permute({ dims: [2, 1] }),
    layers.maxPooling1d({ poolSize: 1 }),
    layers.globalAveragePooling1d({ keepDims: true }),
    layers.zeroPadding1d(),
    layers.upSampling1d(),
  ] as never;

  test.each(ending.map((layer) => [layer.className, layer] as const))('%s drops its mask', (_, layer) => {
    expect(maskOf(layer.apply(a()) as Tensor)).toBeNull();
  });

  test('a dot product has no mask', () => {
    expect(maskOf(layers.dot({ axes: 2 }).apply([a(), b()]))).toBeNull();
  });

  test('the mean of a sequence leaves out masked steps', async () => {
    const y = layers.globalAveragePooling1d().apply(
      masked(
        [
          [[1], [3]],
          [[5], [7]],
        ],
        [
          [1, 1],
          [0, 1],
        ],
      ),
    );
    expect(await y.array()).toEqual([[2], [7]]);
  });
});
