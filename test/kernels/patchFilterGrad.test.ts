/** @file Filter gradients of images with few channels, from patches in workgroup memory. Against float64 on the host. */
import { describe, expect, test } from 'vitest';
import {
  filterGradBytes,
  filterGradInvocations,
  filterGradSize,
  type PatchFilterGradShape,
  rowGroups,
} from '../../shaders/convolution/patchFilterGrad.ts';
import { conv2dFilterGrad, init, tensor } from '../../src/index.ts';
import { adapterProfiles } from '../../src/kernels/selection/adapterProfiles.ts';
import { launchConv2d } from '../../src/kernels/convolution/conv2d.ts';
import { conv2dAlgorithms, selectConv2d } from '../../src/kernels/convolution/conv2dAlgorithm.ts';
import { conv2dResult } from '../../src/kernels/convolution/conv2dCall.ts';
import { filterGradAlgorithm } from '../../src/kernels/convolution/filterGradShape.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';
import { allowedError, convolution, geometryOf } from '../support/convolutions.ts';
import { type Convolution, draw, filterGradient, largestError, sizes } from '../support/reference.ts';

await init();

const float32 = ['float32', 'float32'] as const;
const gpus = Object.values(adapterProfiles).filter(({ kind }) => kind !== 'software');

const problemOf = (c: Convolution) =>
  ({ direction: 'filterGrad', geometry: geometryOf(c), dtypes: float32 }) as const;

type Given = Pick<Convolution, 'image' | 'kernel'> & Partial<Convolution>;

/** Launches the gradient by a given shape. */
function launch(
  c: Convolution,
  shape: PatchFilterGradShape,
  parts: number,
  image: Float32Array,
  dy: Float32Array,
) {
  const problem = problemOf(c);
  return launchConv2d({
    op: 'conv2dFilterGrad',
    problem,
    algorithm: { kind: 'patches', shape, parts },
    a: tensor(image, { shape: [c.batch, ...c.image] }),
    b: tensor(dy, { shape: [c.batch, ...c.result, c.kernel[2]] }),
    spec: conv2dResult(problem),
    epilogue: {},
  }).data();
}

type Lanes = Pick<PatchFilterGradShape, 'width' | 'filterLanes' | 'rowLanes' | 'pixelLanes' | 'height'>;

const shapeOf = (c: Convolution, lanes: Lanes): PatchFilterGradShape => ({
  direction: 'filterGrad',
  channels: c.image[2],
  rows: { window: c.kernel[0], stride: c.strides[0] },
  columns: { window: c.kernel[1], stride: c.strides[1] },
  ...lanes,
  edges: c.result[0] % lanes.height > 0 || c.result[1] % (4 * lanes.pixelLanes) > 0,
});

