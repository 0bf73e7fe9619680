/** @file Every candidate is correct: random shapes against float64 on the host. */
import { expect, test } from 'vitest';
import { init, matMul, tensor, tidy } from '../../src/index.ts';
import type { Autotuner } from '../../src/webgpu/autotuner.ts';
import type { Device } from '../../src/webgpu/device.ts';
import { profileOf } from '../../src/kernels/selection/deviceProfile.ts';
import { taskOf } from '../../src/autotune/tunables.ts';
import { generator } from '../ops/samples/draw.ts';
import { asAdapter } from '../support/adapterClass.ts';
import { allowedError, convolution, expectConvolution } from '../support/convolutions.ts';
import { draw, largestError, product } from '../support/reference.ts';

const device = await init();

/** Runs `body` once for each candidate of the tunable called `name`; others select their algorithm. */
async function eachCandidate(
  device: Device,
  tunableName: string,
  body: (name: string) => Promise<void>,
): Promise<string[]> {
  const names = new Set<string>();
  let wanted: string | null = null;
  const autotuner: Autotuner = {
    version: 0,
    measuring: null,
    choose: (tunable, problem) => {
      if (tunable.name !== tunableName) return null;
      const candidates = taskOf(device, tunable, problem)?.candidates ?? [];
      for (const { name } of candidates) names.add(name);
      return candidates.find(({ name }) => name === wanted)?.algorithm ?? null;
    },
  };
  device.autotuner = autotuner;
  try {
    await body('selected');
    for (const name of names) {
      wanted = name;
      await body(`${name} on ${profileOf(device).kind}`);
    }
  } finally {
    device.autotuner = null;
  }
  return [...names];
}

const random = generator(5);
const between = (min: number, max: number) => Math.floor(min) + Math.floor(random() * (max - min));

const draws = [
  { seed: 9, of: 1, transposeA: true, transposeB: false },
  ...Array.from({ length: 3 }, (_, seed) => ({
    seed,
    of: 4,
    transposeA: seed % 2 === 0,
    transposeB: seed > 1,
  })),
];

interface Draw {
  seed: number;
  /** All sizes are multiples of it. */
  of: number;
  transposeA: boolean;
  transposeB: boolean;
}

async function expectProducts({ seed, of, transposeA, transposeB }: Draw): Promise<void> {
  const [m, n, k] = [
    of * between(1, 90 / of),
    of * between(40 / of, 90 / of),
    of * between(200 / of, 700 / of),
  ];
  const [a, b] = [draw(m * k, seed), draw(k * n, seed + 1)];
  const expected = product(a, b, [m, n, k], transposeA, transposeB);
  const names = await eachCandidate(device, 'gemm', async (name) => {
    const c = tidy(() =>
      matMul(
        tensor(a, { shape: transposeA ? [k, m] : [m, k] }),
        tensor(b, { shape: transposeB ? [n, k] : [k, n] }),
        { transposeA, transposeB },
      ),
    );
    const error = largestError(await c.data(), expected);
    expect(error, `${name}: ${m} × ${n}, k ${k}`).toBeLessThan(allowedError(k));
    c.dispose();
  });
  if (m * n * k > 2 ** 18) expect(names.length).toBeGreaterThan(2);
}

test.each(draws)('products, sizes multiples of $of, draw $seed', (sizes) => expectProducts(sizes));

test('products as a GPU computes them', () =>
  asAdapter('gpu', () => expectProducts({ seed: 3, of: 4, transposeA: true, transposeB: false })));

test('algorithms of convolutions', async () => {
  const c = convolution({
    batch: 2,
    image: [between(18, 21), between(18, 21), 13],
    kernel: [3, 3, 14],
    before: [1, 1],
  });
  const names = await eachCandidate(device, 'conv2d', () => expectConvolution(c));
  expect(names).toEqual(['implicit GEMM', 'Winograd F(2×2, 3×3)', 'Winograd F(4×4, 3×3)']);
});

test('algorithms of convolutions of few channels', async () => {
  const c = convolution({ image: [between(35, 38), between(35, 38), 3], kernel: [5, 5, 12], before: [2, 2] });
  const names = await asAdapter('cpu', () => eachCandidate(device, 'conv2d', () => expectConvolution(c)));
  expect(names).toEqual(['implicit GEMM', 'blocks', 'GEMM + col2im']);
});

test('with strides there is no Winograd convolution', async () => {
  const c = convolution({ image: [40, 40, 16], kernel: [3, 3, 20], before: [1, 1], strides: [2, 2] });
  const names = await eachCandidate(device, 'conv2d', () => expectConvolution(c));
  expect(names).toEqual(['implicit GEMM']);
});
