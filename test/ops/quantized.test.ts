/** @file Matmuls and gathers with weights in few bits, against float64 loops over the same weights. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  dequantize,
  GradientTape,
  grad,
  IndexOutOfRangeError,
  init,
  mul,
  packInt4,
  quantizedGather,
  quantizedMatMul,
  type QuantizedTensor,
  quantizedTensor,
  type QuantizedValues,
  ShapeError,
  sin,
  sum,
  type Tensor,
  tensor,
  unpackInt4,
  ValueError,
  vmap,
} from '../../src/index.ts';
import { float16ToNumber } from '../../src/core/float16.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { expectMapped } from '../autodiff/mapped.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

interface Kind {
  format: 'int8' | 'int4' | 'float16' | 'bfloat16';
  groupSize?: number;
  zeros?: boolean;
  scaling?: 'multiply' | 'divide';
}

/** Weights of a kind, drawn by seed, and their values in float64: [channels, length]. */
function draw({ format, groupSize, zeros, scaling = 'multiply' }: Kind, channels: number, length: number) {
  const random = generator(channels + length);
  const isInteger = format === 'int8' || format === 'int4';
  const [least, range] = format === 'int4' ? [-8, 16] : [-128, 256];
  const size = groupSize ?? length;
  const groups = Math.ceil(length / Math.max(1, size));
  const values = isInteger
    ? Int8Array.from({ length: channels * length }, () => least + Math.floor(range * random()))
    : Float32Array.from({ length: channels * length }, () => 4 * random() - 2);
  const scales = Float32Array.from({ length: channels * groups }, () =>
    scaling === 'divide' ? 20 + 100 * random() : (1 + random()) / range,
  );
  const offsets = Int8Array.from({ length: channels * groups }, () => Math.floor(range * random() + least));
  const given: QuantizedValues = {
    format,
    shape: [channels, length],
    values,
    ...(isInteger ? { scales, scaling } : {}),
    ...(isInteger && zeros ? { zeros: offsets } : {}),
    ...(groupSize ? { groupSize } : {}),
  };
  const exact = Float64Array.from(values, (value, i) => {
    if (!isInteger) return rounded(format, value);
    const at = Math.floor(i / length) * groups + Math.floor((i % length) / size);
    const shifted = value - (zeros ? (offsets[at] as number) : 0);
    const scale = scales[at] as number;
    return scaling === 'divide' ? shifted / scale : shifted * scale;
  });
  return { given, exact };
}

/** `value` in 16 bits: nearest, as the drawn values have no ties that matter. */
function rounded(format: Kind['format'], value: number): number {
  const digits = format === 'float16' ? 10 : 7;
  const unit =
    2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), format === 'float16' ? -14 : -126) - digits);
  const ratio = value / unit;
  const whole = Math.floor(ratio);
  const isUp = ratio - whole > 0.5 || (ratio - whole === 0.5 && whole % 2 !== 0);
  return (whole + Number(isUp)) * unit;
}

function rows(count: number, n: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: count * n }, () => 2 * random() - 1);
}

/** x [m, n] times w [channels, n] transposed, or x [m, channels] times w. */
function product(x: Float32Array, w: Float64Array, m: number, n: number, channels: number, over: string) {
  const [terms, columns] = over === 'length' ? [n, channels] : [channels, n];
  const at = (column: number, k: number) => (over === 'length' ? column * n + k : k * n + column);
  return Float64Array.from({ length: m * columns }, (_, i) => {
    let total = 0;
    const [row, column] = [Math.floor(i / columns), i % columns];
    for (let k = 0; k < terms; k++) total += (x[row * terms + k] as number) * (w[at(column, k)] as number);
    return total;
  });
}

async function expectClose(found: Tensor, expected: Float64Array, relative = 2e-6): Promise<void> {
  const data = await found.data();
  expect(data.length).toBe(expected.length);
  const scale = expected.reduce((max, v) => Math.max(max, Math.abs(v)), 1e-3);
  const worst = expected.reduce((max, v, i) => Math.max(max, Math.abs((data[i] as number) - v)), 0);
  expect(worst / scale).toBeLessThan(relative);
}

