/**
 * @file Winograd convolutions, in their three directions: against float64 on the host, within the
 * error bounds that docs/decisions/winograd.md states, and selected where they are faster.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Direction } from '../../shaders/convolution.ts';
import type { Block } from '../../shaders/winograd.ts';
import type { ConvolutionGeometry } from '../../src/core/convolution.ts';
import {
  conv2d,
  conv2dFilterGrad,
  conv2dInputGrad,
  fusedConv2d,
  getDevice,
  init,
  memory,
  tensor,
  tidy,
} from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { selectConv2d } from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import type { Conv2dProblem } from '../../src/kernels/convolution/conv2dCall.ts';
import { generator } from '../ops/samples/draw.ts';
import { adapterClasses, asAdapter, profileFor, withProfile } from '../support/adapterClass.ts';
import { withConv2dAlgorithm } from '../support/algorithms.ts';
import { convolution, expectConvolution } from '../support/convolutions.ts';
import {
  type Convolution,
  convolve,
  draw,
  filterGradient,
  inputGradient,
  largestError,
  sizes,
} from '../support/reference.ts';

await init();

const blocks: readonly Block[] = [2, 4];
/**
 * The guarantee: up to four times the error of a plain sum. How much of it a GPU needs depends on which products it contracts with
 * sums, as WGSL lets it.
 */
const bound = 4;

const kinds = blocks.flatMap((block) => adapterClasses.map((kind) => ({ block, kind })));

describe.each(kinds)('tiles of $block, selected for a $kind', ({ block, kind }) => {
  const expectWinograd = (c: Convolution) =>
    withConv2dAlgorithm({ kind: 'winograd', block }, () => expectConvolution(c, bound));

  test.each([
    ['channels in fours', { batch: 2, image: [11, 13, 16], kernel: [3, 3, 32], before: [1, 1] }],
    ['odd channels', { batch: 3, image: [12, 12, 7], kernel: [3, 3, 19] }],
    ['one channel', { image: [9, 10, 1], kernel: [3, 3, 1], before: [1, 1] }],
    ['more padding than a window', { image: [5, 6, 4], kernel: [3, 3, 4], before: [3, 4] }],
    ['one pixel', { image: [1, 1, 4], kernel: [3, 3, 4], before: [1, 1] }],
    ['one window', { batch: 2, image: [3, 3, 8], kernel: [3, 3, 4] }],
    ['GEMMs of whole tiles', { image: [24, 24, 16], kernel: [3, 3, 16], before: [1, 1] }],
  ] as const)('%s', (_, c) => asAdapter(kind, () => expectWinograd(convolution(c))));

  test('sizes of all kinds', () => {
    const side = fc.integer({ min: 3, max: 10 });
    const channels = fc.integer({ min: 1, max: 9 });
    const before = fc.integer({ min: 0, max: 3 });
    return fc.assert(
      fc.asyncProperty(
        fc.record({
          batch: fc.integer({ min: 1, max: 3 }),
          image: fc.tuple(side, side, channels),
          kernel: fc.tuple(fc.constant(3), fc.constant(3), channels),
          before: fc.tuple(before, before),
        }),
        (c) => asAdapter(kind, () => expectWinograd(convolution(c))),
      ),
      { numRuns: 20 },
    );
  });

  test('bands of tiles', () => {
    const c = convolution({ batch: 2, image: [13, 11, 8], kernel: [3, 3, 4], before: [1, 1] });
    const profile = profileFor(kind);
    const winograd = { ...profile.conv2d.winograd, bandBytes: 2 ** 14 };
    return withProfile({ ...profile, conv2d: { ...profile.conv2d, winograd } }, () => expectWinograd(c));
  });
});

test.each([
  ['cpu', 4],
  ['gpu', 3],
] as const)('launches on a %s', (kind, launches) =>
  asAdapter(kind, () => {
    const x = tensor(draw(24 * 24 * 16, 1), { shape: [1, 24, 24, 16] });
    const w = tensor(draw(9 * 16 * 16, 2), { shape: [3, 3, 16, 16] });
    const { statistics } = getDevice().stream;
    const before = statistics.launches;
    withConv2dAlgorithm({ kind: 'winograd', block: 4 }, () => conv2d(x, w, { padding: 'same' }));
    expect(statistics.launches - before).toBe(launches);
  }),
);

