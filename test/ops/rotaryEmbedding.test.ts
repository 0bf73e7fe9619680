/** @file rotaryEmbedding against PyTorch, and against float64 loops for shapes and positions of all kinds. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ones,
  ValueError,
  compile,
  GradientTape,
  grad,
  init,
  rotaryEmbedding,
  type RotaryEmbeddingOptions,
  sin,
  sum,
  type Tensor,
  tensor,
  vmap,
} from '../../src/index.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import golden from '../fixtures/transformers/pretrained.json' with { type: 'json' };
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { distinctValues, expectMapped } from '../autodiff/mapped.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

interface Host {
  shape: number[];
  values: number[];
}
interface Case {
  op: string;
  name: string;
  options: RotaryEmbeddingOptions;
  x: Host;
  positions: number[];
  frequencies: Host | null;
  dy: Host;
  y: Host;
  dx: Host;
}

const cases = (golden.cases as unknown as Case[]).filter(({ op }) => op === 'rotaryEmbedding');
const upload = ({ shape, values }: Host) => tensor(values, { shape });

async function expectClose(found: Tensor, expected: ArrayLike<number>, tolerance: number): Promise<void> {
  const data = await found.data();
  expect(data.length).toBe(expected.length);
  const worst = Array.from(expected).reduce(
    (max, e, i) => Math.max(max, Math.abs((data[i] as number) - e)),
    0,
  );
  expect(worst).toBeLessThan(tolerance);
}

test.each(cases.map((each) => [each.name, each] as const))('PyTorch: %s', async (_, each) => {
  const x = upload(each.x);
  const positions = tensor(each.positions, { dtype: 'int32' });
  using tape = new GradientTape();
  tape.watch(x);
  const y = rotaryEmbedding(x, positions, each.frequencies && upload(each.frequencies), each.options);
  const dx = tape.gradient(y, x, { outputGradients: upload(each.dy) }) as Tensor;
  // An angle of 2,000 has an error of 6e-5 in float32.
  const tolerance = each.name === 'Llama 3' ? 3e-4 : 3e-5;
  await expectClose(y, each.y.values, tolerance);
  await expectClose(dx, each.dx.values, tolerance);
});

/** By the definition, in float64, with the angles of float32. */
function rotated(
  x: Float32Array,
  [rows, heads, size]: readonly [number, number, number],
  positionOf: (row: number) => number,
  { interleaved = false, rotated = size, maxWavelength = 10_000, scalingFactor = 1 }: RotaryEmbeddingOptions,
): Float64Array {
  const y = Float64Array.from(x);
  const half = rotated / 2;
  for (let row = 0; row < rows; row++)
    for (let head = 0; head < heads; head++)
      for (let j = 0; j < half; j++) {
        const start = (row * heads + head) * size;
        const [at, to] = interleaved ? [start + 2 * j, start + 2 * j + 1] : [start + j, start + half + j];
        const angle = positionOf(row) * (maxWavelength ** (-j / half) / scalingFactor);
        const [a, b] = [x[at] as number, x[to] as number];
        y[at] = a * Math.cos(angle) - b * Math.sin(angle);
        y[to] = a * Math.sin(angle) + b * Math.cos(angle);
      }
  return y;
}

function values(size: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: size }, () => 2 * random() - 1);
}