const kinds: Kind[] = [
  { format: 'int8', scaling: 'divide' },
  { format: 'int8', groupSize: 4, zeros: true },
  { format: 'int8', zeros: true },
  { format: 'int4', scaling: 'divide' },
  { format: 'int4', groupSize: 32 },
  { format: 'int4', groupSize: 8, zeros: true },
  { format: 'int4', groupSize: 64, zeros: true },
  { format: 'float16' },
  { format: 'bfloat16' },
];

const sizes = [
  [3, 5, 33],
  [2, 70, 96],
  [70, 66, 100],
  [65, 130, 37],
  [1, 1, 1],
  [1, 3, 7],
  [8, 9, 130],
  [9, 33, 64],
  [5, 4, 600],
] as const;

/**
 * What differs between kinds is how a word is unpacked, and where scales begin. Of kinds that begin scales alike, one has products
 * in vectors of four (70 × 66, k 100); the others have those that read and write element by element. Two have all shapes, except that
 * products of many rows by a vector, which compile slowly, are one by one in groups of a chunk, and in fours in groups of a vector.
 */
function sizesOf({ format, groupSize, zeros }: Kind) {
  if (groupSize === 8) return sizes.filter(([m]) => m !== 8);
  if (groupSize === 32) return sizes.filter(([m]) => m !== 9);
  const inFours = (format === 'int8' && !zeros) || format === 'float16';
  return sizes.slice(0, 4).filter(([m]) => m !== 70 || inFours);
}

describe.each(adapterClasses)('as on a %s', (kind) => {
  test.each(kinds.map((each) => [JSON.stringify(each), each] as const))('weights %s', (_, each) =>
    asAdapter(kind, async () => {
      for (const [m, channels, length] of sizesOf(each)) {
        const { given, exact } = draw(each, channels, length);
        const weights = quantizedTensor(given);
        await expectClose(dequantize(weights), exact, 3e-7);
        const x = rows(m, length, m);
        const dy = rows(m, channels, m + 1);
        const input = tensor(x, { shape: [m, length] });
        using tape = new GradientTape();
        tape.watch(input);
        const y = quantizedMatMul(input, weights);
        const dx = tape.gradient(y, input, {
          outputGradients: tensor(dy, { shape: [m, channels] }),
        }) as Tensor;
        await expectClose(y, product(x, exact, m, length, channels, 'length'));
        await expectClose(dx, product(dy, exact, m, length, channels, 'channels'));
        const indices = Int32Array.from({ length: 6 }, (__, i) => (i * 7) % channels);
        const picked = Float64Array.from({ length: 6 * length }, (__, i) => {
          const channel = indices[Math.floor(i / length)] as number;
          return exact[channel * length + (i % length)] as number;
        });
        const found = quantizedGather(weights, tensor(indices, { shape: [2, 3], dtype: 'int32' }));
        expect(found.shape).toEqual([2, 3, length]);
        await expectClose(found, picked, 3e-7);
        weights.dispose();
      }
    }),
  );

  test('one launch for a product, and one for its gradient, on a GPU', () =>
    asAdapter('gpu', () => {
      const weights = quantizedTensor(draw({ format: 'int4', groupSize: 32 }, 64, 128).given);
      const { statistics } = getDevice().stream;
      for (const m of [1, 40]) {
        const x = tensor(rows(m, 128, 1), { shape: [m, 128] });
        const dy = tensor(rows(m, 64, 1), { shape: [m, 64] });
        using tape = new GradientTape();
        tape.watch(x);
        const before = statistics.launches;
        const y = quantizedMatMul(x, weights);
        expect(statistics.launches - before).toBe(1);
        tape.gradient(y, x, { outputGradients: dy });
        expect(statistics.launches - before).toBe(2);
      }
    }));

  test('no rows, no channels, no terms', () =>
    asAdapter(kind, async () => {
      const make = (channels: number, length: number) =>
        quantizedTensor({
          format: 'int8',
          shape: [channels, length],
          values: [],
          scales: new Float32Array(length === 0 ? 0 : channels),
        });
      expect(quantizedMatMul(tensor([], { shape: [0, 3] }), make(0, 3)).shape).toEqual([0, 0]);
      expect(quantizedMatMul(tensor([[1, 2, 3]]), make(0, 3)).shape).toEqual([1, 0]);
      const noTerms = [
        quantizedMatMul(tensor([[], []], { shape: [2, 0] }), make(3, 0)),
        quantizedMatMul(tensor([[], []], { shape: [2, 0] }), make(0, 3), { over: 'channels' }),
      ];
      for (const sums of noTerms) expect(Array.from(await sums.data())).toEqual([0, 0, 0, 0, 0, 0]);
    }));
});

