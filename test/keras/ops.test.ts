/** @file keras.ops: composite functions give the same as Keras (test/fixtures/keras/ops.py), and have gradients. */
import { beforeAll, describe, expect, test } from 'vitest';
import { grad, init, sum, type Tensor, tensor, ValueError } from '../../src/index.ts';
import { input, model, ops } from '../../src/keras/index.ts';
import { ulpsApart } from '../support/ulps.ts';
import fixture from '../fixtures/keras/ops.json' with { type: 'json' };

beforeAll(async () => {
  await init();
});

interface Listed {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly unknown[];
}

type AnyFunction = (...args: unknown[]) => Tensor | Tensor[];
const named = {
  ...ops,
  ...Object.fromEntries(Object.entries(ops.image).map(([name, op]) => [`image.${name}`, op])),
} as unknown as Record<string, AnyFunction>;

/** NaN and infinities are strings in JSON. */
const numbers = ({ values }: Listed) =>
  values.map((value) =>
    typeof value === 'string' ? Number(value.replace('inf', 'Infinity')) : Number(value),
  );

function upload(input: Listed): Tensor {
  const dtype = input.dtype as 'float32' | 'int32';
  return tensor(numbers(input), { shape: [...input.shape], dtype });
}

describe.each([...new Set(fixture.cases.map(({ op }) => op))])('%s', (op) => {
  test.each(fixture.cases.filter((one) => one.op === op).map((one) => [JSON.stringify(one.options), one]))(
    '%s',
    async (_, one) => {
      const { inputs, options, outputs, numbers: counts, list } = one as (typeof fixture.cases)[number];
      const tensors = inputs.map(upload);
      const optional = op === 'average' || op === 'trapezoid' ? [null].slice(tensors.length - 1) : [];
      const found = [
        (named[op] as AnyFunction)(...counts, ...(list ? [tensors] : tensors), ...optional, options),
      ].flat();
      expect(found.map(({ shape, dtype }) => ({ shape: [...shape], dtype }))).toEqual(
        outputs.map(({ shape, dtype }) => ({ shape, dtype })),
      );
      const values = await Promise.all(found.map(async (x) => [...((await x.data()) as Float32Array)]));
      outputs.forEach((output, k) => {
        const wanted = numbers(output);
        wanted.forEach((value, i) => {
          const actual = values[k]?.[i] as number;
          if (Number.isFinite(value))
            expect(Math.abs(actual - value)).toBeLessThanOrEqual(4e-6 * (1 + Math.abs(value)));
          else expect(actual).toBe(value);
        });
      });
    },
  );
});

test('gradients, also at values where a branch is not selected', async () => {
  const x = tensor([0, 2, Number.NaN, -8]);
  const gradientOf = async (f: (y: Tensor) => Tensor, at = x) => [
    ...(await grad((y: Tensor) => sum(f(y)))(at).data()),
  ];
  expect(await gradientOf(ops.nanSum)).toEqual([1, 1, 0, 1]);
  expect((await gradientOf(ops.nanVar, tensor([1, 3, Number.NaN]))).slice(0, 2)).toEqual([-1, 1]);
  expect(await gradientOf(ops.sinc, tensor([0]))).toEqual([0]);
  expect(await gradientOf((y) => ops.divideNoNan(1, y), tensor([0, 2]))).toEqual([0, -0.25]);
  // √π/2 · exp(erfinv(x)²); infinite at 1, which must not spread to other elements.
  const [middle, half] = await gradientOf(ops.erfinv, tensor([0, 0.5, 1]));
  // -2/√π · exp(-x²); the polynomial has the accuracy of float32, its derivative less.
  expect(await gradientOf(ops.erfc, tensor([0, 1, -1]))).toEqual([
    expect.closeTo(-1.1283792, 4),
    expect.closeTo(-0.4151075, 4),
    expect.closeTo(-0.4151075, 4),
  ]);
  expect([middle, half]).toEqual([expect.closeTo(0.8862269, 5), expect.closeTo(1.1125846, 5)]);
  expect(await gradientOf((y) => ops.hypot(y, 0), tensor([0, 2, -3]))).toEqual([0, 1, -1]);
  expect(await gradientOf(ops.cbrt, tensor([8, -8]))).toEqual([
    expect.closeTo(1 / 12),
    expect.closeTo(1 / 12),
  ]);
  // The inverse takes two divisions for each element, of which WGSL allows each 2.5 ulps; zeros stay exact.
  const inverse = await gradientOf(
    ops.logdet,
    tensor([
      [2, 0],
      [0, 4],
    ]),
  );
  const wanted = [0.5, 0, 0, 0.25];
  expect(inverse).toHaveLength(4);
  for (const [i, value] of inverse.entries())
    expect(ulpsApart(value, wanted[i] as number)).toBeLessThanOrEqual(5);
  expect(
    (
      await gradientOf(
        (y) => ops.slogdet(y)[1] as Tensor,
        tensor([
          [2, 1],
          [0, -4],
        ]),
      )
    ).map((v) => v + 0),
  ).toEqual([expect.closeTo(0.5), expect.closeTo(0), expect.closeTo(0.125), expect.closeTo(-0.25)]);
});