describe.each(adapterClasses)('as on a %s', (kind) => {
  test.each<[number[], RotaryEmbeddingOptions]>([
    [[1, 7, 1, 2], {}],
    [[2, 3, 5, 6], { interleaved: true }],
    [[2, 3, 4, 8], {}],
    [[3, 4, 8], { interleaved: true }],
    [[2, 5, 6, 64], { maxWavelength: 500_000 }],
    [[1, 9, 2, 64], { interleaved: true, scalingFactor: 4 }],
    [[2, 3, 3, 80], { rotated: 32 }],
    [[2, 3, 2, 20], { rotated: 8, interleaved: true }],
    [[2, 3, 2, 7], { rotated: 4 }],
    [[2, 3, 2, 7], { rotated: 0 }],
    [[1, 2, 1, 1024], {}],
    [[2, 0, 2, 4], {}],
    [[1, 600, 8, 128], {}],
  ])('%j with %j', (shape, options) =>
    asAdapter(kind, async () => {
      const [length, heads, size] = shape.slice(-3) as [number, number, number];
      const x = values(
        shape.reduce((a, b) => a * b, 1),
        shape.length + size,
      );
      const geometry = [x.length / Math.max(1, heads * size), heads, size] as const;
      const given = tensor(x, { shape });
      await expectClose(
        rotaryEmbedding(given, null, null, options),
        rotated(x, geometry, (row) => row % length, options),
        2e-4,
      );
      // An offset, as a number and as a tensor; then positions of all rows.
      const later = rotated(x, geometry, (row) => 1000 + (row % length), options);
      await expectClose(rotaryEmbedding(given, 1000, null, options), later, 4e-4);
      const rows = shape.slice(0, -2);
      const positions = Int32Array.from({ length: geometry[0] }, (_, row) => (row * 37) % 101);
      const each = rotated(x, geometry, (row) => positions[row] as number, options);
      const placed = tensor(positions, { shape: rows, dtype: 'int32' });
      await expectClose(rotaryEmbedding(given, placed, null, options), each, 1e-4);
    }),
  );

  test('the inverse undoes a rotation, also at far positions', () =>
    asAdapter(kind, async () => {
      const x = values(2 * 4 * 32, 3);
      const given = tensor(x, { shape: [2, 4, 32] });
      const turned = rotaryEmbedding(given, 130_000, null);
      await expectClose(rotaryEmbedding(turned, 130_000, null, { inverse: true }), x, 1e-5);
    }));

  test('one launch, and one for the gradient', () =>
    asAdapter(kind, () => {
      const x = distinctValues([1, 8, 4, 16]);
      const { statistics } = getDevice().stream;
      using tape = new GradientTape();
      tape.watch(x);
      const before = statistics.launches;
      const y = rotaryEmbedding(x, null, null);
      expect(statistics.launches - before).toBe(1);
      tape.gradient(y, x, { outputGradients: x });
      expect(statistics.launches - before).toBe(2);
    }));
});

test('a compiled function takes the offset as a tensor, without recording it again', async () => {
  const step = compile((x: Tensor, offset: Tensor) => rotaryEmbedding(x, offset, null));
  const x = distinctValues([1, 2, 8]);
  for (const offset of [0, 5, 70]) {
    const found = step(x, tensor(offset, { dtype: 'int32' }));
    await expectClose(found, await rotaryEmbedding(x, offset, null).data(), 1e-6);
  }
  expect(step.explain()).toHaveLength(1);
});

test('vmap maps values and positions', async () => {
  const at = tensor([3, 8], { dtype: 'int32' });
  for (const options of [{}, { interleaved: true }, { rotated: 2 }]) {
    const op = (x: Tensor, offset: Tensor) => rotaryEmbedding(x, offset, null, options);
    await expectMapped(op, [distinctValues([2, 3, 2, 4]), at], [0, 0]);
    await expectMapped(op, [distinctValues([2, 3, 2, 4]), tensor(7, { dtype: 'int32' })], [0, null]);
    await expectMapped(op, [distinctValues([3, 2, 4]), at], [null, 0]);
    const derivative = (x: Tensor, offset: Tensor) => grad((t: Tensor) => sum(sin(op(t, offset))))(x);
    await expectMapped(derivative, [distinctValues([2, 3, 2, 4]), at], [0, 0]);
  }
  const frequencies = distinctValues([2, 2]);
  await expectMapped((f) => rotaryEmbedding(distinctValues([3, 1, 4]), 2, f), [frequencies], [0]);
  expect(vmap((x: Tensor) => rotaryEmbedding(x, null, null))(distinctValues([2, 3, 1, 4])).shape).toEqual([
    2, 3, 1, 4,
  ]);
});

test.each([[[0.5, 1]], [[0, 2 ** 40]]])(
  'positions of the host that int32 lacks are rejected: %s',
  (...positions) => {
    expect(() => rotaryEmbedding(ones([1, 2, 3, 4]), positions, null)).toThrow(ValueError);
  },
);