test('values are read back as they were given, in both orders', async () => {
  for (const each of kinds.filter(({ format }) => format.startsWith('int'))) {
    const { given } = draw(each, 5, 37);
    const weights = quantizedTensor(given);
    const read = await weights.read();
    expect(Array.from(read.values)).toEqual(Array.from(given.values));
    expect(read.scales && Array.from(read.scales)).toEqual(Array.from(given.scales as Float32Array));
    expect(read.zeros && Array.from(read.zeros)).toEqual(given.zeros ? Array.from(given.zeros) : null);
    const turned = await weights.read({ transposed: true });
    const again = quantizedTensor({ ...given, ...turned, shape: [37, 5], transposed: true });
    expect(await again.read()).toEqual(read);
    expect(again.bytes).toBe(weights.bytes);
  }
});

test('bits of 16-bit floats are kept, infinities and NaN included', async () => {
  const values = Uint16Array.from([0x3c00, 0x7c00, 0xfc00, 0x7e01, 0x0001, 0x8000, 0x1234]);
  const weights = quantizedTensor({ format: 'float16', shape: [1, 7], values });
  expect((await weights.read()).values).toEqual(values);
  const found = await dequantize(weights).data();
  expect(Array.from(found.slice(0, 4))).toEqual(Array.from(values.slice(0, 4), float16ToNumber));
  const wide = quantizedTensor({ format: 'bfloat16', shape: [1, 4], values: [1, -2.5, 3e38, Number.NaN] });
  expect(Array.from((await wide.read()).values.slice(0, 2))).toEqual([0x3f80, 0xc020]);
  expect((await dequantize(wide).data())[3]).toBeNaN();
});

test('memory is that of the bits, and is freed', () => {
  const weights = quantizedTensor(draw({ format: 'int4', groupSize: 32 }, 64, 128).given);
  expect(weights.bytes).toBe((64 * 128) / 2 + 4 * 64 * 4);
  weights.dispose();
  expect(() => dequantize(weights)).toThrow(/dispose/);
});

test("Keras's bytes of two integers", () => {
  // keras.quantizers.pack_int4 along axis 1.
  const bytes = Int8Array.from([125, 2, 24, 0]);
  expect(Array.from(unpackInt4(bytes, 2, 3))).toEqual([-3, 7, 2, -8, 1, 0]);
  expect(packInt4([-3, 7, 2, -8, 1, 0], 2, 3)).toEqual(bytes);
});

test('derivatives of every order, and vmap', async () => {
  const { given, exact } = draw({ format: 'int4', groupSize: 8, zeros: true }, 4, 9);
  const weights = quantizedTensor(given);
  const f = (x: Tensor) => sum(sin(quantizedMatMul(x, weights)));
  const x = rows(3, 9, 5);
  // d/dx of Σ v · ∂f/∂x: -sin(w x) (w v) w.
  const v = rows(1, 9, 6);
  const second = grad((t: Tensor) => sum(mul(grad(f)(t), tensor(v))))(tensor(x, { shape: [3, 9] }));
  const along = product(v, exact, 1, 9, 4, 'length');
  const y = product(x, exact, 3, 9, 4, 'length');
  const outer = Float32Array.from(y, (value, i) => -Math.sin(value) * (along[i % 4] as number));
  await expectClose(second, product(outer, exact, 3, 9, 4, 'channels'), 1e-5);
  await expectMapped((t) => quantizedMatMul(t, weights), [tensor(rows(6, 9, 7), { shape: [2, 3, 9] })], [0]);
  await expectMapped(grad(f), [tensor(rows(2, 9, 7), { shape: [2, 9] })], [0]);
  const mapped = vmap((i: Tensor) => quantizedGather(weights, i))(tensor([2, 0], { dtype: 'int32' }));
  expect(Array.from(await mapped.data())).toEqual(Array.from(await quantizedGather(weights, [2, 0]).data()));
});

test('an index out of range is reported', async () => {
  const weights = quantizedTensor(draw({ format: 'int8' }, 4, 8).given);
  expect(() => quantizedGather(weights, [0, 4])).toThrow(IndexOutOfRangeError);
  const late = quantizedGather(weights, tensor([1, -1], { dtype: 'int32' }));
  await expect(late.data()).rejects.toThrow(IndexOutOfRangeError);
});