describe('shapes', () => {
  const cases: readonly (readonly [string, Given, Lanes, number])[] = [
    [
      'all rows, whole rectangles, one part',
      { image: [8, 16, 3], kernel: [3, 3, 16], before: [1, 1] },
      { width: 4, filterLanes: 4, rowLanes: 3, pixelLanes: 2, height: 4 },
      1,
    ],
    [
      'edges of rows and columns, parts',
      { batch: 2, image: [9, 19, 3], kernel: [3, 3, 20], before: [1, 1] },
      { width: 4, filterLanes: 2, rowLanes: 3, pixelLanes: 2, height: 4 },
      5,
    ],
    [
      'one row, strides, vectors of two',
      { batch: 2, image: [21, 40, 3], kernel: [7, 7, 16], strides: [2, 2], before: [3, 3] },
      { width: 2, filterLanes: 8, rowLanes: 1, pixelLanes: 3, height: 7 },
      3,
    ],
    [
      'a row of a kernel with strides that it doesn’t cover',
      { image: [17, 16, 2], kernel: [2, 2, 16], strides: [3, 3] },
      { width: 2, filterLanes: 3, rowLanes: 1, pixelLanes: 1, height: 2 },
      2,
    ],
    [
      'one channel, a kernel of one row',
      { image: [5, 33, 1], kernel: [1, 6, 16], before: [0, 4] },
      { width: 4, filterLanes: 4, rowLanes: 1, pixelLanes: 5, height: 2 },
      2,
    ],
    [
      'seven channels',
      { batch: 3, image: [6, 9, 7], kernel: [2, 2, 24] },
      { width: 2, filterLanes: 5, rowLanes: 2, pixelLanes: 2, height: 4 },
      2,
    ],
    [
      'more parts than rectangles',
      { image: [3, 5, 3], kernel: [3, 3, 16], before: [1, 1] },
      { width: 4, filterLanes: 4, rowLanes: 3, pixelLanes: 2, height: 8 },
      9,
    ],
    [
      'fewer pixels than an invocation multiplies at a time',
      { batch: 2, image: [2, 3, 3], kernel: [2, 1, 16] },
      { width: 4, filterLanes: 4, rowLanes: 2, pixelLanes: 1, height: 2 },
      2,
    ],
    [
      'more padding than a window',
      { image: [3, 2, 3], kernel: [3, 3, 16], before: [5, 4] },
      { width: 4, filterLanes: 4, rowLanes: 3, pixelLanes: 2, height: 4 },
      2,
    ],
    [
      'different axes',
      { batch: 2, image: [13, 34, 2], kernel: [4, 5, 16], strides: [3, 1], before: [0, 4] },
      { width: 4, filterLanes: 4, rowLanes: 4, pixelLanes: 3, height: 2 },
      4,
    ],
  ];

  test.each(cases)('%s', async (_, given, lanes, parts) => {
    const c = convolution(given);
    const [image, dy] = [draw(sizes.image(c), 1), draw(sizes.result(c), 3)];
    const gradient = await launch(c, shapeOf(c, lanes), parts, image, dy);
    const terms = c.batch * c.result[0] * c.result[1];
    expect(largestError(gradient, filterGradient(c, image, dy))).toBeLessThan(allowedError(terms));
  });
});

test.each([
  ['of the image', Number.POSITIVE_INFINITY, 0],
  ['of the cotangent', Number.NaN, 1],
])('infinities and NaN %s stay where their windows are', async (_, value, operand) => {
  // 4 × 11 results: rows and columns that don't fill a rectangle.
  const c = convolution({ image: [7, 13, 3], kernel: [3, 3, 16] });
  const operands = [draw(sizes.image(c), 1), draw(sizes.result(c), 3)] as const;
  // The corner is in one window, next to pixels that a rectangle has and the result has not.
  operands[operand as 0 | 1].fill(value, -1);
  const lanes = { width: 4, filterLanes: 4, rowLanes: 3, pixelLanes: 2, height: 4 } as const;
  const gradient = await launch(c, shapeOf(c, lanes), 2, ...operands);
  const expected = filterGradient(c, ...operands);
  expect(Array.from(gradient, Number.isFinite)).toEqual(Array.from(expected, Number.isFinite));
  const finite = (values: ArrayLike<number>) => Array.from(values).filter(Number.isFinite);
  expect(finite(expected).length).toBeGreaterThan(0);
  expect(largestError(finite(gradient), finite(expected))).toBeLessThan(allowedError(55));
});

describe('on GPUs', () => {
  test.each([0, 1, 32])('a batch of %s', async (batch) => {
    const c = convolution({ batch, image: [15, 18, 3], kernel: [3, 3, 36], before: [1, 1], strides: [2, 1] });
    const [image, dy] = [draw(sizes.image(c), 1), draw(sizes.result(c), 3)];
    const gradient = await withProfile(profileFor('gpu'), () =>
      conv2dFilterGrad(
        tensor(image, { shape: [batch, ...c.image] }),
        tensor(dy, { shape: [batch, ...c.result, c.kernel[2]] }),
        {
          kernelShape: [3, 3, 3, 36],
          strides: c.strides,
          padding: [1, 1].map((n) => [n, n] as [number, number]),
        },
      ).data(),
    );
    const terms = batch * c.result[0] * c.result[1];
    expect(largestError(gradient, filterGradient(c, image, dy))).toBeLessThan(allowedError(terms));
  });

  test('an image in float16 is widened', async () => {
    const c = convolution({ batch: 4, image: [16, 24, 3], kernel: [3, 3, 32], before: [1, 1] });
    const image = draw(sizes.image(c), 1).map((value) => Math.round(value * 64) / 64);
    const dy = draw(sizes.result(c), 3);
    const gradient = await withProfile(profileFor('gpu'), () =>
      conv2dFilterGrad(
        tensor(image, { shape: [4, ...c.image], dtype: 'float16' }),
        tensor(dy, { shape: [4, ...c.result, 32] }),
        { kernelShape: [3, 3, 3, 32], padding: 'same' },
      ).data(),
    );
    expect(largestError(gradient, filterGradient(c, image, dy))).toBeLessThan(allowedError(4 * 16 * 24));
  });
});

