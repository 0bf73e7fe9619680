/**
 * @file Kernels that assign each line of values to one or more invocations (softmax, layerNorm) and that split lines (scans,
 * topK), against plain float64 loops and on both sides of their boundaries.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  batchNormTrain,
  cumprod,
  cumsum,
  fill,
  GradientTape,
  init,
  layerNorm,
  logSoftmax,
  mul,
  rmsNorm,
  softmax,
  sum,
  tensor,
  type Tensor,
  topK,
  variable,
  type Variable,
  zeros,
} from '../../src/index.ts';
import type { AdapterClass } from '../../src/webgpu/adapter.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import type { DeviceProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { mustSplit } from '../../src/kernels/selection/lanes.ts';
import { generator } from '../ops/samples/draw.ts';
import { adapterClasses, asAdapter, profileFor, withProfile } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

type Lines = readonly [outer: number, n: number, inner: number];

function values(size: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: size }, () => 8 * random() - 3);
}

/** Applies `map` to each line along the middle axis, in float64. */
function mapRows(x: Float32Array, [, n, inner]: Lines, map: (line: number[]) => number[]): Float64Array {
  const out = new Float64Array(x.length);
  for (let line = 0; line < x.length / n; line++) {
    const start = Math.floor(line / inner) * n * inner + (line % inner);
    const at = (k: number) => start + k * inner;
    map(Array.from({ length: n }, (_, k) => x[at(k)] as number)).forEach((value, k) => {
      out[at(k)] = value;
    });
  }
  return out;
}

async function expectNear(found: Tensor, expected: Float64Array, relative: number, absolute: number) {
  const data = await found.data();
  const worst = expected.reduce(
    (max, e, i) => Math.max(max, Math.abs((data[i] as number) - e) - relative * Math.abs(e)),
    0,
  );
  expect(data.length).toBe(expected.length);
  expect(worst).toBeLessThanOrEqual(absolute);
}

const total = (line: readonly number[]) => line.reduce((a, b) => a + b, 0);

function softmaxOf(line: number[]): number[] {
  const exponentials = line.map(Math.exp);
  const sum = total(exponentials);
  return exponentials.map((e) => e / sum);
}

function normalized(line: number[]): number[] {
  const mean = total(line) / line.length;
  const variance = total(line.map((v) => (v - mean) ** 2)) / line.length;
  return line.map((v) => (v - mean) / Math.sqrt(variance + 1e-3));
}

function rmsNormalized(line: number[]): number[] {
  const r = 1 / Math.sqrt(total(line.map((v) => v ** 2)) / line.length + 1e-6);
  return line.map((v) => v * r);
}

function runningSums(line: number[]): number[] {
  let sum = 0;
  return line.map((value) => {
    sum += value;
    return sum;
  });
}

function runningProducts(line: number[]): number[] {
  let product = 1;
  return line.map((value) => {
    product *= value;
    return product;
  });
}

/** Of the same line from its end, or each sum without its own element. */
const reversed = (line: number[]) => runningSums([...line].reverse()).reverse();
const exclusive = (line: number[]) => [0, ...runningSums(line).slice(0, -1)];

/** softmax, logSoftmax, layerNorm and rmsNorm of lines. */
async function expectLines(shape: Lines, seed: number): Promise<void> {
  const [, n, inner] = shape;
  const host = values(shape[0] * n * inner, seed);
  const x = tensor(host, { shape });
  await expectNear(softmax(x, { axis: 1 }), mapRows(host, shape, softmaxOf), 4e-6, 1e-7);
  const logarithms = mapRows(host, shape, (line) => softmaxOf(line).map(Math.log));
  await expectNear(logSoftmax(x, { axis: 1 }), logarithms, 1e-6, 1e-6);
  const expected = mapRows(host, shape, normalized);
  await expectNear(layerNorm(x, null, null, { axis: 1 }), expected, 4e-6, 4e-6);
  const scaled = mapRows(host, shape, rmsNormalized);
  await expectNear(rmsNorm(x, null, { axis: 1 }), scaled, 4e-6, 1e-7);
}