test('full takes booleans, as numbers', async () => {
  const made = [
    ops.full([2], true),
    ops.full([2], false, { dtype: 'int32' }),
    ops.full([2], true, { dtype: 'bool' }),
    ops.fullLike(tensor([5, 5], { dtype: 'int32' }), true),
  ];
  expect(made.map(({ dtype }) => dtype)).toEqual(['float32', 'int32', 'bool', 'int32']);
  expect(await Promise.all(made.map((x) => x.array()))).toEqual([
    [1, 1],
    [0, 0],
    [1, 1],
    [1, 1],
  ]);
  expect(() => ops.full([2], 'x' as never)).toThrow(ValueError);
  expect(() => ops.full([2], 1, { fill: 3 } as never)).toThrow(ValueError);
});

test('rejections', () => {
  const x = tensor([1, 2]);
  const rejected: (() => unknown)[] = [
    () => ops.cross(tensor([1, 2, 3, 4]), tensor([1, 2, 3, 4])),
    () => ops.bincount(x),
    () => ops.expandDims(x, { axis: [0, 0] }),
    () => ops.tile(x, { repeats: -1 }),
    () => ops.linspace(0, Number.NaN),
    () =>
      ops.image.resize(ops.zeros([2, 2, 1]), { size: 2, cropToAspectRatio: true, padToAspectRatio: true }),
    () => ops.image.ssim(ops.zeros([4, 4, 1]), ops.zeros([4, 4, 1])),
    () => ops.image.sobelEdges(ops.zeros([4, 4, 1])),
    () => ops.kaiser(3, {} as never),
    () => ops.hanning(-1),
    () => ops.geomspace(0, 1),
    () => ops.geomspace(-1, 1),
    () => ops.logspace(0, Number.NaN),
    () => ops.tri(1.5),
    () => ops.rot90(x),
    () => ops.rot90(tensor([[1]]), { axes: [0, 0] as never }),
    () => ops.nanQuantile(x, { q: 2 }),
    () => ops.isClose(x, x, { rtol: -1 }),
    () => ops.unravelIndex([1], {} as never),
    () => ops.arraySplit(x, { indicesOrSections: 0 }),
    () => ops.diff(x, { n: -1 }),
    () => ops.psnr(x, x, {} as never),
    () => ops.nanSum(x, { keepdims: true } as never),
  ];
  for (const call of rejected) expect(call).toThrow(/^\S+: /);
  expect(() => (ops.hanning as (n: number, options: object) => unknown)(3, { sym: true })).toThrow(
    ValueError,
  );
});

test('bincount of values on the host has the size of Keras', async () => {
  expect([...(await ops.bincount([1, 0, 3, 1]).data())]).toEqual([1, 2, 0, 1]);
  expect([...(await ops.bincount(Uint8Array.of(1, 0), { minlength: 3 }).data())]).toEqual([1, 1, 0]);
  const rows = ops.bincount([
    [2, 0],
    [-1, 1],
  ]);
  expect(await rows.array()).toEqual([
    [1, 0, 1],
    [0, 1, 0],
  ]);
  await expect(ops.bincount(tensor([0, 5], { dtype: 'int32' }), { minlength: 3 }).data()).rejects.toThrow(
    /5/,
  );
});

