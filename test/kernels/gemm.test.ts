/**
 * @file The matrix multiplication engine, each variant at both sides of its boundaries, against float64 on the host.
 */
import { describe, expect, test } from 'vitest';
import { type GemmTile, invocationsOf } from '../../shaders/gemm.ts';
import { explainChoice, fusedMatMul, init, matMul, tensor, tidy } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { selectGemm } from '../../src/kernels/gemm/gemmAlgorithm.ts';
import type { GemmProblem } from '../../src/kernels/gemm/gemmProblem.ts';
import { gemmAlgorithms } from '../../src/kernels/gemm/gemmAlgorithms.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import { onAdapter } from '../support/adapterClass.ts';
import { withGemmTile } from '../support/algorithms.ts';
import { allowedError, convolution, expectConvolution } from '../support/convolutions.ts';
import { type Convolution, draw, largestError, product } from '../support/reference.ts';

const device = await init();
/** Tiles that the device can run: quads need subgroups, which are asked for on software adapters alone. */
const runs = (tile: GemmTile) => !tile.subgroupQuads || device.gpu.features.has('subgroups');

/** The generator of the shared form in a size that software adapters compile fast. */
const sharedTile: GemmTile = {
  memory: 'shared',
  groupM: 8,
  groupN: 8,
  blockM: 4,
  blockN: 4,
  depth: 8,
  width: 4,
  subgroupQuads: false,
};
const variants: [string, GemmTile][] = [
  ['registers, one step at a time', gemmTiles.small],
  ['registers, three rows of a tiny matrix', { ...gemmTiles.small, blockM: 3 }],
  ['registers, blocks one step at a time', gemmTiles.steps],
  ['registers, in fours', gemmTiles.scalars],
  ['registers, shared in quads', { ...gemmTiles.subgroupQuad, blockM: 4, blockN: 4 }],
  ['workgroup memory', sharedTile],
];