describe.each(blocks)('tiles of %s', (block) => {
  test('bias and activation', async () => {
    const c = convolution({ batch: 2, image: [7, 9, 5], kernel: [3, 3, 6], before: [1, 1] });
    const [image, kernel, bias] = [draw(sizes.image(c), 1), draw(sizes.kernel(c), 2), draw(6, 3)];
    const y = withConv2dAlgorithm({ kind: 'winograd', block }, () =>
      fusedConv2d(tensor(image, { shape: [2, 7, 9, 5] }), tensor(kernel, { shape: [3, 3, 5, 6] }), bias, {
        padding: 'same',
        activation: 'leakyRelu',
        negativeSlope: 0.5,
      }),
    );
    const expected = convolve(c, image, kernel).map((sum, i) => {
      const value = sum + (bias[i % 6] as number);
      return value > 0 ? value : 0.5 * value;
    });
    expect(largestError(await y.data(), expected)).toBeLessThan(1e-5);
  });

  test('same input, same bits', async () => {
    const x = tensor(draw(2 * 12 * 12 * 8, 1), { shape: [2, 12, 12, 8] });
    const dy = tensor(draw(2 * 12 * 12 * 8, 2), { shape: [2, 12, 12, 8] });
    const gradient = () =>
      withConv2dAlgorithm({ kind: 'winograd', block }, () =>
        conv2dFilterGrad(x, dy, { padding: 'same', kernelShape: [3, 3, 8, 8] }),
      ).data();
    expect(await gradient()).toEqual(await gradient());
  });
});

/** The three directions, by Winograd convolution. */
async function run(
  c: Convolution,
  block: Block,
  image: Float32Array,
  kernel: Float32Array,
  dy: Float32Array,
) {
  const inputShape = [c.batch, ...c.image];
  const kernelShape = [3, 3, c.image[2], c.kernel[2]];
  const options = { padding: 'same' } as const;
  const results = withConv2dAlgorithm({ kind: 'winograd', block }, () =>
    tidy(() => {
      const x = tensor(image, { shape: inputShape });
      const w = tensor(kernel, { shape: kernelShape });
      const cotangent = tensor(dy, { shape: [c.batch, ...c.result, c.kernel[2]] });
      return [
        conv2d(x, w, options),
        conv2dInputGrad(cotangent, w, { ...options, inputShape }),
        conv2dFilterGrad(x, cotangent, { ...options, kernelShape }),
      ];
    }),
  );
  const values = await Promise.all(results.map((t) => t.data()));
  for (const t of results) t.dispose();
  return values as Float32Array[];
}

const absolute = (values: Float32Array) => values.map(Math.abs);

/** Errors of `actual`, each relative to the sum of the absolute values of its products. */
function relativeErrors(actual: ArrayLike<number>, expected: Float64Array, scale: Float64Array) {
  const errors = expected.map((value, i) => Math.abs((actual[i] as number) - value) / (scale[i] as number));
  return {
    largest: errors.reduce((a, b) => Math.max(a, b), 0),
    rootMeanSquare: Math.sqrt(errors.reduce((sum, e) => sum + e * e, 0) / errors.length),
  };
}

