/**
 * @file Fallback pipelines, which run while the selected one is being compiled: the same bits, sooner. Only the profile of software
 * adapters has them, so tests select it.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, getDevice, init, matMul, type Tensor, tensor } from '../../src/index.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { withGemmTile } from '../support/algorithms.ts';
import { onTile } from '../../src/kernels/gemm/gemmAlgorithm.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import { generator } from '../ops/samples/draw.ts';
import { ownDevice } from '../support/ownDevice.ts';

beforeAll(async () => {
  await init();
});

function draw(shape: readonly number[], seed: number) {
  const random = generator(seed);
  const count = shape.reduce((a, b) => a * b, 1);
  return tensor(
    Float32Array.from({ length: count }, () => 2 * random() - 1),
    { shape: [...shape] },
  );
}

describe('the fallback computes the same bits as', () => {
  test.each([
    ['block', 'scalars'],
    ['subgroupQuad', 'shortSubgroupQuad'],
    ['narrowSubgroupQuad', 'shortSubgroupQuad'],
    ['tallSubgroupQuad', 'shortSubgroupQuad'],
  ] as const)('%s, with %s', async (name, fallback) => {
    const size = { m: 40, n: 48, segments: 1, length: 64, slices: 1 };
    const layout = { major: 'k', width: 4 } as const;
    const problem = { dtype: 'float32', size, a: layout, b: layout, outWidth: 4, conv2d: null } as const;
    const profile = createProfile(getDevice(), 'software');
    expect(onTile(gemmTiles[name], problem, profile).fallback).toEqual(gemmTiles[fallback]);
    for (const [m, k, n] of [
      [40, 64, 48],
      [33, 61, 37],
    ] as const) {
      for (const [transposeA, transposeB] of [
        [false, false],
        [true, true],
      ] as const) {
        const a = draw(transposeA ? [k, m] : [m, k], 1);
        const b = draw(transposeB ? [n, k] : [k, n], 2);
        const on = (tile: typeof name | typeof fallback) =>
          withGemmTile(gemmTiles[tile], () => matMul(a, b, { transposeA, transposeB })).data();
        expect(await on(name)).toEqual(await on(fallback));
      }
    }
  });
});

test('the first call runs it, later ones what was compiled in the background, with the same results', async () => {
  await using own = await ownDevice();
  const { device } = own;
  device.profile = createProfile(device, 'software');
  const [a, b] = [draw([96, 100], 1), draw([96, 100], 2)];
  const product = () => matMul(a, b, { transposeB: true });
  const before = device.pipelineCount;
  const first = product();
  // One that ran, and one being compiled.
  expect(device.pipelineCount).toBe(before + 2);
  const values = await first.data();
  const compiled = device.pipelines.size;
  for (let turn = 0; turn < 400 && device.pipelines.size === compiled; turn++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  expect(device.pipelines.size).toBe(before + 2);
  expect(await product().data()).toEqual(values);
  expect(device.pipelineCount).toBe(before + 2);
});

test('what is recorded runs the better one from the start', async () => {
  await using own = await ownDevice();
  const { device } = own;
  device.profile = createProfile(device, 'software');
  const step = compile((x: Tensor) => matMul(x, x, { transposeA: true }));
  const before = device.pipelineCount;
  step(draw([100, 92], 3)).dispose();
  expect(device.pipelineCount).toBe(before + 1);
});