test.each(['int8', 'int4', 'float16', 'bfloat16'] as const)(
  '%s: rows out of range read as zeros, where indices aren’t validated',
  async (format) => {
    const weights = quantizedTensor(draw({ format }, 4, 8).given);
    const indices = tensor([4, 3, -1, 2 ** 31 - 1], { dtype: 'int32' });
    const found = await quantizedGather(weights, indices, { validateIndices: false }).data();
    const row = await quantizedGather(weights, [3]).data();
    const zeros = new Array<number>(8).fill(0);
    expect(Array.from(found)).toEqual([...zeros, ...row, ...zeros, ...zeros]);
  },
);

describe('bad input', () => {
  const good: QuantizedValues = { format: 'int4', shape: [2, 16], values: new Int8Array(32), scales: [1, 1] };
  test.each<
    [string, Partial<Record<keyof QuantizedValues, unknown>>, typeof ValueError | typeof ShapeError, RegExp]
  >([
    ['an unknown format', { format: 'int3' }, ValueError, /format/],
    ['a vector', { shape: [32] }, ShapeError, /matrix/],
    ['too few weights', { values: new Int8Array(31) }, ShapeError, /32 numbers/],
    ['packed bytes in place of weights', { values: new Int8Array(16) }, ShapeError, /unpackInt4/],
    ['an integer of more bits', { values: new Int8Array(32).fill(8) }, ValueError, /from -8 to 7/],
    ['unsigned integers', { format: 'int8', values: new Uint8Array(32).fill(200) }, ValueError, /128/],
    ['fractions', { values: new Float32Array(32).fill(0.5) }, ValueError, /integers/],
    ['no scales', { scales: null }, ValueError, /scales/],
    ['too few scales', { scales: [1] }, ShapeError, /scales/],
    ['scales for other groups', { groupSize: 8 }, ShapeError, /4 numbers/],
    ['groups that split words', { groupSize: 4, scales: new Float32Array(8) }, ValueError, /multiple of 8/],
    ['groups of 0', { groupSize: 0 }, ValueError, /groupSize/],
    ['too many zero points', { zeros: [0, 0, 0] }, ShapeError, /zeros/],
    ['a zero point out of range', { zeros: [0, 128] }, ValueError, /from -128 to 127/],
    ['a scale that is missing', { scales: [1, Number.NaN] }, ValueError, /finite.*[\s\S]*NaN at position 1/],
    ['a scale beyond float32', { scales: [1e39, 1] }, ValueError, /finite/],
    ['a scale that is a text', { scales: ['1', 1] }, ValueError, /finite/],
    ['a divisor of 0', { scaling: 'divide', scales: [1, 0] }, ValueError, /other than 0/],
    ['a divisor that is 0 in float32', { scaling: 'divide', scales: [1e-60, 1] }, ValueError, /other than 0/],
    [
      'floats that are texts',
      { format: 'float16', scales: null, values: Array.from({ length: 32 }, () => 'a') },
      ValueError,
      /numbers/,
    ],
    ['scales of floats', { format: 'float16' }, ValueError, /scales/],
    ['groups of floats', { format: 'bfloat16', scales: null, groupSize: 8 }, ValueError, /groups/],
    ['an unknown scaling', { scaling: 'times' }, ValueError, /scaling/],
    ['an unknown option', { bits: 4 } as never, ValueError, /bits/],
  ])('%s', (_, change, error, message) => {
    const make = (): QuantizedTensor => quantizedTensor({ ...good, ...change } as QuantizedValues);
    expect(make).toThrow(error);
    expect(make).toThrow(message);
  });

  test('operands that do not fit', () => {
    const weights = quantizedTensor(good);
    expect(() => quantizedMatMul(tensor([[1, 2]]), weights)).toThrow(ShapeError);
    expect(() => quantizedMatMul(tensor([[1, 2]]), weights, { over: 'channels' })).not.toThrow();
    expect(() => quantizedMatMul(tensor([[1, 2]]), weights, { over: 'rows' as never })).toThrow(ValueError);
    expect(() => quantizedMatMul(tensor([[1, 2]]), tensor([[1]]) as never)).toThrow(/QuantizedTensor/);
    expect(() => quantizedGather(weights, tensor([0.5]) as never)).toThrow(/int32/);
  });
});