describe.each(adapterClasses)('as on a %s', (kind) => {
  const shapes: Lines[] = [
    [5, 3, 1],
    [3, 9, 1],
    [3, 16, 1],
    [3, 33, 1],
    [3, 36, 1],
    [3, 63, 1],
    [3, 71, 1],
    [3, 132, 1],
    [2, 515, 1],
    [300, 129, 1],
    [16_384, 1, 1],
    [1639, 10, 1],
    [512, 32, 1],
    [500, 33, 1],
    [1703, 77, 1],
    [1639, 80, 1],
    [1620, 81, 1],
    [2, 40, 1640],
    [5, 10, 331],
    [7, 8, 300],
    [5, 9, 400],
    [2, 70, 37],
    [2, 70, 36],
    [2, 4100, 1],
    [1, 66_001, 1],
  ];

  test.each(shapes.map((shape, i) => [shape, i] as const))(
    'softmax, layerNorm and rmsNorm of lines %j',
    (shape, i) => asAdapter(kind, () => expectLines(shape, i)),
  );

  test('a NaN or an infinity at any place of a line makes all of it NaN', () =>
    asAdapter(kind, async () => {
      for (const [n, rows] of [
        [10, 10],
        [71, 71],
        [140, 140],
        [10, 1700],
        [32, 512],
      ] as const) {
        for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
          const host = values(rows * n, n);
          for (let row = 0; row < rows; row++) host[row * n + (row % n)] = value;
          const x = tensor(host, { shape: [rows, n] });
          for (const op of [softmax, logSoftmax]) expect((await op(x).data()).every(Number.isNaN)).toBe(true);
        }
      }
    }));

  test('the smallest elements of a line, and those of -Infinity, may come first', () =>
    asAdapter(kind, async () => {
      const host = Float32Array.from({ length: 71 }, (_, k) => (k < 20 ? Number.NEGATIVE_INFINITY : k - 100));
      const data = await logSoftmax(tensor(host)).data();
      const finite = softmaxOf([...host]).map(Math.log);
      expect(data.slice(0, 20).every((v) => v === Number.NEGATIVE_INFINITY)).toBe(true);
      for (let k = 20; k < 71; k++) expect(data[k]).toBeCloseTo(finite[k] as number, 5);
    }));

  const scans: Lines[] = [
    [1, 1, 1],
    [40_000, 3, 1],
    [3, 255, 1],
    [2, 513, 1],
    [2, 2048, 1],
    [2, 2049, 1],
    [1, 70_001, 1],
    [1, 2000, 3],
    [2, 600, 17],
    [2, 600, 16],
  ];

  test.each(scans.map((shape, i) => [shape, i] as const))('cumsum of lines %j', (shape, i) =>
    asAdapter(kind, async () => {
      const host = values(shape[0] * shape[1] * shape[2], i);
      const x = tensor(host, { shape });
      const close = [2e-6, 1e-4] as const;
      await expectNear(cumsum(x, { axis: 1 }), mapRows(host, shape, runningSums), ...close);
      await expectNear(cumsum(x, { axis: 1, reverse: true }), mapRows(host, shape, reversed), ...close);
      await expectNear(cumsum(x, { axis: 1, exclusive: true }), mapRows(host, shape, exclusive), ...close);
    }),
  );

  test.each(scans.map((shape, i) => [shape, i] as const))('cumprod of lines %j', (shape, i) =>
    asAdapter(kind, async () => {
      // Factors and their reciprocals are as likely, so that long products stay finite. Chains have some 500 products.
      const host = values(shape[0] * shape[1] * shape[2], i).map((v) => Math.exp((v - 1) / 40));
      const x = tensor(host, { shape });
      const backwards = (line: number[]) => runningProducts([...line].reverse()).reverse();
      const before = (line: number[]) => [1, ...runningProducts(line).slice(0, -1)];
      await expectNear(cumprod(x, { axis: 1 }), mapRows(host, shape, runningProducts), 4e-5, 0);
      await expectNear(cumprod(x, { axis: 1, reverse: true }), mapRows(host, shape, backwards), 4e-5, 0);
      await expectNear(cumprod(x, { axis: 1, exclusive: true }), mapRows(host, shape, before), 4e-5, 0);
    }),
  );

  test('a scan of scans: integers stay exact over many tiles', () =>
    asAdapter(kind, async () => {
      const n = 1_200_000;
      const found = await cumsum(tensor(new Int32Array(n).fill(3))).data();
      expect(found.every((sum, k) => sum === 3 * (k + 1))).toBe(true);
    }));
});

