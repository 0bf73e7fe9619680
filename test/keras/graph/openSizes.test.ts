/** @file Layers whose `call` reads sizes that are open in a graph: the sizes that follow from them are open, too. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  broadcastTo,
  concat,
  exp,
  init,
  matMul,
  memory,
  mul,
  randomNormal,
  range,
  reshape,
  ShapeError,
  type Tensor,
  tensor,
  tile,
  transpose,
  zeros,
} from '../../../src/index.ts';
import { input, Layer, layers, model, Model } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

/** Returns the size of an axis, as an app writes it. */
const size = (x: Tensor, axis = 0) => x.shape[axis] as number;

/** Returns a layer whose `call` is `call`. */
function layerOf(call: (x: Tensor) => Tensor): Layer {
  class Own extends Layer {
    override call(x: Tensor): Tensor {
      return call(x);
    }
  }
  return new Own();
}

test.each<[string, (number | null)[], (x: Tensor) => Tensor, (number | null)[]]>([
  ['zeros(x.shape)', [3], (x) => add(x, zeros(x.shape)), [null, 3]],
  ['randomNormal(x.shape)', [3], (x) => mul(x, randomNormal(x.shape)), [null, 3]],
  ['zeros of the batch alone', [3], (x) => zeros([size(x), 4]), [null, 4]],
  ['broadcastTo', [3], (x) => broadcastTo(tensor([1, 2]), { shape: [size(x), 2] }), [null, 2]],
  ['tile', [3], (x) => tile(tensor([[1, 2]]), { reps: [size(x), 1] }), [null, 2]],
  ['reshape', [3, 4], (x) => reshape(x, { shape: [size(x), 12] }), [null, 12]],
  ['merging batch and time', [5, 4], (x) => reshape(x, { shape: [size(x) * 5, 4] }), [null, 4]],
  ['merging two open sizes', [null, 4], (x) => reshape(x, { shape: [size(x) * size(x, 1), 4] }), [null, 4]],
  ['splitting the batch', [6], (x) => reshape(x, { shape: [size(x) / 3, 3, 6] }), [null, 3, 6]],
  ['an open time', [null, 2], (x) => add(x, zeros([1, size(x, 1), 2])), [null, null, 2]],
  ['a class token', [4, 2], (x) => concat([zeros([size(x), 1, 2]), x], { axis: 1 }), [null, 5, 2]],
  ['one more', [2], (x) => concat([x, zeros([1, 2])], { axis: 0 }), [null, 2]],
  ['a limited size', [2], (x) => zeros([Math.min(size(x), 64), 2]), [null, 2]],
  [
    'a sum over time',
    [null, 2],
    (x) => {
      let total: Tensor = zeros([size(x), 2]);
      for (let t = 0; t < size(x, 1); t++) total = add(total, 1);
      return total;
    },
    [null, 2],
  ],
  ['a condition with one shape', [2], (x) => (size(x) > 8 ? mul(x, 2) : add(x, 1)), [null, 2]],
  [
    'a size that doesn’t matter',
    [2, 7],
    (x) => reshape(x, { shape: [-1, size(x, 1) * size(x, 2)] }),
    [null, 14],
  ],
])('%s', (_, shape, call, expected) => {
  const before = memory().bytes;
  const layer = layerOf(call);
  const symbolic = input({ shape });
  expect(layer.apply(symbolic).shape).toEqual(expected);
  expect(layer.computeOutputShape([null, ...shape])).toEqual(expected);
  expect((layers.lambda(call).apply(symbolic) as { shape: unknown }).shape).toEqual(expected);
  // Known sizes stay known.
  expect(layer.computeOutputShape([6, ...shape.map((n) => n ?? 6)])).not.toContain(null);
  expect(memory().bytes - before).toBeLessThan(4096);
});