describe('the choice', () => {
  const layer = (
    inputs: number,
    outputs: number,
    { window = 3, stride = 1, dilation = 1, groups = 1, batch = 1, size = 224 } = {},
  ) => {
    const line = { input: size, output: Math.ceil(size / stride), window, stride, dilation, before: 1 };
    return { batch, rows: line, columns: line, inputs, outputs, groups };
  };
  const problem = (...options: Parameters<typeof layer>) =>
    ({ direction: 'filterGrad', geometry: layer(...options), dtypes: float32 }) as const;

  test.each(Object.values(adapterProfiles))('on a $kind adapter', (profile) => {
    const kindFor = (...options: Parameters<typeof layer>) => selectConv2d(problem(...options), profile).kind;
    const isGpu = profile.kind !== 'software';
    expect(kindFor(3, 64)).toBe(isGpu ? 'patches' : 'implicitGemm');
    expect(kindFor(3, 32, { stride: 2 })).toBe(isGpu ? 'patches' : 'implicitGemm');
    // Rows of 21 elements are too many sums where registers are few.
    const manyRegisters = profile.kind === 'discrete';
    expect(kindFor(3, 64, { window: 7, stride: 2 })).toBe(manyRegisters ? 'patches' : 'implicitGemm');
    expect(kindFor(7, 64, { window: 7 })).toBe('implicitGemm');
    expect(kindFor(3, 66)).toBe('implicitGemm');
    expect(kindFor(4, 64)).toBe('implicitGemm');
    expect(kindFor(3, 64, { dilation: 2 })).toBe('implicitGemm');
    expect(kindFor(6, 64, { groups: 2 })).toBe('implicitGemm');
    expect(kindFor(3, 16, { size: 8 })).toBe('implicitGemm');
  });

  test('a GPU measures it among others', () => {
    const names = conv2dAlgorithms(problem(3, 64), adapterProfiles.discrete).map(({ name }) => name);
    expect(names).toEqual(['implicit GEMM', 'patches']);
  });

  test.each(gpus)('within the limits of every device, on a $kind adapter', (profile) => {
    for (const inputs of [1, 2, 3, 5, 6, 7])
      for (const window of [1, 2, 3, 4, 5, 7])
        for (const stride of [1, 2, 3, 4])
          for (const outputs of [16, 20, 64, 132])
            for (const [batch, size] of [
              [1, 224],
              [32, 29],
            ] as const) {
              const given = problem(inputs, outputs, { window, stride, batch, size });
              const algorithm = filterGradAlgorithm(given, profile);
              if (!algorithm) continue;
              const { shape, parts } = algorithm;
              expect(filterGradBytes(shape)).toBeLessThanOrEqual(16384);
              expect(filterGradInvocations(shape)).toBeLessThanOrEqual(256);
              const { rows, columns } = filterGradSize(shape);
              const { output } = given.geometry.rows;
              expect(parts).toBeLessThanOrEqual(
                batch * Math.ceil(output / rows) * Math.ceil(output / columns),
              );
              expect(Number.isInteger(rowGroups(shape))).toBe(true);
              expect(shape.edges).toBe(output % rows > 0 || output % columns > 0);
            }
  });
});