/** Profiles that reduce lines in different ways: by one invocation, in subgroups of four, in workgroup memory. */
const folds: Readonly<Record<string, () => DeviceProfile>> = {
  'by one invocation': () => profileFor('cpu'),
  'in subgroups': () => profileFor('gpu'),
  'in workgroup memory': () => ({ ...profileFor('gpu'), subgroups: false }),
};

test('one invocation gets no line that is longer than its loops may be', () => {
  const isSplit = (kind: AdapterClass, n: number) => mustSplit(profileFor(kind), { count: 300, n, inner: 1 });
  expect([16_375, 16_376].map((n) => isSplit('cpu', n))).toEqual([false, true]);
  expect(isSplit('gpu', 100_000)).toBe(false);
});

test.each([
  [7, 70, 1],
  [2, 4100, 1],
  [2, 9001, 1],
] as const)('lines of [%d, %d, %d] in workgroup memory', (...shape) =>
  withProfile({ ...profileFor('gpu'), subgroups: false }, async () => {
    await expectLines(shape, 5);
    const host = values(shape[0] * shape[1], 6);
    const sums = mapRows(host, shape, (line) => line.map(() => total(line)));
    const found = sum(tensor(host, { shape }), { axis: 1, keepDims: true });
    await expectNear(mul(found, fill(shape, 1)), sums, 2e-6, 1e-4);
  }),
);

/** [dx, dGamma, dBeta] of γ x̂ + β over the rows of x, or over its columns, in float64. */
function normalizationGradients(
  x: Float32Array,
  dy: Float32Array,
  gamma: Float32Array,
  n: number,
  axis: 0 | 1,
) {
  const rows = x.length / n;
  const at = (line: number, k: number) => (axis === 1 ? line * n + k : k * n + line);
  const [lines, length] = axis === 1 ? [rows, n] : [n, rows];
  const parameter = (line: number, k: number) => gamma[axis === 1 ? k : line] as number;
  const [dx, dGamma, dBeta] = [new Float64Array(x.length), new Float64Array(n), new Float64Array(n)];
  for (let line = 0; line < lines; line++) {
    const ks = Array.from({ length }, (_, k) => k);
    const values = ks.map((k) => x[at(line, k)] as number);
    const mean = total(values) / length;
    const r = 1 / Math.sqrt(total(values.map((v) => (v - mean) ** 2)) / length + 1e-3);
    const hat = values.map((v) => (v - mean) * r);
    const own = ks.map((k) => dy[at(line, k)] as number);
    const g = ks.map((k) => (own[k] as number) * parameter(line, k));
    const [gMean, gHatMean] = [
      total(g) / length,
      total(ks.map((k) => (g[k] as number) * (hat[k] as number))) / length,
    ];
    for (const k of ks) {
      dx[at(line, k)] = r * ((g[k] as number) - gMean - (hat[k] as number) * gHatMean);
      const p = axis === 1 ? k : line;
      dGamma[p] = (dGamma[p] as number) + (own[k] as number) * (hat[k] as number);
      dBeta[p] = (dBeta[p] as number) + (own[k] as number);
    }
  }
  return [dx, dGamma, dBeta] as const;
}

/** [dx, dGamma] of γ x̂ over the rows of x, in float64. */
function rmsGradients(x: Float32Array, dy: Float32Array, gamma: Float32Array) {
  const n = gamma.length;
  const dGamma = new Float64Array(n);
  const dx = mapRows(x, [x.length / n, n, 1], (line) => line);
  for (let start = 0; start < x.length; start += n) {
    const line = Array.from(x.subarray(start, start + n));
    const own = Array.from(dy.subarray(start, start + n));
    const r = 1 / Math.sqrt(total(line.map((v) => v ** 2)) / n + 1e-6);
    const g = own.map((v, k) => v * (gamma[k] as number));
    const along = total(g.map((v, k) => v * (line[k] as number) * r)) / n;
    for (const [k, v] of line.entries()) {
      dx[start + k] = r * ((g[k] as number) - v * r * along);
      dGamma[k] = (dGamma[k] as number) + (own[k] as number) * v * r;
    }
  }
  return [dx, dGamma] as const;
}