test('the first choice whose condition holds, and a sorted partition', async () => {
  const x = tensor([-2, -0.5, 0.5, 2]);
  const chosen = ops.select([ops.less(x, -1), ops.less(x, 1)], [x, 7], ops.square(x));
  expect([...(await chosen.data())]).toEqual([-2, 7, 7, 4]);
  const other = ops.select([ops.less(x, 0)], [x], { default: 3 });
  expect([...(await other.data())]).toEqual([-2, -0.5, 3, 3]);
  expect(() => ops.select([ops.less(x, 0)], [])).toThrow(/a choice for each/);
  expect(() => ops.select([ops.less(x, 0)], [x], { fallback: 3 } as never)).toThrow(
    /its options are default/,
  );
  expect([...(await ops.argpartition(tensor([3, 1, 2]), { kth: 1 }).data())]).toEqual([1, 2, 0]);
  expect(() => ops.fold(tensor([[[1, 2]]]), { outputSize: 3, kernelSize: 2 })).toThrow(
    /the result of unfold/,
  );
});

test('quantiles whose q is on the device, also in a graph', async () => {
  const x = tensor([1, 2, 3, 4, 5, 7], { shape: [2, 3] });
  const found = async (y: unknown) => [...(await (y as Tensor).data())].map((value) => +value.toFixed(5));
  expect(await found(ops.quantile(x, tensor([0.2, 0.7]), { axis: 1 }))).toEqual([1.4, 4.4, 2.4, 5.8]);
  const percentiles = ops.percentile(x, { q: tensor([[30], [100]]), axis: 0 });
  expect(percentiles.shape).toEqual([2, 1, 3]);
  expect(await found(percentiles)).toEqual([1.9, 2.9, 4.2, 4, 5, 7]);
  const holed = tensor([1, 2, Number.NaN, 4, 5, 7], { shape: [2, 3] });
  const q = tensor([0.3, 0.9]);
  expect(await found(ops.quantile(holed, tensor(0.3), { axis: 1 }))).toEqual([Number.NaN, 4.6]);
  expect(await found(ops.nanQuantile(holed, q, { axis: 1, keepDims: true }))).toEqual([1.3, 4.6, 1.9, 6.6]);

  const [values, share] = [input({ shape: [3] }), input({ batchShape: [2] })];
  const net = model({
    inputs: [values, share],
    outputs: ops.quantile(values as never, share as never, { axis: 1 }) as never,
  });
  expect(await found(net.apply([x, tensor([0.2, 0.7])] as never))).toEqual([1.4, 4.4, 2.4, 5.8]);
});

test('what Keras 3.15 takes: blocks that begin where a tensor says, kernels of groups, matrices of any determinant', async () => {
  const x = tensor([...Array(20).keys()], { shape: [4, 5] });
  const array = async (y: unknown) => (y as Tensor).array();
  const start = tensor([1, 2], { dtype: 'int32' });
  const block = [
    [7, 8, 9],
    [12, 13, 14],
  ];
  expect(await array(ops.slice(x, start, [2, 3]))).toEqual(block);
  expect(await array(ops.slice(x, [tensor(1, { dtype: 'int32' }), 2], [2, 3]))).toEqual(block);
  // Beyond the border, the block ends with x.
  expect(await array(ops.slice(x, tensor([9, 9], { dtype: 'int32' }), [1, 2]))).toEqual([[18, 19]]);
  const zeros = tensor([0, 0], { shape: [1, 2], dtype: 'int32' });
  const cut = await array(ops.sliceUpdate(x, start, zeros));
  expect(cut).toEqual(await array(ops.sliceUpdate(x, [1, 2], zeros)));
  expect(await array(ops.sliceUpdate(x, tensor([0, 0], { dtype: 'int32' }), ops.neg(x)))).toEqual(
    await array(ops.neg(x)),
  );
  const [whole, from] = [input({ batchShape: [4, 5] }), input({ batchShape: [2], dtype: 'int32' })];
  const net = model({
    inputs: [whole, from],
    outputs: ops.sliceUpdate(
      whole as never,
      from as never,
      ops.slice(whole as never, from as never, [1, 2]),
    ) as never,
  });
  expect(await array(net.apply([x, start] as never))).toEqual(await array(x));
  const dx = grad((y: Tensor) => ops.sum(ops.slice(y, start, [1, 2])) as Tensor)(x as Tensor);
  expect([...(await dx.data())].flatMap((value, i) => (value === 0 ? [] : [i]))).toEqual([7, 8]);
  expect(() => ops.slice(x, start, [2, 6])).toThrow(/a start and a size for each axis/);
  expect(() => ops.slice(x, start, [2, -1])).toThrow(/a start and a size for each axis/);

  const images = ops.reshape(ops.arange(32), [1, 2, 4, 4]);
  const kernel = ops.ones([1, 1, 2, 2]);
  const grouped = await array(ops.conv(images, kernel));
  expect((grouped as number[][][][])[0]?.[0]?.[0]).toEqual([1, 5]);

  // numpy.linalg.slogdet([[0, 2], [3, 1]])[1]
  const determinant = tensor([0, 2, 3, 1], { shape: [2, 2] });
  expect((await array(ops.logdet(determinant))) as number).toBeCloseTo(Math.log(6), 5);

  const found = await ops.nonzero(tensor([0, 1, 2, 0, 0, 3], { shape: [2, 3] }));
  expect(await Promise.all(found.map((indices) => indices.array()))).toEqual([
    [0, 0, 1],
    [1, 2, 2],
  ]);
});

