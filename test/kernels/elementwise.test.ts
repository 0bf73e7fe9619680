/**
 * @file The elementwise kernel over many shapes and layouts, against broadcasting on the host; and sizes past one grid
 * dimension and past the default binding of 128 MiB.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { adapterClasses, asAdapter, onAdapter } from '../support/adapterClass.ts';
import { broadcastShapes, type Shape, sizeOf, unravel } from '../../src/core/shape.ts';
import {
  add,
  addN,
  cast,
  compile,
  fill,
  fromBuffer,
  getDevice,
  grad,
  init,
  mul,
  range,
  relu,
  reshape,
  sin,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  where,
} from '../../src/index.ts';
import { generator } from '../ops/samples/draw.ts';

beforeAll(async () => {
  await init();
});

/** Returns the position in a tensor of shape `from` that broadcasting reads at `index` of shape `to`. */
function positionOf(index: readonly number[], from: Shape): number {
  const own = index.slice(index.length - from.length);
  return from.reduce((position, n, axis) => position * n + (n === 1 ? 0 : (own[axis] as number)), 0);
}

/** Returns a shape that broadcasts to `to`: axes drop from the front or shrink to 1. */
function narrowed(to: Shape, random: () => number): number[] {
  const dropped = random() < 0.4 ? Math.floor(random() * (to.length + 1)) : 0;
  return to.slice(dropped).map((n) => (random() < 0.4 ? 1 : n));
}

const sizes = [1, 2, 3, 4, 5, 8, 12];

test('three operands of any shapes broadcast as on the host', async () => {
  const random = generator(2024);
  for (let round = 0; round < 80; round++) {
    const rank = Math.floor(random() * 7);
    const full = Array.from(
      { length: rank },
      () => sizes[Math.floor(random() * (rank > 4 ? 4 : 7))] as number,
    );
    const shapes = [narrowed(full, random), narrowed(full, random), narrowed(full, random)] as const;
    const values = shapes.map((shape) =>
      Float32Array.from({ length: sizeOf(shape) }, () => Math.floor(random() * 1000)),
    );
    const [condition, x, y] = values as [Float32Array, Float32Array, Float32Array];
    const bits = condition.map((value) => value % 2);
    const out = where(
      tensor(bits, { shape: shapes[0], dtype: 'bool' }),
      tensor(x, { shape: shapes[1] }),
      tensor(y, { shape: shapes[2] }),
    );
    const shape = shapes.reduce<number[]>((a, b) => broadcastShapes('test', a, b), []);
    expect(out.shape).toEqual(shape);
    const expected = Array.from({ length: sizeOf(shape) }, (_, i) => {
      const index = unravel(i, shape);
      const chosen = bits[positionOf(index, shapes[0])]
        ? ([x, shapes[1]] as const)
        : ([y, shapes[2]] as const);
      return chosen[0][positionOf(index, chosen[1])] as number;
    });
    expect(Array.from(await out.data()), JSON.stringify(shapes)).toEqual(expected);
  }
});

describe.each([1, 3, 4, 5, 255, 256, 257, 1023, 1024, 1025, 4096])('%d elements', (n) => {
  test('are all computed, with a row, a column and a scalar', async () => {
    const x = range(0, n);
    const matrix = (shape: readonly number[]) => reshape(range(0, 3 * n), { shape });
    expect((await add(x, x).data()).every((value, i) => value === 2 * i)).toBe(true);
    const rows = await add(matrix([3, n]), x).data();
    expect(rows.every((value, i) => value === i + (i % n))).toBe(true);
    const columns = await sub(matrix([n, 3]), reshape(x, { shape: [n, 1] })).data();
    expect(columns.every((value, i) => value === i - Math.floor(i / 3))).toBe(true);
    expect((await mul(x, 3).data()).every((value, i) => value === 3 * i)).toBe(true);
    expect((await addN([x, x, x, x, x]).data()).every((value, i) => value === 5 * i)).toBe(true);
  });
});