const transpositions = [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const;

async function expectProduct(
  tile: GemmTile,
  size: readonly [number, number, number],
  [transposeA, transposeB]: readonly [boolean, boolean],
): Promise<void> {
  const [m, n, k] = size;
  const [a, b] = [draw(m * k, 1), draw(k * n, 2)];
  const c = tidy(() =>
    withGemmTile(tile, () =>
      matMul(
        tensor(a, { shape: transposeA ? [k, m] : [m, k] }),
        tensor(b, { shape: transposeB ? [n, k] : [k, n] }),
        { transposeA, transposeB },
      ),
    ),
  );
  const error = largestError(await c.data(), product(a, b, size, transposeA, transposeB));
  expect(error, `${m} × ${n}, k ${k}`).toBeLessThan(allowedError(k));
  c.dispose();
}

describe.each(variants.filter(([, tile]) => runs(tile)))('%s', (_, tile) => {
  const rows = tile.memory === 'shared' ? tile.groupM * tile.blockM : tile.blockM;
  const columns =
    tile.memory === 'shared' ? tile.groupN * tile.blockN : tile.blockN * (tile.subgroupQuads ? 4 : 1);
  const around = (n: number) => [n - 1, n, n + 1];

  test.each(transpositions)('tiles and their neighbours, transposed: %s, %s', async (...transposed) => {
    for (const m of around(rows * 2)) await expectProduct(tile, [m, columns + 1, 9], transposed);
    for (const n of around(columns * 2)) await expectProduct(tile, [rows + 1, n, 9], transposed);
    for (const k of [1, ...around(4), ...around(tile.depth * 2)])
      await expectProduct(tile, [5, 6, k], transposed);
  });

  test.each(transpositions)('vectors of four, transposed: %s, %s', async (...transposed) => {
    for (const m of [4, rows * 2, rows * 2 + 4])
      for (const n of [4, columns * 2, columns * 2 + 4])
        for (const k of [4, tile.depth * 2, tile.depth * 2 + 4])
          await expectProduct(tile, [m, n, k], transposed);
  });
});

/** For tiles in workgroup memory, one for each way of sharing the loads, since they compile slowly. */
const sharesLoadsAs: Readonly<Record<string, string>> = {
  tall: 'narrow',
  wide: 'large',
  medium: 'large',
  square: 'columns24',
  smallTall: 'columns24',
  smallWide: 'columns24',
  smallSquare: 'columns24',
  tiny: 'columns24',
  rows24: 'columns24',
  rows16: 'columns16',
  tinyTwoGroups: 'tinyFourGroups',
  columns16Rows32EightGroups: 'tinyFourGroups',
};

test.each(Object.entries(gemmTiles).filter(([name, tile]) => runs(tile) && !sharesLoadsAs[name]))(
  '%s, as it is used',
  async (_, tile) => {
    await expectProduct(tile, [132, 136, 68], [false, false]);
  },
);

describe('units of two vectors for each invocation', () => {
  test.each(transpositions)('transposed: %s, %s', async (...transposed) => {
    // In vectors and element by element, with a k tile before whole ones, and with one alone.
    await expectProduct(gemmTiles.tiny, [36, 40, 36], transposed);
    await expectProduct(gemmTiles.tiny, [33, 35, 37], transposed);
    await expectProduct(gemmTiles.tiny, [4, 36, 8], transposed);
  });
});

const problem = (m: number, n: number, length: number): GemmProblem => ({
  dtype: 'float32',
  size: { m, n, segments: 1, length, slices: 1 },
  a: { major: 'k', width: 4 },
  b: { major: 'mn', width: 4 },
  outWidth: 4,
  conv2d: null,
});

describe('groups of invocations that share k', () => {
  // The tile of A has no room for all of their sums, which are added in passes.
  const tile = { ...sharedTile, groupM: 4, groupN: 4, groupK: 4, depth: 16 };

  test.each(transpositions)('transposed: %s, %s', async (...transposed) => {
    // In vectors and element by element, with a k tile before whole ones, and with one alone.
    await expectProduct(tile, [36, 40, 36], transposed);
    await expectProduct(tile, [17, 35, 37], transposed);
    await expectProduct(tile, [4, 36, 8], transposed);
  });

  test.each<[string, Convolution]>([
    ['whole segments', convolution({ batch: 2, image: [6, 7, 16], kernel: [3, 3, 8], before: [1, 1] })],
    ['strides', convolution({ image: [9, 8, 16], kernel: [2, 3, 16], strides: [2, 2], before: [1, 1] })],
  ])('convolutions with %s', (_, c) => withGemmTile(tile, () => expectConvolution(c)));

  test('are chosen where C has few tiles', () => {
    const { tile, split } = selectGemm(problem(49, 160, 576), createProfile(device, 'discrete'));
    expect(tile.groupK).toBeGreaterThan(1);
    expect(split.parts).toBe(1);
    // As many tiles as keep a GPU busy need no groups.
    expect(
      selectGemm(problem(3136, 256, 576), createProfile(device, 'discrete')).tile.groupK,
    ).toBeUndefined();
  });
});

describe('k tiles of other depths', () => {
  test.each<[string, Partial<GemmTile>]>([
    ['five groups of steps', { depth: 20, skew: 2 }],
    ['three for each of two groups of invocations', { groupK: 2, depth: 24, skew: 2 }],
  ])('%s', async (_, other) => {
    for (const transposed of transpositions)
      for (const size of [
        [36, 40, 44],
        [33, 35, 47],
        [4, 36, 8],
      ] as const)
        await expectProduct({ ...sharedTile, ...other }, size, transposed);
  });

  const profile = createProfile(device, 'discrete');
  test.each([
    ['that divides k, where invocations share it', [49, 672, 112], { groupK: 2, depth: 56 }],
    ['as long as registers allow, where waves are few', [784, 144, 64], { groupK: undefined, depth: 32 }],
    // On an H100, 1.3 and 1.1 times as fast as two groups that share k.
    ['as usual, where all units have workgroups', [3136, 128, 256], { groupK: undefined, depth: 16 }],
    ['as usual, also of few k tiles', [3136, 64, 64], { groupK: undefined, depth: 16 }],
    [
      'in tiles of half the size, where half of the units would idle',
      [196, 480, 80],
      { groupK: 2, depth: 40 },
    ],
    ['as usual, where there are many workgroups', [3136, 512, 80], { groupK: undefined, depth: 16 }],
  ] as const)('%s', (_, [m, n, k], { groupK, depth }) => {
    const { tile } = selectGemm(problem(m, n, k), profile);
    expect(tile.groupK).toBe(groupK);
    expect(tile.depth).toBe(depth);
  });
});

test.each(Object.values(adapterProfiles))(
  'what is selected on a $kind adapter is a candidate',
  ({ kind }) => {
    const profile = createProfile(device, kind);
    for (const m of [8, 49, 196, 784, 12544])
      for (const n of [4, 40, 80, 480, 1024])
        for (const k of [3, 24, 40, 96, 112, 196, 480, 4096]) {
          const size = problem(m, n, k);
          const text = JSON.stringify(selectGemm(size, profile));
          const listed = gemmAlgorithms(size, profile).map(({ algorithm }) => JSON.stringify(algorithm));
          expect(listed, `${m} × ${k} × ${n}`).toContain(text);
        }
  },
);

describe('GPUs of few registers', () => {
  const profile = createProfile(device, 'apple');

  test.each([
    ['few columns', [1500, 16, 60], { blockM: 4, blockN: 4, depth: 12 }],
    ['an outer product', [404, 404, 2], { blockM: 4, blockN: 4, depth: 1 }],
    ['few rows', [8, 256, 256], { memory: 'lanes', blockM: 4, blockN: 4 }],
  ] as const)('small blocks for %s', async (_, [m, n, k], expected) => {
    const { tile } = selectGemm(problem(m, n, k), profile);
    expect(tile).toMatchObject(expected);
    await expectProduct(tile, [m, n, k], [false, false]);
  });

  test('a tile loads no more than a unit for each invocation', () => {
    for (const n of [4, 16, 24, 32, 48, 64, 160, 1000])
      for (const m of [49, 196, 3136]) {
        const { tile } = selectGemm(problem(m, n, 512), profile);
        const lines = tile.groupM * tile.blockM + tile.groupN * tile.blockN;
        if (n > 4) expect((lines * tile.depth) / 16).toBeLessThanOrEqual(invocationsOf(tile));
      }
  });
});

describe('the tile of software adapters', () => {
  const quad = device.gpu.features.has('subgroups') ? 'subgroupQuad' : 'block';
  test.each<[string, readonly [number, number, number], string]>([
    ['little to compute', [16, 16, 32], 'small'],
    ['more to compute', [32, 32, 32], 'steps'],
    ['vectors', [128, 128, 128], quad],
    ['a few elements, one by one', [63, 65, 67], 'steps'],
    ['elements one by one', [127, 129, 131], quad === 'block' ? 'steps' : 'narrowSubgroupQuad'],
    ['elements one by one, and many', [36, 190, 1601], quad],
    ['a row', [1, 1024, 512], 'wideRow'],
    ['a few rows', [3, 1024, 512], 'fewRows'],
    ['a column', [512, 1, 1024], 'row'],
    ['a few columns', [512, 3, 1024], 'fewColumns'],
    ['few steps of k, which would fill half of a tile of four', [1000, 999, 2], 'steps'],
    // A block of 8 × 8 fits, quads of blocks don't.
    ['eight by eight', [8, 8, 4096], quad === 'block' ? 'block' : 'steps'],
    ['two steps', [512, 512, 2], 'steps'],
    ['two steps, elements one by one', [511, 513, 2], 'steps'],
  ])('%s', (_, [m, n, k], name) => {
    const { choices } = onAdapter('cpu', () => explainChoice(matMul, { shape: [m, k] }, { shape: [k, n] }));
    expect(choices[0]?.taken).toBe(name);
  });

  test.each([512, 513])('none for a product [511, 1] × [1, %i], which is elementwise', (n) => {
    const { choices } = onAdapter('cpu', () => explainChoice(matMul, { shape: [511, 1] }, { shape: [1, n] }));
    expect(choices).toEqual([]);
  });
});

test('k in parts, with the epilogue after their sum', async () => {
  const [m, n, k] = [3, 5, 4099];
  const [a, b, bias] = [draw(m * k, 1), draw(k * n, 2), draw(n, 3)];
  const expected = product(a, b, [m, n, k]).map((value, i) => Math.max(0, value + (bias[i % n] as number)));
  const launches = device.stream.statistics.launches;
  const y = fusedMatMul(tensor(a, { shape: [m, k] }), tensor(b, { shape: [k, n] }), bias, {
    activation: 'relu',
  });
  expect(device.stream.statistics.launches - launches).toBe(2);
  expect(largestError(await y.data(), expected)).toBeLessThan(allowedError(k));
});

const convolutions: [string, Convolution][] = [
  ['same padding', convolution({ batch: 2, image: [6, 7, 4], kernel: [3, 3, 8], before: [1, 1] })],
  ['odd channels', convolution({ image: [5, 9, 3], kernel: [3, 2, 5] })],
  [
    'strides and dilation',
    convolution({
      batch: 2,
      image: [11, 9, 4],
      kernel: [3, 2, 4],
      strides: [2, 3],
      dilation: [2, 1],
      before: [1, 2],
    }),
  ],
  [
    'groups',
    convolution({ image: [6, 6, 8], kernel: [3, 3, 12], strides: [2, 2], before: [1, 1], groups: 2 }),
  ],
  ['groups of odd channels', convolution({ image: [4, 5, 6], kernel: [1, 3, 9], before: [0, 1], groups: 3 })],
  ['long segments', convolution({ batch: 2, image: [3, 20, 16], kernel: [2, 1, 16] })],
];

describe.each(variants.filter(([, tile]) => runs(tile)))('convolutions, %s', (_, tile) => {
  // The tile is asked for when a kernel is launched, which happens before the first wait.
  test.each(convolutions)('%s', (_, c) => withGemmTile(tile, () => expectConvolution(c)));
});

describe('many tiny matrices, each in one invocation of a software adapter', () => {
  const count = 37;
  const software = createProfile(device, 'software');
  const sizes = [
    [1, 1, 1],
    [1, 4, 2],
    [2, 2, 2],
    [3, 3, 3],
    [4, 3, 1],
    [3, 1, 4],
    [4, 4, 3],
    [4, 4, 4],
  ] as const;
  const matrix = (values: Float32Array, i: number, size: number) => values.subarray(i * size, (i + 1) * size);

  test.each(sizes)('%i × %i, %i terms, in all layouts', async (m, n, k) => {
    for (const [transposeA, transposeB] of transpositions) {
      const [a, b] = [draw(count * m * k, 3), draw(count * k * n, 4)];
      const c = tidy(() =>
        matMul(
          tensor(a, { shape: transposeA ? [count, k, m] : [count, m, k] }),
          tensor(b, { shape: transposeB ? [count, n, k] : [count, k, n] }),
          { transposeA, transposeB },
        ),
      );
      const found = await c.data();
      for (let i = 0; i < count; i++) {
        const expected = product(matrix(a, i, m * k), matrix(b, i, k * n), [m, n, k], transposeA, transposeB);
        expect(largestError(matrix(found, i, m * n), expected)).toBeLessThan(1e-6);
      }
      c.dispose();
    }
  });

  test.each(sizes)(
    'rows of %i × %i, %i terms, times one matrix, with bias and activation',
    async (_, n, k) => {
      // Divisible by four, three, two and one.
      for (const rows of [64, 69, 70, 67]) {
        const [a, b, bias] = [draw(rows * k, 5), draw(k * n, 6), draw(n, 7)];
        const c = tidy(() =>
          fusedMatMul(tensor(a, { shape: [rows, k] }), tensor(b, { shape: [k, n] }), tensor(bias), {
            activation: 'relu',
          }),
        );
        const expected = product(a, b, [rows, n, k]).map((x, i) => Math.max(0, x + (bias[i % n] as number)));
        expect(largestError(await c.data(), expected)).toBeLessThan(1e-6);
        c.dispose();
      }
    },
  );

  test('operands that repeat along axes of the batch, of float16 and integers', async () => {
    const [a, b] = [draw(6 * 9, 8), draw(5 * 9, 9)];
    const c = tidy(() => matMul(tensor(a, { shape: [6, 1, 3, 3] }), tensor(b, { shape: [5, 3, 3] })));
    const found = await c.data();
    for (let i = 0; i < 30; i++) {
      const expected = product(matrix(a, Math.floor(i / 5), 9), matrix(b, i % 5, 9), [3, 3, 3]);
      expect(largestError(matrix(found, i, 9), expected)).toBeLessThan(1e-6);
    }
    c.dispose();
    const integers = Array.from({ length: 16 * 4 }, (_, i) => (i % 7) - 3);
    const whole = (dtype: 'int32' | 'float16') =>
      tidy(() => {
        const x = tensor(integers, { shape: [16, 2, 2], dtype });
        return matMul(x, x, { transposeB: true });
      });
    const squares = Array.from({ length: 16 }, (_, i) => {
      const x = Float32Array.from(integers.slice(4 * i, 4 * i + 4));
      return [...product(x, x, [2, 2, 2], false, true)];
    }).flat();
    for (const dtype of ['int32', 'float16'] as const) {
      const y = whole(dtype);
      expect([...(await y.data())]).toEqual(squares);
      y.dispose();
    }
  });

  test('are selected there, and nowhere else', () => {
    const layout = { major: 'k', width: 1, float16: false } as const;
    const selected = (m: number, slices: number, profile = software) => {
      const size = { m, n: 3, segments: 1, length: 3, slices };
      const shared = { dtype: 'float32', a: layout, b: layout, outWidth: 1, conv2d: null } as const;
      return Boolean(selectGemm({ ...shared, size }, profile).tile.whole);
    };
    expect([selected(4, 16), selected(4, 15), selected(5, 16)]).toEqual([true, false, false]);
    expect(selected(4, 16, createProfile(device, 'discrete'))).toBe(false);
  });
});