/** Box and Muller's normal numbers. */
function normal(size: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from(
    { length: size },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

const rectified = (values: Float32Array) => values.map((x) => Math.max(0, x));

describe('errors', () => {
  const c = convolution({ batch: 2, image: [20, 20, 24], kernel: [3, 3, 24], before: [1, 1] });
  const directions = [
    ['result', convolve, 0, 1],
    ['input gradient', inputGradient, 2, 1],
    ['filter gradient', filterGradient, 0, 2],
  ] as const;

  test.each([
    ['uniform numbers', 2, (n: number) => draw(n, 1)],
    ['uniform numbers', 4, (n: number) => draw(n, 1)],
    ['normal numbers', 2, (n: number) => normal(n, 1)],
    ['normal numbers', 4, (n: number) => normal(n, 1)],
    ['what a rectifier leaves', 4, (n: number) => rectified(normal(n, 1))],
  ] as const)(
    '%s, tiles of %s: at most four times those of a plain sum of float32',
    async (_, block, fill) => {
      const values = [fill(sizes.image(c)), normal(sizes.kernel(c), 2), normal(sizes.result(c), 3)] as const;
      const results = await run(c, block, ...values);
      directions.forEach(([what, compute, a, b], i) => {
        const [p, q] = [values[a], values[b]];
        const expected = compute(c, p, q);
        const scale = compute(c, absolute(p), absolute(q));
        const ours = relativeErrors(results[i] as Float32Array, expected, scale);
        const plain = relativeErrors(compute(c, p, q, Math.fround), expected, scale);
        expect(ours.rootMeanSquare / plain.rootMeanSquare, `${what}, root mean square`).toBeLessThan(4);
        expect(ours.largest / plain.largest, `${what}, largest`).toBeLessThan(4);
      });
    },
  );

  /** Λ² of docs/decisions/winograd.md, and the unit of rounding. */
  const amplification = { 2: 16, 4: 158 };
  const unit = 2 ** -24;

  // The bound is relative to the largest value of a tile: compared with it, results of small windows lose their digits.
  test.each(blocks)('tiles of %s: the bound for any input', async (block) => {
    const small = convolution({ image: [12, 12, 4], kernel: [3, 3, 4], before: [1, 1] });
    const random = generator(5);
    const spread = (size: number) =>
      Float32Array.from({ length: size }, () => (2 * random() - 1) * 2 ** Math.floor(40 * random() - 20));
    for (let round = 0; round < 10; round++) {
      const image = spread(sizes.image(small));
      const kernel = spread(sizes.kernel(small));
      const largestOf = (channel: number) =>
        image.reduce((max, x, i) => (i % 4 === channel ? Math.max(max, Math.abs(x)) : max), 0);
      const result = withConv2dAlgorithm({ kind: 'winograd', block }, () =>
        conv2d(tensor(image, { shape: [1, 12, 12, 4] }), tensor(kernel, { shape: [3, 3, 4, 4] }), {
          padding: 'same',
        }),
      );
      const actual = await result.data();
      const expected = convolve(small, image, kernel);
      for (let filter = 0; filter < 4; filter++) {
        const scale = kernel.reduce(
          (sum, w, i) => (i % 4 === filter ? sum + Math.abs(w) * largestOf(Math.floor(i / 4) % 4) : sum),
          0,
        );
        const bound = amplification[block] * (4 + 27) * unit * scale;
        expected.forEach((value, i) => {
          if (i % 4 === filter) expect(Math.abs((actual[i] as number) - value)).toBeLessThanOrEqual(bound);
        });
      }
    }
  });
});

describe('the choice', () => {
  const layer = (size: number, inputs: number, outputs: number, axis: object = {}): ConvolutionGeometry => {
    const line = { input: size, output: size, window: 3, stride: 1, dilation: 1, before: 1, ...axis };
    return { batch: 1, rows: line, columns: line, inputs, outputs, groups: 1 };
  };
  const every = ['forward', 'inputGrad', 'filterGrad'] satisfies Direction[];
  const problem = (direction: Direction, geometry: ConvolutionGeometry): Conv2dProblem => ({
    direction,
    geometry,
    dtypes: ['float32', 'float32'],
  });

  test('Winograd convolution where there are many channels', () => {
    const { software, ...gpus } = adapterProfiles;
    const tiles = { kind: 'winograd', block: 4 };
    for (const direction of every) {
      expect(selectConv2d(problem(direction, layer(64, 64, 64)), software)).toEqual(tiles);
      for (const profile of Object.values(gpus))
        expect(selectConv2d(problem(direction, layer(112, 128, 128)), profile)).toEqual(tiles);
    }
  });

  test('Winograd convolution of 64 channels on a discrete GPU: an H100 takes less than half the time', () => {
    for (const direction of every)
      for (const geometry of [layer(224, 64, 64), layer(112, 64, 128)])
        expect(selectConv2d(problem(direction, geometry), adapterProfiles.discrete)).toEqual({
          kind: 'winograd',
          block: 4,
        });
  });

  test('the more accurate F(2×2, 3×3) where the transformed kernel of F(4×4, 3×3) takes the time', () => {
    for (const direction of ['forward', 'inputGrad'] as const)
      expect(selectConv2d(problem(direction, layer(14, 512, 512)), adapterProfiles.discrete)).toEqual({
        kind: 'winograd',
        block: 2,
      });
  });

  test('no Winograd convolution on a small GPU, where memory takes longer than the multiplications that are saved', () => {
    const { apple, integrated, mobile } = adapterProfiles;
    for (const direction of every)
      for (const profile of [apple, integrated, mobile])
        for (const geometry of [layer(224, 64, 64), layer(14, 512, 512)])
          expect(selectConv2d(problem(direction, geometry), profile)).toEqual({ kind: 'implicitGemm' });
  });

  test.each([
    ['few multiplications', layer(16, 16, 16)],
    ['few channels to transform for', layer(224, 3, 64)],
    ['few pixels for what a kernel costs', layer(4, 512, 512)],
    ['strides', layer(128, 64, 64, { output: 64, stride: 2 })],
    ['dilation', layer(64, 64, 64, { dilation: 2, before: 2 })],
    ['kernels of another size', layer(64, 64, 64, { window: 5, before: 2 })],
    ['groups', { ...layer(64, 64, 64), groups: 2 }],
  ])('a GEMM for %s', (_, geometry) => {
    for (const direction of every)
      for (const profile of Object.values(adapterProfiles))
        expect(selectConv2d(problem(direction, geometry), profile).kind).not.toBe('winograd');
  });
});

test('nothing is left behind', () => {
  const x = tensor(draw(8 * 8 * 4, 1), { shape: [1, 8, 8, 4] });
  const w = tensor(draw(144, 2), { shape: [3, 3, 4, 4] });
  const before = memory();
  withConv2dAlgorithm({ kind: 'winograd', block: 4 }, () => conv2d(x, w, { padding: 'same' })).dispose();
  const { tensors, bytes } = memory();
  expect({ tensors, bytes }).toEqual({ tensors: before.tensors, bytes: before.bytes });
});
