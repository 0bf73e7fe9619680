/** @file linearCrossEntropy and linearTopK against float64 loops and finite blocks, and the memory that they take. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  grad,
  IndexOutOfRangeError,
  init,
  linearCrossEntropy,
  type LinearCrossEntropyOptions,
  linearTopK,
  matMul,
  mul,
  sin,
  sum,
  type Tensor,
  tensor,
  topK,
} from '../../src/index.ts';
import { expectClose, expectMapped, peakOf } from '../autodiff/mapped.ts';
import { adapterClasses, asAdapter } from '../support/adapterClass.ts';
import { generator } from './samples/draw.ts';

beforeAll(async () => {
  await init();
});

function values(size: number, seed: number): Float32Array {
  const random = generator(seed);
  return Float32Array.from({ length: size }, () => 4 * random() - 2);
}

/** Losses and the gradients of Σ dy loss, in float64. */
function reference(
  hidden: Float32Array,
  weights: Float32Array,
  labels: readonly number[],
  dy: Float32Array,
  { labelSmoothing = 0, zLoss = 0, ignoredLabel = null }: LinearCrossEntropyOptions,
) {
  const rows = labels.length;
  const size = hidden.length / rows;
  const vocabulary = weights.length / size;
  const losses = new Float64Array(rows);
  const [dHidden, dWeights] = [new Float64Array(hidden.length), new Float64Array(weights.length)];
  for (const [row, label] of labels.entries()) {
    if (label < 0 || label === ignoredLabel) continue;
    const logits = Array.from({ length: vocabulary }, (_, v) => {
      let total = 0;
      for (let i = 0; i < size; i++)
        total += (hidden[row * size + i] as number) * (weights[v * size + i] as number);
      return total;
    });
    const largest = Math.max(...logits);
    const logSum = largest + Math.log(logits.reduce((all, l) => all + Math.exp(l - largest), 0));
    const target = (v: number) => labelSmoothing / vocabulary + (v === label ? 1 - labelSmoothing : 0);
    losses[row] = logits.reduce((loss, l, v) => loss - target(v) * l, logSum + zLoss * logSum ** 2);
    for (const [v, logit] of logits.entries()) {
      const d = (dy[row] as number) * ((1 + 2 * zLoss * logSum) * Math.exp(logit - logSum) - target(v));
      for (let i = 0; i < size; i++) {
        dHidden[row * size + i] = (dHidden[row * size + i] as number) + d * (weights[v * size + i] as number);
        dWeights[v * size + i] = (dWeights[v * size + i] as number) + d * (hidden[row * size + i] as number);
      }
    }
  }
  return { losses, dHidden, dWeights };
}

async function expectNear(found: Tensor, expected: Float64Array): Promise<void> {
  const data = await found.data();
  const scale = expected.reduce((max, v) => Math.max(max, Math.abs(v)), 1);
  const worst = expected.reduce((max, v, i) => Math.max(max, Math.abs((data[i] as number) - v)), 0);
  expect(data.length).toBe(expected.length);
  expect(worst / scale).toBeLessThan(5e-6);
}

describe.each(adapterClasses)('as on a %s', (kind) => {
  test.each<[rows: number, size: number, vocabulary: number, options: LinearCrossEntropyOptions]>([
    [1, 1, 1, {}],
    [5, 7, 33, {}],
    [5, 7, 33, { blockSize: 10, labelSmoothing: 0.1, zLoss: 1e-2 }],
    [70, 16, 130, { blockSize: 64, ignoredLabel: 3, labelSmoothing: 1 }],
    [3, 8, 300, { blockSize: 1, zLoss: 0.5 }],
    [9, 12, 257, { blockSize: 128, labelSmoothing: 0.2 }],
  ])('%d rows of %d, %d entries, %j', (rows, size, vocabulary, options) =>
    asAdapter(kind, async () => {
      const [h, w, d] = [values(rows * size, 1), values(vocabulary * size, 2), values(rows, 3)];
      const labels = Array.from({ length: rows }, (_, row) =>
        row % 4 === 3 ? -1 - row : (row * 37) % vocabulary,
      );
      const hidden = tensor(h, { shape: [rows, size] });
      const weights = tensor(w, { shape: [vocabulary, size] });
      using tape = new GradientTape({ persistent: true });
      tape.watch([hidden, weights]);
      const loss = linearCrossEntropy(hidden, weights, tensor(labels, { dtype: 'int32' }), options);
      const expected = reference(h, w, labels, d, options);
      await expectNear(loss, expected.losses);
      const outputGradients = tensor(d);
      const [dHidden, dWeights] = tape.gradient(loss, [hidden, weights], { outputGradients }) as Tensor[];
      await expectNear(dHidden as Tensor, expected.dHidden);
      await expectNear(dWeights as Tensor, expected.dWeights);
      // Frozen weights, as those of a tied embedding may be.
      await expectNear(tape.gradient(loss, hidden, { outputGradients }) as Tensor, expected.dHidden);
    }),
  );

  test('large logits, and rows in several axes', () =>
    asAdapter(kind, async () => {
      const hidden = tensor([[[100], [-100]]]);
      const loss = linearCrossEntropy(hidden, [[1], [2], [-3]], [[1, 2]], { blockSize: 2 });
      expect(loss.shape).toEqual([1, 2]);
      expect(Array.from(await loss.data())).toEqual([0, 0]);
      const worse = await linearCrossEntropy(hidden, [[1], [2], [-3]], [[2, 1]], { blockSize: 2 }).data();
      expect(Array.from(worse)).toEqual([500, 500]);
    }));

  test.each([1, 5, 130])('the %d best entries are those of all logits', (k) =>
    asAdapter(kind, async () => {
      const hidden = tensor(values(6 * 8, 4), { shape: [2, 3, 8] });
      const weights = tensor(values(150_000, 5), { shape: [18_750, 8] });
      const [best, entries] = linearTopK(hidden, weights, { k });
      const [expected, places] = topK(matMul(hidden, weights, { transposeB: true }), { k });
      expect(best.shape).toEqual([2, 3, k]);
      await expectClose(best, expected);
      expect(Array.from(await entries.data())).toEqual(Array.from(await places.data()));
    }),
  );
});