describe.each(Object.entries(folds))('gradients of lines %s', (_, profile) => {
  test.each([
    [5, 3],
    [3300, 5],
    [1030, 16],
    [1, 768],
    [9, 515],
    [300, 129],
    [70, 2600],
    [3, 9000],
  ])('layerNorm, rmsNorm and softmax of [%d, %d]', (rows, n) =>
    withProfile(profile(), async () => {
      const [host, cotangent, scale] = [values(rows * n, 1), values(rows * n, 2), values(n, 3)];
      const [x, dy] = [host, cotangent].map((v) => variable(tensor(v, { shape: [rows, n] }))) as [
        Variable,
        Variable,
      ];
      const [gamma, beta] = [variable(tensor(scale)), variable(zeros([n]))];
      using tape = new GradientTape({ persistent: true });
      const loss = sum(mul(layerNorm(x, gamma, beta), dy));
      const found = tape.gradient(loss, [x, gamma, beta]) as Tensor[];
      const expected = normalizationGradients(host, cotangent, scale, n, 1);
      for (const [i, gradient] of found.entries())
        await expectNear(gradient, expected[i] as Float64Array, 1e-5, i === 0 ? 2e-5 : 1e-3);
      const [dRms, dScale] = tape.gradient(sum(mul(rmsNorm(x, gamma), dy)), [x, gamma]) as [Tensor, Tensor];
      const [expectedRms, expectedScale] = rmsGradients(host, cotangent, scale);
      await expectNear(dRms, expectedRms, 1e-5, 1e-5);
      await expectNear(dScale, expectedScale, 1e-5, 1e-3);
      const probabilities = softmax(x);
      const dx = tape.gradient(sum(mul(probabilities, dy)), x) as Tensor;
      const y = mapRows(host, [rows, n, 1], softmaxOf);
      const weighted = Array.from({ length: rows }, (_, row) =>
        total(
          Array.from(y.subarray(row * n, (row + 1) * n), (p, k) => p * (cotangent[row * n + k] as number)),
        ),
      );
      const expectedSoftmax = y.map(
        (p, i) => p * ((cotangent[i] as number) - (weighted[Math.floor(i / n)] as number)),
      );
      await expectNear(dx, expectedSoftmax, 1e-5, 1e-6);
    }),
  );

  test.each([
    [3000, 6],
    [515, 64],
    [9, 515],
    [2100, 130],
  ])('batchNormTrain of [%d, %d]', (rows, n) =>
    withProfile(profile(), async () => {
      const [host, cotangent, scale] = [values(rows * n, 1), values(rows * n, 2), values(n, 3)];
      const [x, dy] = [host, cotangent].map((v) => variable(tensor(v, { shape: [rows, n] }))) as [
        Variable,
        Variable,
      ];
      const [gamma, beta] = [variable(tensor(scale)), variable(zeros([n]))];
      using tape = new GradientTape();
      const found = tape.gradient(sum(mul(batchNormTrain(x, gamma, beta)[0], dy)), [
        x,
        gamma,
        beta,
      ]) as Tensor[];
      const expected = normalizationGradients(host, cotangent, scale, n, 0);
      for (const [i, gradient] of found.entries())
        await expectNear(gradient, expected[i] as Float64Array, 1e-5, i === 0 ? 2e-5 : 2e-3);
    }),
  );
});

test('layerNorm and its gradient take four launches on a GPU', () =>
  asAdapter('gpu', () => {
    const [x, gamma, beta] = [[2048, 768], [768], [768]].map((shape) => variable(zeros(shape))) as Variable[];
    const dy = zeros([2048, 768]);
    const { stream } = getDevice();
    using tape = new GradientTape();
    const before = stream.statistics.launches;
    const y = layerNorm(x as Variable, gamma as Variable, beta as Variable);
    tape.gradient(y, [x, gamma, beta] as Variable[], { outputGradients: dy });
    expect(stream.statistics.launches - before).toBeLessThanOrEqual(4);
  }));