test('a buffer of the app’s without room for a last vector is read element by element', async () => {
  const { gpu } = getDevice();
  const values = Float32Array.from({ length: 7 }, (_, i) => i - 3);
  const buffer = gpu.createBuffer({
    size: values.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  gpu.queue.writeBuffer(buffer, 0, values);
  const x = fromBuffer(buffer, { shape: [7] });
  expect(await relu(x).array()).toEqual([0, 0, 0, 0, 1, 2, 3]);
  expect(await mul(x, tensor([[1], [2]])).array()).toEqual([
    Array.from(values),
    Array.from(values, (v) => 2 * v),
  ]);
  buffer.destroy();
});

/** Returns a tensor of zeros in its own buffer, except for four numbers written at each of `places`. */
function sparse(n: number, places: readonly number[]): { x: Tensor; buffer: GPUBuffer } {
  const { gpu } = getDevice();
  const buffer = gpu.createBuffer({
    size: Math.ceil(n / 4) * 16,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  for (const at of places) gpu.queue.writeBuffer(buffer, 4 * at, Float32Array.of(at % 1000, -1, 2, -3));
  return { x: fromBuffer(buffer, { shape: [n] }), buffer };
}

/** Four elements of `x` from `at` on, without reading the rest. */
async function peek(x: Tensor, at: number): Promise<number[]> {
  const { buffer, offset } = x.storage;
  const bytes = await x.device.read({ buffer, offset: offset + 4 * at, bytes: 16 });
  return Array.from(new Float32Array(bytes));
}

test.each(['gpu', 'cpu'] as const)('the variant for class %s, over many workgroups', async (adapterClass) => {
  const n = 64 * 1024 + 8 * 1024 + 3;
  const x = range(0, n);
  const [doubled, shifted] = onAdapter(adapterClass, () => [
    add(x, x),
    sub(reshape(x, { shape: [1, n] }), [[0], [1]]),
  ]);
  expect((await doubled.data()).every((value, i) => value === 2 * i)).toBe(true);
  expect((await shifted.data()).every((value, i) => value === (i % n) - Math.floor(i / n))).toBe(true);
});

// Where an invocation takes several steps: lines of whole steps, lines that a step leaves, and lines without vectors.
test.each([
  [70, 1024],
  [257, 260],
  [271, 250],
  [67, 1001],
])('rows and columns broadcast over [%d, %d], in maps alone and fused', async (rows, columns) => {
  const size = rows * columns;
  const x = reshape(range(0, size), { shape: [rows, columns] });
  const row = range(0, columns);
  const column = reshape(range(0, rows), { shape: [rows, 1] });
  const combined = (given: Tensor) => ({
    one: add(given, row),
    chain: sub(sub(mul(relu(given), 2), column), row),
    curved: add(tanh(sub(given, given)), sub(given, column)),
  });
  const fused = compile(combined);
  onAdapter('cpu', () => fused(x));
  for (const { one, chain, curved } of [
    onAdapter('cpu', () => combined(x)),
    onAdapter('cpu', () => fused(x)),
  ]) {
    const found = await Promise.all([one, chain, curved].map((tensor) => tensor.data()));
    const at = (i: number) => [i % columns, Math.floor(i / columns)] as [number, number];
    const right = [
      (i: number) => i + at(i)[0],
      (i: number) => 2 * i - at(i)[1] - at(i)[0],
      (i: number) => i - at(i)[1],
    ];
    right.forEach((value, k) => {
      expect((found[k] as Float32Array).findIndex((given, i) => given !== value(i))).toBe(-1);
    });
  }
});

describe('large tensors', () => {
  test('past 65,535 workgroups along one dimension', async () => {
    // One element per invocation, 256 invocations per workgroup: 65,537 workgroups.
    const n = 65_536 * 256 + 5;
    const values = fill([n], 3);
    for (const at of [0, 65_535 * 256 - 2, 65_536 * 256 - 2, n - 4])
      expect(await peek(values, at)).toEqual([3, 3, 3, 3]);
    const counted = range(0, n, { dtype: 'uint32' });
    const floats = cast(counted, 'float32');
    expect(await peek(floats, n - 7)).toEqual([0, 1, 2, 3].map((i) => Math.fround(n - 7 + i)));
    for (const tensor of [values, counted, floats]) tensor.dispose();
  });

  test('past 128 MiB, 65,536 workgroups and a ragged last vector', async () => {
    const n = 65_536 * 256 * 4 + 5;
    // Mesa's software adapter has no bindings above 128 MiB.
    if (4 * n > getDevice().pool.limit) {
      expect(() => fill([n], 0)).toThrow(/a tensor takes at most \d+ bytes on this device/);
      return;
    }
    const places = [0, 2 ** 25 - 2, 65_535 * 1024 - 2, 65_536 * 1024 - 3, n - 4];
    const { x, buffer } = sparse(n, places);
    // GPUs compute one vector per invocation, hence more workgroups.
    using y = onAdapter('gpu', () => sub(x, 1));
    for (const at of places) expect(await peek(y, at)).toEqual([(at % 1000) - 1, -2, 1, -4]);
    expect(await peek(y, 2 ** 24)).toEqual([-1, -1, -1, -1]);
    x.dispose();
    buffer.destroy();
  });
});

test.each(adapterClasses)('few large angles among many, as on a %s', (kind) =>
  asAdapter(kind, async () => {
    const host = Float32Array.from({ length: 98_307 }, (_, i) => 3 * Math.sin(i));
    const far = new Map([
      [0, 1e6],
      [17, -3.5e9],
      [18, 12_801],
      [2_050, 2e5],
      [2_051, -2e5],
      [9_999, Number.POSITIVE_INFINITY],
      [98_290, Number.NaN],
      [98_306, 2.5e30],
    ]);
    for (const [i, value] of far) host[i] = value;
    const x = tensor(host);
    const scale = tensor(Float32Array.from(host, (_, i) => 1 + (i % 5)));
    const sines = await sin(x).data();
    // A scalar operand, and one of the same shape, next to that of the cosine.
    const scaled = await grad((t: Tensor) => sum(mul(sin(t), scale)))(x).data();
    const isWithin = (found: number | undefined, expected: number, error: number) =>
      Number.isFinite(expected) ? Math.abs((found as number) - expected) < error : Number.isNaN(found);
    const wrong = host.findIndex((angle, i) => {
      const derivative = (1 + (i % 5)) * Math.cos(angle);
      return !isWithin(sines[i], Math.sin(angle), 3e-7) || !isWithin(scaled[i], derivative, 2e-6);
    });
    expect(wrong).toBe(-1);
  }),
);
