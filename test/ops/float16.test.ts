/** @file float16: stored at half the size, widened where matmul, convolutions and gathers read it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { float16ToNumber, numberToFloat16 } from '../../src/core/float16.ts';
import {
  cast,
  compile,
  conv2d,
  conv2dInputGrad,
  DTypeError,
  embedding,
  freshTensor,
  fusedConv2d,
  fusedMatMul,
  gather,
  grad,
  grads,
  init,
  matMul,
  memory,
  mul,
  relu,
  reshape,
  square,
  sum,
  type Tensor,
  tensor,
  variable,
  zeros,
} from '../../src/index.ts';
import { type ForcedConv2d, withConv2dAlgorithm, withGemmTile } from '../support/algorithms.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import type { GemmTile } from '../../shaders/gemm.ts';
import { largestError } from '../support/reference.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

const everyFloat16 = Array.from({ length: 2 ** 16 }, (_, bits) => bits);
const isNaNFloat16 = (bits: number) => (bits & 0x7fff) > 0x7c00;

describe('on the host', () => {
  test('the values that IEEE 754 gives', () => {
    const known: [number, number][] = [
      [0x0000, 0],
      [0x0001, 2 ** -24],
      [0x03ff, 1023 * 2 ** -24],
      [0x0400, 2 ** -14],
      [0x3c00, 1],
      [0x3c01, 1 + 2 ** -10],
      [0xc000, -2],
      [0x7bff, 65504],
      [0x7c00, Number.POSITIVE_INFINITY],
      [0xfc00, Number.NEGATIVE_INFINITY],
    ];
    for (const [bits, value] of known) {
      expect(float16ToNumber(bits)).toBe(value);
      expect(numberToFloat16(value)).toBe(bits);
    }
    expect(numberToFloat16(-0)).toBe(0x8000);
    expect(float16ToNumber(numberToFloat16(Number.NaN))).toBeNaN();
  });

  test('every float16 comes back', () => {
    const numbers = everyFloat16.filter((bits) => !isNaNFloat16(bits));
    expect(numbers.filter((bits) => numberToFloat16(float16ToNumber(bits)) !== bits)).toEqual([]);
  });

  test('rounds to the nearest, ties to even, and to infinity from the middle on', () => {
    const wrong: number[] = [];
    for (let bits = 0; bits < 0x7bff; bits++) {
      const [low, high] = [float16ToNumber(bits), float16ToNumber(bits + 1)];
      const middle = (low + high) / 2;
      const even = bits % 2 === 0 ? bits : bits + 1;
      const isRight =
        numberToFloat16(middle) === even &&
        numberToFloat16(low + 0.49 * (high - low)) === bits &&
        numberToFloat16(low + 0.51 * (high - low)) === bits + 1;
      if (!isRight) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
    expect(numberToFloat16(65519.99)).toBe(0x7bff);
    expect(numberToFloat16(65520)).toBe(0x7c00);
  });
});

describe('on the device', () => {
  test('every float16 is read and written exactly, in any number', async () => {
    const sound = everyFloat16.filter((bits) => !isNaNFloat16(bits) && (bits & 0x7fff) !== 0x7c00);
    const values = Float32Array.from(sound, float16ToNumber);
    for (const count of [sound.length, sound.length - 1, 3, 2, 1]) {
      const x = tensor(values.subarray(0, count));
      const stored = cast(x, 'float16');
      expect([stored.dtype, stored.shape, stored.bytes]).toEqual(['float16', [count], 2 * count]);
      expect(await stored.data()).toEqual(values.subarray(0, count));
      expect(await cast(stored, 'float32').data()).toEqual(values.subarray(0, count));
      for (const t of [x, stored]) t.dispose();
    }
  });

  test('rounds as the host does', async () => {
    const random = generator(3);
    const values = Float32Array.from({ length: 50_001 }, () => (random() - 0.5) * 2 ** (40 * random() - 28));
    values.set([
      65504,
      65519.99,
      65520,
      -65520,
      1e30,
      0,
      -0,
      2 ** -25,
      2 ** -24,
      1.5 * 2 ** -24,
      2.5 * 2 ** -24,
    ]);
    const rounded = Float32Array.from(values, (value) => float16ToNumber(numberToFloat16(value)));
    expect(await tensor(values, { dtype: 'float16' }).data()).toEqual(rounded);
    expect(await cast(tensor(values), 'float16').data()).toEqual(rounded);
  });

  test('between float16 and other dtypes', async () => {
    const x = tensor([-2.6, -0.4, 0, 0.4, 3.5], { dtype: 'float16' });
    expect(await cast(x, 'int32').data()).toEqual(Int32Array.of(-2, 0, 0, 0, 3));
    expect(await cast(x, 'bool').data()).toEqual(Uint8Array.of(1, 1, 0, 1, 1));
    const counted = cast(tensor([1, 2, 70000], { dtype: 'int32' }), 'float16');
    expect(await counted.data()).toEqual(Float32Array.of(1, 2, Number.POSITIVE_INFINITY));
    expect(await reshape(cast(x, 'float16'), { shape: [5, 1] }).array()).toHaveLength(5);
  });

  test('an empty one', async () => {
    const x = cast(zeros([0, 3]), 'float16');
    expect((await x.data()).length).toBe(0);
    expect(await cast(x, 'float32').data()).toHaveLength(0);
  });
});

/** Returns a product in float64 of what is stored. */
function product(a: Float32Array, b: Float32Array, m: number, k: number, n: number): Float64Array {
  const out = new Float64Array(m * n);
  for (let i = 0; i < m; i++)
    for (let l = 0; l < k; l++)
      for (let j = 0; j < n; j++)
        out[i * n + j] = (out[i * n + j] as number) + (a[i * k + l] as number) * (b[l * n + j] as number);
  return out;
}