test('the layers of a VAE and of a transformer run on batches of any size', async () => {
  class Sampling extends Layer<Tensor[], Tensor> {
    readonly project = layers.dense({ units: 3, kernelInitializer: 'ones' });
    override call([mean, logVariance]: Tensor[]): Tensor {
      const noise = randomNormal((mean as Tensor).shape, { seed: 1 });
      return this.project.apply(add(mean as Tensor, mul(exp(mul(logVariance as Tensor, 0.5)), noise)));
    }
  }
  class Positions extends Model {
    readonly table = layers.embedding({ inputDim: 8, outputDim: 3 });
    override call(x: Tensor): Tensor {
      const positions = this.table.apply(range(0, size(x, 1), { dtype: 'int32' }));
      return matMul(
        add(x, positions),
        transpose(reshape(x, { shape: [size(x), size(x, 1), 3] }), { perm: [0, 2, 1] }),
      );
    }
  }
  const x = input({ shape: [2] });
  const sampling = new Sampling();
  const sampled = sampling.apply([x, x]);
  expect(sampled.shape).toEqual([null, 3]);
  // Layers that are first called inside keep open sizes, too.
  expect(sampling.project.buildShape).toEqual([null, 2]);
  const sequence = input({ shape: [null, 3] });
  const scores = new Positions().apply(sequence);
  expect(scores.shape).toEqual([null, null, null]);
  const net = model({ inputs: [x, sequence], outputs: [sampled, scores] });
  for (const batch of [1, 4]) {
    const [a, b] = net.apply([zeros([batch, 2]), zeros([batch, 5, 3])]);
    expect([a.shape, b.shape]).toEqual([
      [batch, 3],
      [batch, 5, 5],
    ]);
  }
});

describe('where shapes can’t be inferred', () => {
  test.each<[string, (x: Tensor) => Tensor]>([
    ['the rank depends on the batch', (x) => (size(x) > 100 ? x : reshape(x, { shape: [-1] }))],
    ['the batch has to be one size', (x) => add(zeros([3, 2]), zeros([size(x), 2]))],
  ])('%s: the error names computeOutputShape', (_, call) => {
    const layer = layerOf(call);
    expect(() => layer.apply(input({ shape: [2] }))).toThrow(ShapeError);
    expect(() => layer.apply(input({ shape: [2] }))).toThrow(/computeOutputShape/);
    class Declared extends Layer {
      override computeOutputShape() {
        return [null, 2];
      }
      override call(x: Tensor): Tensor {
        return call(x);
      }
    }
    expect(new Declared().apply(input({ shape: [2] })).shape).toEqual([null, 2]);
  });

  test('messages have null for the sizes that were tried', () => {
    class Some extends Layer {
      constructor(private readonly body: (x: Tensor) => Tensor) {
        super();
      }
      override call(x: Tensor): Tensor {
        return this.body(x);
      }
    }
    const messageOf = (body: (x: Tensor) => Tensor) => {
      try {
        new Some(body).apply(input({ shape: [5] }));
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const tried = /\b(194|240|120|10080|5040)\b/;
    const rank = messageOf((x) => (size(x) > 100 ? x : reshape(x, { shape: [size(x) * 5] })));
    expect(rank).toMatch(/float32\[null, 5\] where open sizes are large/);
    expect(rank).not.toMatch(tried);
    const small = messageOf((x) =>
      size(x) < 150 ? add(x, zeros([size(x), 3])) : add(x, zeros([size(x), 4])),
    );
    expect(small).toMatch(/\[null, [34]\]/);
    expect(small).not.toMatch(tried);
    // Sizes that were computed from them: 970 elements, 582 places.
    const computed = messageOf((x) => reshape(x, { shape: [3, size(x)] }));
    expect(computed).toMatch(/null/);
    expect(computed).not.toMatch(/\b(194|970|582)\b/);
    expect(computed).toMatch(/\[3, null\]/);
    const multiple = messageOf((x) => (size(x) > 100 ? reshape(x, { shape: [size(x) * 5] }) : x));
    expect(multiple).toMatch(/float32\[null\] where open sizes are large/);
  });

  test('weights don’t take the size of a batch', () => {
    class Wide extends Layer {
      readonly inner = layers.dense({ units: 1 });
      override call(x: Tensor): Tensor {
        return this.inner.apply(reshape(x, { shape: [2, size(x)] }));
      }
    }
    expect(() => new Wide().apply(input({ shape: [2] }))).toThrow(/exists and has a known size/);
  });

  test('the error of an op outside of layers says where sizes are known', () => {
    const x = input({ shape: [2] });
    expect(() => zeros(x.shape as number[])).toThrow(/null.*lambda/s);
  });
});