test('second derivatives', async () => {
  const [hidden, weights] = [
    tensor(values(6, 1), { shape: [2, 3] }),
    tensor(values(12, 2), { shape: [4, 3] }),
  ];
  const labels = tensor([1, 3], { dtype: 'int32' });
  const options = { labelSmoothing: 0.1, zLoss: 0.01, blockSize: 2 };
  const f = (h: Tensor) => sum(linearCrossEntropy(h, weights, labels, options));
  const direction = tensor(values(6, 3), { shape: [2, 3] });
  const found = grad((h: Tensor) => sum(mul(grad(f)(h), direction)))(hidden);
  const step = 1e-2;
  const at = async (t: number) =>
    grad(f)(
      tensor(
        (await hidden.data()).map((v, i) => v + t * (directionOf[i] as number)),
        { shape: [2, 3] },
      ),
    ).data();
  const directionOf = await direction.data();
  const [after, earlier] = [await at(step), await at(-step)];
  const differences = Array.from(after, (v, i) => (v - (earlier[i] as number)) / (2 * step));
  for (const [i, v] of (await found.data()).entries()) expect(v).toBeCloseTo(differences[i] as number, 2);
});

test('vmap', async () => {
  const labels = tensor(
    [
      [1, 3],
      [0, 2],
    ],
    { dtype: 'int32' },
  );
  const [hidden, weights] = [
    tensor(values(12, 1), { shape: [2, 2, 3] }),
    tensor(values(12, 2), { shape: [4, 3] }),
  ];
  const loss = (h: Tensor, l: Tensor) => linearCrossEntropy(h, weights, l, { labelSmoothing: 0.1 });
  await expectMapped(loss, [hidden, labels], [0, 0]);
  await expectMapped((h, l) => grad((t: Tensor) => sum(sin(loss(t, l))))(h), [hidden, labels], [0, 0]);
});

test('memory is that of a block of logits, not that of all', () => {
  const [rows, size, vocabulary] = [256, 16, 20_000];
  const hidden = tensor(values(rows * size, 1), { shape: [rows, size] });
  const weights = tensor(values(vocabulary * size, 2), { shape: [vocabulary, size] });
  const labels = tensor(new Int32Array(rows));
  const all = 4 * rows * vocabulary;
  const peak = peakOf(() => grad((h: Tensor) => sum(linearCrossEntropy(h, weights, labels)))(hidden));
  expect(peak).toBeLessThan(all / 3);
});

test('a label beyond the vocabulary is reported', async () => {
  const [hidden, weights] = [
    tensor([[1, 2]]),
    tensor([
      [1, 2],
      [3, 4],
    ]),
  ];
  expect(() => linearCrossEntropy(hidden, weights, [2])).toThrow(IndexOutOfRangeError);
  const late = linearCrossEntropy(hidden, weights, tensor([5], { dtype: 'int32' }));
  await expect(late.data()).rejects.toThrow(IndexOutOfRangeError);
});

test.each<[string, () => unknown, RegExp]>([
  ['sizes that differ', () => linearCrossEntropy([[1, 2]], [[1]], [0]), /vocabulary, size/],
  ['too few labels', () => linearCrossEntropy([[1], [2]], [[1]], [0]), /label for each row/],
  ['labels of floats', () => linearCrossEntropy([[1]], [[1]], tensor([0])), /int32/],
  ['too much smoothing', () => linearCrossEntropy([[1]], [[1]], [0], { labelSmoothing: 2 }), /from 0 to 1/],
  ['a negative z', () => linearCrossEntropy([[1]], [[1]], [0], { zLoss: -1 }), /at least 0/],
  ['blocks of 0', () => linearCrossEntropy([[1]], [[1]], [0], { blockSize: 0 }), /blockSize/],
  ['half a label', () => linearCrossEntropy([[1]], [[1]], [0], { ignoredLabel: 0.5 }), /ignoredLabel/],
  ['more entries than there are', () => linearTopK([[1]], [[1]], { k: 2 }), /from 1 to 1/],
])('bad input: %s', (_, call, message) => {
  expect(call).toThrow(message);
});