function turned(values: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from(values, (_, i) => values[(i % rows) * columns + Math.floor(i / rows)] as number);
}

function draw(count: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: count }, () => float16ToNumber(numberToFloat16(2 * random() - 1)));
}

const sizes = [
  [1, 64, 33],
  [33, 64, 1],
  [5, 7, 3],
  [16, 32, 24],
  [70, 130, 68],
  [129, 65, 127],
] as const;

const pairs = [
  ['float32', 'float16'],
  ['float16', 'float16'],
  ['float16', 'float32'],
] as const;

function near(found: ArrayLike<number>, right: Float64Array): void {
  expect(largestError(found, right)).toBeLessThan(2e-5);
}

describe('products', () => {
  const tiles: [string, GemmTile | null][] = [
    ['chosen', null],
    ['medium', gemmTiles.medium],
    ['block', gemmTiles.block],
    ['steps', gemmTiles.steps],
    ['scalars', gemmTiles.scalars],
  ];
  test.each(tiles)('of float16, each way round, tile %s', { timeout: 180_000 }, async (_, tile) => {
    // Other tiles take long to compile: one size, and one pair of dtypes.
    for (const [m, k, n] of tile ? [sizes[3]] : sizes) {
      const [a, b] = [draw(m * k, 1), draw(k * n, 2)];
      const right = product(a, b, m, k, n);
      for (const transposeA of [false, true]) {
        for (const transposeB of [false, true]) {
          const [first, second] = [transposeA ? turned(a, m, k) : a, transposeB ? turned(b, k, n) : b];
          for (const [typeA, typeB] of tile ? pairs.slice(0, 1) : pairs) {
            const x = tensor(first, { shape: transposeA ? [k, m] : [m, k], dtype: typeA });
            const w = tensor(second, { shape: transposeB ? [n, k] : [k, n], dtype: typeB });
            const run = () => matMul(x, w, { transposeA, transposeB });
            const y = tile ? withGemmTile(tile, run) : run();
            expect(y.dtype).toBe('float32');
            near(await y.data(), right);
            for (const t of [x, w, y]) t.dispose();
          }
        }
      }
    }
  });

  test('a dense layer of float16', async () => {
    const [x, w] = [draw(6 * 20, 1), draw(20 * 8, 2)];
    const bias = tensor(draw(8, 3));
    const y = fusedMatMul(
      tensor(x, { shape: [6, 20] }),
      tensor(w, { shape: [20, 8], dtype: 'float16' }),
      bias,
      {
        activation: 'relu',
      },
    );
    const added = await bias.data();
    near(
      await y.data(),
      product(x, w, 6, 20, 8).map((value, i) => Math.max(0, value + (added[i % 8] as number))),
    );
  });

  test('gradients are float32, and pass through the cast', async () => {
    const x = tensor(draw(12, 1), { shape: [3, 4] });
    const w = tensor(draw(8, 2), { shape: [4, 2] });
    const gradients = (half: boolean) =>
      grads((u: Tensor, v: Tensor) => sum(mul(matMul(u, half ? cast(v, 'float16') : v), 2)))([x, w]);
    const [narrow, floats] = [gradients(true), gradients(false)];
    for (const [i, gradient] of narrow.entries()) {
      expect(gradient.dtype).toBe('float32');
      expect(await gradient.data()).toEqual(await (floats[i] as Tensor).data());
    }
  });

  test('inside a compiled function', async () => {
    const w = tensor(draw(20 * 8, 2), { shape: [20, 8], dtype: 'float16' });
    const step = compile((x: Tensor) => relu(matMul(cast(x, 'float16'), w)));
    const [first, again] = [draw(40, 1), draw(40, 7)];
    for (const x of [first, again, first]) {
      const found = await step(tensor(x, { shape: [2, 20] })).data();
      near(
        found,
        product(x, await w.data(), 2, 20, 8).map((value) => Math.max(0, value)),
      );
    }
    expect(step.explain()[0]?.captured).toBe(true);
    const rounded = compile((x: Tensor) => cast(x, 'float16'));
    for (let turn = 0; turn < 3; turn++)
      expect(await rounded(tensor([1, 2, 2049])).data()).toEqual(Float32Array.of(1, 2, 2048));
  });
});