describe('options by which a call is the same', () => {
  const makeImage = () =>
    tensor(
      Float32Array.from({ length: 36 }, (_, i) => ((i * 7) % 11) / 11),
      { shape: [3, 4, 3] },
    );
  const firstOf = (image: Tensor) => ops.transpose(image, { perm: [2, 0, 1] });
  const values = async (x: Tensor) => [x.shape, x.dtype, ...(await x.data())];

  test.each([
    ['rgbToHsv', ops.image.rgbToHsv],
    ['hsvToRgb', ops.image.hsvToRgb],
    ['rgbToGrayscale', ops.image.rgbToGrayscale],
  ])('%s of images with channels first', async (_, op) => {
    const image = makeImage();
    const found = op(firstOf(image), { dataFormat: 'channelsFirst' });
    expect(await values(ops.transpose(found, { perm: [1, 2, 0] }))).toEqual(await values(op(image)));
  });

  test('borders of images with channels first', async () => {
    const first = firstOf(makeImage());
    const padding = { topPadding: 1, leftPadding: 2, targetHeight: 6, targetWidth: 7 };
    const padded = ops.image.padImages(first, { ...padding, dataFormat: 'channelsFirst' });
    expect(padded.shape).toEqual([3, 6, 7]);
    const cropping = { topCropping: 1, leftCropping: 2, targetHeight: 3, targetWidth: 4 };
    const cropped = ops.image.cropImages(padded, { ...cropping, dataFormat: 'channelsFirst' });
    expect(await cropped.data()).toEqual(await first.data());
  });

  test('a number as a shape, ascending segments, the default norm', async () => {
    expect(await values(ops.zeros(2, 'int32'))).toEqual([[2], 'int32', 0, 0]);
    expect(await values(ops.ones(2))).toEqual([[2], 'float32', 1, 1]);
    expect(await values(ops.full(2, 3))).toEqual([[2], 'float32', 3, 3]);
    const summed = ops.segmentSum([1, 2, 3], [0, 0, 1], { numSegments: 2, sorted: true });
    expect(await values(summed)).toEqual([[2], 'int32', 3, 3]);
    expect(await ops.norm(tensor([3, 4]), { ord: null }).data()).toEqual(Float32Array.of(5));
  });
});

test('slices of an open batch begin where a tensor says', async () => {
  // Of an open batch, all or a part that begins at a number.
  const [rows, column, ends] = [
    input({ shape: [5] }),
    input({ batchShape: [1], dtype: 'int32' }),
    input({ shape: [2] }),
  ] as unknown as [Tensor, Tensor, Tensor];
  const of = (size: number | null) => ops.slice(rows, [0, column], [size as number, 2]);
  const open = model({
    inputs: [rows, column, ends] as never,
    outputs: [of(-1), of(null), of(1), ops.sliceUpdate(rows, [0, column], ends)] as never,
  });
  expect(open.outputs.map(({ shape }) => shape)).toEqual([
    [null, 2],
    [null, 2],
    [1, 2],
    [null, 5],
  ]);
  const at = tensor([9], { dtype: 'int32' });
  const few = tensor([...Array(10).keys()], { shape: [2, 5] });
  const found = await Promise.all(
    (
      open.apply([
        few,
        at,
        tensor([
          [-1, -2],
          [-3, -4],
        ]),
      ] as never) as unknown as Tensor[]
    ).map((y) => y.array()),
  );
  const last = [
    [3, 4],
    [8, 9],
  ];
  expect(found).toEqual([
    last,
    last,
    [[3, 4]],
    [
      [0, 1, 2, -1, -2],
      [5, 6, 7, -3, -4],
    ],
  ]);
  expect(() => ops.slice(rows, tensor([0, 1], { dtype: 'int32' }), [1, 2])).toThrow(/all of an open batch/);
});