test('rmsNorm takes one launch on a GPU, its gradient two, and that of its input alone one', () =>
  asAdapter('gpu', () => {
    const [x, gamma] = [[2048, 768], [768]].map((shape) => variable(zeros(shape))) as [Variable, Variable];
    const dy = zeros([2048, 768]);
    const { statistics } = getDevice().stream;
    using tape = new GradientTape({ persistent: true });
    const launchesOf = (run: () => unknown) => {
      const before = statistics.launches;
      run();
      return statistics.launches - before;
    };
    let y: Tensor | null = null;
    expect(
      launchesOf(() => {
        y = rmsNorm(x, gamma);
      }),
    ).toBe(1);
    const gradient = (sources: Variable[]) => () =>
      tape.gradient(y as unknown as Tensor, sources, { outputGradients: dy });
    expect(launchesOf(gradient([x, gamma]))).toBe(2);
    expect(launchesOf(gradient([x]))).toBe(1);
  }));

const ranked = (row: readonly number[]) =>
  row.map((value, index) => ({ value, index })).sort((a, b) => b.value - a.value || a.index - b.index);

describe('topK', () => {
  test.each([
    [1, 1, 1],
    [3, 64, 64],
    [3, 65, 1],
    [2, 129, 128],
    [2, 1000, 7],
    [2, 1000, 1000],
    [600, 100, 3],
    [1, 9999, 16],
    [2, 2001, 1],
    [1, 70_001, 300],
    [2, 5000, 4097],
  ])('%d rows of %d, k = %d, with many ties', async (rows, n, k) => {
    const random = generator(n);
    const host = Float32Array.from({ length: rows * n }, () => Math.floor(random() * 200) - 100);
    const [found, indices] = topK(tensor(host, { shape: [rows, n] }), { k }) as [Tensor, Tensor];
    const expected = Array.from({ length: rows }, (_, row) =>
      ranked(Array.from(host.subarray(row * n, (row + 1) * n))).slice(0, k),
    ).flat();
    expect(Array.from(await found.data())).toEqual(expected.map(({ value }) => value));
    expect(Array.from(await indices.data())).toEqual(expected.map(({ index }) => index));
  });

  test('NaN counts as the largest, and both zeros are equal', async () => {
    const [found, indices] = topK([-0, 0, Number.NaN, -Infinity, Infinity, -1], { k: 6 }) as [Tensor, Tensor];
    expect(Array.from(await found.data())).toEqual([Number.NaN, Infinity, -0, 0, -1, -Infinity]);
    expect(Array.from(await indices.data())).toEqual([2, 4, 0, 1, 5, 3]);
  });

  test('integers over their whole range', async () => {
    const host = Int32Array.from([0, -(2 ** 31), 2 ** 31 - 1, -1, 1]);
    const [found] = topK(tensor(host), { k: 5 });
    expect(Array.from(await found.data())).toEqual(Array.from(host).sort((a, b) => b - a));
  });
});

describe('lines with infinities', () => {
  const lines = [
    [-Infinity, 0, 0],
    [-Infinity, -Infinity, -Infinity],
    [Infinity, 0, 1],
    [Number.NaN, 0, 1],
  ];

  test.each(adapterClasses)('softmax and logSoftmax as TensorFlow has them, on a %s', (kind) =>
    asAdapter(kind, async () => {
      const nan = [Number.NaN, Number.NaN, Number.NaN];
      // Long lines and many lines take other variants.
      for (const [repeat, times] of [
        [1, 1],
        [14, 1],
        [1, 1400],
      ] as const) {
        const each = lines.map((line) => Array.from({ length: repeat }, () => line).flat());
        const host = Array.from({ length: times }, () => each).flat();
        const share = 1 / (2 * repeat);
        const first = (found: number[][]) => found.map((line) => line.slice(0, 3));
        const shares = first((await softmax(tensor(host)).array()) as number[][]);
        expect(shares[0]?.[0]).toBe(0);
        expect(shares[0]?.[1]).toBeCloseTo(share, 6);
        expect(shares.slice(1, 4)).toEqual([nan, nan, nan]);
        const logarithms = first((await logSoftmax(tensor(host)).array()) as number[][]);
        expect(logarithms[0]?.[0]).toBe(-Infinity);
        expect(logarithms[0]?.[1]).toBeCloseTo(Math.log(share), 5);
        expect(logarithms.slice(1, 4)).toEqual([nan, nan, nan]);
      }
    }),
  );
});