describe('convolutions', () => {
  const algorithms: readonly ForcedConv2d[] = [
    { kind: 'implicitGemm' },
    { kind: 'gemmCol2im' },
    { kind: 'blocks' },
    { kind: 'winograd', block: 2 },
    { kind: 'winograd', block: 4 },
  ];
  const shapes = [
    { image: [1, 9, 8, 6], kernel: [3, 3, 6, 10], options: { padding: 'same' } },
    { image: [2, 8, 8, 8], kernel: [3, 3, 8, 8], options: { padding: 'same' } },
    { image: [1, 9, 9, 8], kernel: [3, 3, 4, 6], options: { groups: 2, strides: 2 } },
    { image: [1, 6, 7, 8], kernel: [1, 1, 8, 4], options: {} },
    { image: [1, 8, 8, 3], kernel: [3, 3, 3, 5], options: { dilationRate: 2 } },
  ] as const;
  const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

  // Convolutions of floats have tests of their own, against float64: here float16 does what those floats do.
  test.each(algorithms.flatMap((algorithm) => shapes.map((shape) => [algorithm, shape] as const)))(
    '%j: %j',
    async (algorithm, shape) => {
      const { image, kernel, options } = shape;
      const [x, w, bias] = [draw(count(image), 1), draw(count(kernel), 2), tensor(draw(kernel[3], 3))];
      const run = (typeX: 'float16' | 'float32', typeW: 'float16' | 'float32') =>
        withConv2dAlgorithm(algorithm, () => {
          const [a, b] = [
            tensor(x, { shape: image, dtype: typeX }),
            tensor(w, { shape: kernel, dtype: typeW }),
          ];
          const lossOf = (u: Tensor, v: Tensor) => sum(square(conv2d(u, v, options)));
          return [
            fusedConv2d(a, b, bias, { ...options, activation: 'relu' }),
            ...grads((u: Tensor, v: Tensor) => lossOf(cast(u, typeX), cast(v, typeW)))([
              tensor(x, { shape: image }),
              tensor(w, { shape: kernel }),
            ]),
          ];
        });
      const floats = await Promise.all(run('float32', 'float32').map((t) => t.data()));
      for (const [typeX, typeW] of pairs) {
        const narrow = run(typeX, typeW);
        for (const [i, found] of narrow.entries()) {
          expect(found.dtype).toBe('float32');
          const data = await found.data();
          const largest = Math.max(...floats[i]!.map(Math.abs));
          for (const [j, value] of (floats[i] as Float32Array).entries())
            expect(Math.abs((data[j] as number) - value)).toBeLessThanOrEqual(1e-6 * largest);
        }
      }
    },
  );

  test('take no other dtype, and cotangents of float32 alone', () => {
    const x = tensor(draw(16, 1), { shape: [1, 4, 4, 1], dtype: 'float16' });
    const w = cast(tensor([1, 2, 3, 4], { shape: [2, 2, 1, 1] }), 'int32');
    expect(() => conv2d(x, w)).toThrow(DTypeError);
    const float = cast(w, 'float32');
    expect(() => conv2dInputGrad(x, float, { inputShape: [1, 5, 5, 1] })).toThrow(/accept float16/);
  });
});

describe('gathers', () => {
  test.each([2, 6, 8, 64])('rows of %i float16 values, and their gradient', async (width) => {
    const values = draw(50 * width, 4);
    const ids = Int32Array.from({ length: 77 }, (_, i) => (i * 31) % 50);
    const table = tensor(values, { shape: [50, width], dtype: 'float16' });
    const rows = embedding(table, tensor(ids));
    expect([rows.dtype, rows.shape]).toEqual(['float16', [77, width]]);
    const wanted = Float32Array.from(
      { length: 77 * width },
      (_, i) => values[(ids[Math.floor(i / width)] as number) * width + (i % width)] as number,
    );
    expect(await rows.data()).toEqual(wanted);
    const weights = tensor(values, { shape: [50, width] });
    const lookedUp = (w: Tensor) => sum(cast(gather(w, tensor(ids)), 'float32'));
    const [plain, half] = [grad(lookedUp)(weights), grad((w) => lookedUp(cast(w, 'float16')))(weights)];
    expect(half.dtype).toBe('float32');
    expect(await half.data()).toEqual(await plain.data());
  });

  test('fill what lies outside, and report it', async () => {
    const table = tensor([1, 2, 3, 4], { shape: [2, 2], dtype: 'float16' });
    const ids = tensor(Int32Array.of(1, 5));
    const filled = gather(table, ids, { mode: 'fill', fillValue: -1.5 });
    expect(await filled.array()).toEqual([
      [3, 4],
      [-1.5, -1.5],
    ]);
    await expect(gather(table, cast(tensor([1, 5]), 'int32')).data()).rejects.toThrow('index 5');
  });

  test('rows of an odd number, and the value of those out of range', async () => {
    const table = tensor([1, 2, 3, 4, 5, 6], { shape: [2, 3], dtype: 'float16' });
    const rows = gather(table, tensor(Int32Array.of(1, 0, 7)), { mode: 'fill', fillValue: 0.5 });
    expect(rows.dtype).toBe('float16');
    expect(await rows.array()).toEqual([
      [4, 5, 6],
      [1, 2, 3],
      [0.5, 0.5, 0.5],
    ]);
    const columns = gather(table, tensor(Int32Array.of(2)), { axis: 1 });
    expect(await columns.array()).toEqual([[3], [6]]);
  });
});

describe('what is rejected', () => {
  const x = () => freshTensor([1, 2, 3, 4], { dtype: 'float16' });

  test('other ops, by the hint', () => {
    expect(() => relu(x())).toThrow(DTypeError);
    expect(() => relu(x())).toThrow("cast(x, 'float32')");
    expect(() => sum(mul(x(), 2))).toThrow('enableFloat16()');
  });

  test('creation that computes', () => {
    expect(() => zeros([2], { dtype: 'float16' })).toThrow(DTypeError);
  });

  test('a variable that is trained', () => {
    expect(() => variable(x())).toThrow('trainable: false');
    expect(variable(x(), { trainable: false }).dtype).toBe('float16');
  });
});

test('nothing is left behind', async () => {
  const before = memory().tensors;
  const x = tensor(draw(64, 1), { shape: [8, 8] });
  const half = cast(x, 'float16');
  const y = matMul(half, half);
  await y.data();
  for (const t of [x, half, y]) t.dispose();
  expect(memory().tensors).toBe(before);
});
