/** @file Batching rules by which operands are mapped, against one example at a time, and that nothing shared is repeated. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  batchNormTrain,
  cachedAttention,
  compile,
  concat,
  conv2d,
  cumprod,
  cumsum,
  fusedConv2d,
  fusedMatMul,
  gather,
  gatherNd,
  GradientTape,
  grad,
  groupNorm,
  gruSteps,
  init,
  keyValueCache,
  layerNorm,
  logSoftmax,
  lstmSteps,
  matMul,
  mul,
  reshape,
  rmsNorm,
  sampleTokens,
  scatterAdd,
  scatterNd,
  searchSorted,
  sin,
  softmax,
  split,
  square,
  stack,
  sub,
  sum,
  type Tensor,
  tensor,
  unstack,
  vmap,
  zeros,
} from '../../src/index.ts';
import { losses } from '../../src/keras/index.ts';
import { distinctValues, expectMapped, peakOf } from './mapped.ts';

beforeAll(async () => {
  await init();
});

describe('each choice of mapped operands', () => {
  test.each<[string, number[], number[], object]>([
    ['a matrix and a matrix', [2, 3, 4], [4, 5], {}],
    ['a transposed matrix and a matrix', [2, 4, 3], [4, 5], { transposeA: true }],
    ['a vector and a matrix', [2, 4], [4, 5], {}],
    ['a vector and a transposed matrix', [2, 4], [5, 4], { transposeB: true }],
    ['a matrix and a vector', [2, 3, 4], [4], {}],
    ['a batch and a matrix', [2, 6, 3, 4], [4, 5], {}],
    ['a matrix and a batch', [2, 3, 4], [6, 4, 5], {}],
    ['a vector and a batch', [2, 4], [6, 4, 5], {}],
  ])('a product of %s', async (_, a, b, options) => {
    const product = (x: Tensor, y: Tensor) => matMul(x, y, options);
    const each = a.slice(1);
    await expectMapped(product, [distinctValues(a), distinctValues(b)], [0, null]);
    await expectMapped(product, [distinctValues(each), distinctValues([2, ...b])], [null, 0]);
    await expectMapped(product, [distinctValues(a), distinctValues([2, ...b])], [0, 0]);
  });

  const choices: [0 | null, 0 | null, 0 | null][] = [
    [0, null, null],
    [null, 0, null],
    [null, null, 0],
    [0, 0, null],
    [0, null, 0],
    [null, 0, 0],
    [0, 0, 0],
  ];
  const ofTwo: [0 | null, 0 | null][] = [
    [0, 0],
    [0, null],
    [null, 0],
  ];
  const given = (axis: 0 | null, shape: number[]) => distinctValues(axis === 0 ? [2, ...shape] : shape);

  test.each(ofTwo)('elementwise ops of examples with different ranks: %s, %s', async (a, b) => {
    const shapes: [number[], number[]][] = [
      [[3], [2, 3]],
      [[2, 1, 3], [3]],
      [[], [2]],
      [[2], [2]],
    ];
    for (const [first, second] of shapes)
      await expectMapped(sub, [given(a, first), given(b, second)], [a, b]);
  });

  test.each(choices)('fusedMatMul: %s, %s, %s', async (a, b, bias) => {
    const inputs = [given(a, [3, 4]), given(b, [4, 5]), given(bias, [5])];
    const layer = (x: Tensor, y: Tensor, z: Tensor) => fusedMatMul(x, y, z, { activation: 'relu' });
    await expectMapped(layer, inputs, [a, b, bias]);
  });

  test.each(choices)('fusedConv2d: %s, %s, %s', async (x, kernel, bias) => {
    const inputs = [given(x, [1, 5, 6, 2]), given(kernel, [3, 3, 2, 4]), given(bias, [4])];
    const layer = (image: Tensor, k: Tensor, b: Tensor) =>
      fusedConv2d(image, k, b, { padding: 'same', activation: 'relu' });
    await expectMapped(layer, inputs, [x, kernel, bias]);
  });

  test.each(choices)('layerNorm and groupNorm: %s, %s, %s', async (x, gamma, beta) => {
    const inputs = [given(x, [3, 4]), given(gamma, [4]), given(beta, [4])];
    await expectMapped((a, b, c) => layerNorm(a, b, c), inputs, [x, gamma, beta]);
    await expectMapped((a, b, c) => groupNorm(a, b, c, { groups: 2 }), inputs, [x, gamma, beta]);
  });

  test.each(ofTwo)('rmsNorm and its gradients: %s, %s', async (x, gamma) => {
    const inputs = [given(x, [3, 4]), given(gamma, [4])];
    await expectMapped((a, b) => rmsNorm(a, b), inputs, [x, gamma]);
    await expectMapped((a, b) => grad((t) => sum(sin(rmsNorm(t, b))))(a), inputs, [x, gamma]);
    await expectMapped((a, b) => grad((t) => sum(sin(rmsNorm(a, t))))(b), inputs, [x, gamma]);
    const across = [given(x, [3, 2, 4]), given(gamma, [3, 2])];
    await expectMapped((a, b) => rmsNorm(a, b, { axis: [0, 1] }), across, [x, gamma]);
  });

  test.each(choices)('layerNorm and groupNorm along other axes: %s, %s, %s', async (x, gamma, beta) => {
    const inputs = [given(x, [2, 4, 3]), given(gamma, [4]), given(beta, [4])];
    for (const axis of [1, -2]) {
      await expectMapped((a, b, c) => layerNorm(a, b, c, { axis, epsilon: 0.5 }), inputs, [x, gamma, beta]);
      const options = { axis, groups: 2, epsilon: 0.5 };
      await expectMapped((a, b, c) => groupNorm(a, b, c, options), inputs, [x, gamma, beta]);
    }
  });

  test.each(ofTwo)('normalizations with one parameter: %s, %s', async (x, parameter) => {
    const inputs = [given(x, [3, 4]), given(parameter, [4])];
    await expectMapped((a, b) => layerNorm(a, b, null), inputs, [x, parameter]);
    await expectMapped((a, b) => layerNorm(a, null, b), inputs, [x, parameter]);
    await expectMapped((a, b) => groupNorm(a, b, null, { groups: 2 }), inputs, [x, parameter]);
    await expectMapped((a, b) => groupNorm(a, null, b, { groups: 2 }), inputs, [x, parameter]);
    const normalizations: ((a: Tensor, b: Tensor) => Tensor)[] = [
      (a, b) => sum(sin(layerNorm(a, b, null))),
      (a, b) => sum(sin(layerNorm(a, null, b))),
      (a, b) => sum(sin(batchNormTrain(a, b, null)[0])),
      (a, b) => sum(sin(batchNormTrain(a, null, b)[0])),
    ];
    for (const f of normalizations)
      for (const argnums of [0, 1]) await expectMapped(grad(f, { argnums }), inputs, [x, parameter]);
  });

  test.each(choices)('batchNormTrain along the first axis: %s, %s, %s', async (x, gamma, beta) => {
    const inputs = [given(x, [4, 3, 2]), given(gamma, [4]), given(beta, [4])];
    const normalized = (a: Tensor, b: Tensor, c: Tensor) =>
      batchNormTrain(a, b, c, { axis: 0, epsilon: 0.5 })[0];
    await expectMapped(normalized, inputs, [x, gamma, beta]);
    const total = (...args: [Tensor, Tensor, Tensor]) => sum(sin(normalized(...args)));
    for (const argnums of [0, 1, 2]) await expectMapped(grad(total, { argnums }), inputs, [x, gamma, beta]);
  });

  test.each(ofTwo)('recurrent steps without states, bias and mask: %s, %s', async (gates, kernel) => {
    const lstm = (x: Tensor, k: Tensor) => concat(lstmSteps(x, k, null, null, null), { axis: -1 });
    const gru = (x: Tensor, k: Tensor) => concat(gruSteps(x, k, null, null, null), { axis: -1 });
    await expectMapped(lstm, [given(gates, [2, 3, 8]), given(kernel, [2, 8])], [gates, kernel]);
    await expectMapped(gru, [given(gates, [2, 3, 6]), given(kernel, [2, 6])], [gates, kernel]);
  });

  test.each(choices)('recurrent steps with states and a mask: %s, %s, %s', async (gates, kernel, state) => {
    const mask = tensor([
      [true, true, false],
      [true, false, true],
    ]);
    const lstm = (x: Tensor, k: Tensor, h: Tensor) =>
      concat(lstmSteps(x, k, h, square(h), mask), { axis: -1 });
    const gru = (x: Tensor, k: Tensor, h: Tensor) =>
      concat(gruSteps(x, k, sum(k, { axis: 0 }), h, mask), { axis: -1 });
    for (const [f, blocks] of [
      [lstm, 4],
      [gru, 3],
    ] as const) {
      const inputs = [given(gates, [2, 3, 2 * blocks]), given(kernel, [2, 2 * blocks]), given(state, [2, 2])];
      await expectMapped(f, inputs, [gates, kernel, state]);
    }
  });

  test.each(choices)('recurrent steps of no time: %s, %s, %s', async (gates, kernel, state) => {
    const axes = [gates, kernel, state];
    const inputs = (blocks: number) => [
      given(gates, [1, 0, 3 * blocks]),
      given(kernel, [3, 3 * blocks]),
      given(state, [1, 3]),
    ];
    const lstm = (x: Tensor, k: Tensor, h: Tensor) => lstmSteps(x, k, h, null, null)[0];
    const gru = (x: Tensor, k: Tensor, h: Tensor) => gruSteps(x, k, null, h, null)[0];
    for (const [f, blocks] of [
      [lstm, 4],
      [gru, 3],
    ] as const) {
      await expectMapped(f, inputs(blocks), axes);
      await expectMapped(grad(f, { argnums: 1 }), inputs(blocks), axes);
    }
  });

  test.each<0 | null>([0, null])(
    'the gradient of layerNorm by its input alone, with gamma mapped over %s',
    async (axis) => {
      const derivative = (x: Tensor, gamma: Tensor) => grad((t) => sum(square(layerNorm(t, gamma, null))))(x);
      await expectMapped(derivative, [given(0, [3, 4]), given(axis, [4])], [0, axis]);
      await expectMapped((x) => grad((t) => sum(sin(layerNorm(t, null, null))))(x), [given(0, [3, 4])], [0]);
    },
  );

  test.each<[string, { axis?: number }]>([
    ['left out', {}],
    ['counted from the last', { axis: -1 }],
  ])('an axis that is %s is one of each example', async (_, options) => {
    const functions: ((x: Tensor) => Tensor)[] = [
      (x) => concat([x, square(x)], options),
      (x) => stack([x, square(x)], options),
      (x) => unstack(x, options)[1] as Tensor,
      (x) => split(x, { numOrSizeSplits: 2, ...options })[1] as Tensor,
      (x) => cumsum(x, options),
      (x) => cumprod(x, options),
      (x) => softmax(x, options),
      (x) => logSoftmax(x, options),
      grad((x) => sum(sin(logSoftmax(x, options)))),
    ];
    for (const f of functions) await expectMapped(f, [distinctValues([2, 4, 6])], [0]);
  });

  test('a gather along any axis, also with shared leading axes', async () => {
    const indices = tensor(
      [
        [2, 0],
        [1, 1],
      ],
      { dtype: 'int32' },
    );
    for (const axis of [0, 1, -1]) {
      const rows = (x: Tensor, ids: Tensor) => gather(x, ids, { axis });
      await expectMapped(rows, [distinctValues([3, 4, 3]), indices], [null, 0]);
      await expectMapped(rows, [distinctValues([2, 3, 4, 3]), indices], [0, null]);
      await expectMapped(rows, [distinctValues([2, 3, 4, 3]), indices], [0, 0]);
    }
    for (const batchDims of [1, -1]) {
      const rows = (x: Tensor, ids: Tensor) => gather(x, ids, { axis: 1, batchDims });
      await expectMapped(rows, [distinctValues([2, 2, 3]), stack([indices, indices])], [0, 0]);
    }
  });

  test.each(ofTwo)('coordinates and scatters with shared leading axes: %s, %s', async (table, indices) => {
    const first = [
      [1, 0, 3],
      [2, 2, 0],
    ];
    const second = [
      [3, 3, 1],
      [0, 1, 2],
    ];
    const ids = tensor(indices === 0 ? [first, second] : first, { dtype: 'int32' });
    const coordinates = reshape(ids, { shape: [...ids.shape, 1] });
    const [x, updates] = [given(table, [2, 4]), given(table, [2, 3])];
    for (const batchDims of [1, -1]) {
      const options = { shape: [2, 4], batchDims };
      const axes = [table, indices];
      await expectMapped((a, i) => gatherNd(a, i, { batchDims }), [x, coordinates], axes);
      await expectMapped((a, i) => scatterNd(i, a, options), [updates, coordinates], axes);
      await expectMapped((a, i) => scatterAdd(i, a, { ...options, axis: 1 }), [updates, ids], axes);
    }
  });
});

describe('what examples share is not repeated', () => {
  /** Returns the number of launches of `f`. */
  const launchesOf = (f: (x: Tensor) => Tensor, x: Tensor): number => {
    using compiled = compile(f);
    compiled(x);
    return compiled.explain()[0]?.launches as number;
  };

  test('a table, or indices', () => {
    const [table, ids] = [distinctValues([64, 256]), tensor([[1], [2]], { dtype: 'int32' })];
    expect(peakOf(() => vmap((i: Tensor) => gather(table, i))(ids))).toBeLessThan(table.bytes);
    const [tables, many] = [distinctValues([2, 3]), zeros([2 ** 16], { dtype: 'int32' })];
    expect(peakOf(() => vmap((t: Tensor) => gather(t, many))(tables))).toBeLessThan(2.5 * many.bytes);
  });

  test('a sorted vector', () => {
    const [sorted, values] = [zeros([2 ** 15]), distinctValues([2, 3])];
    const search = (x: Tensor) => searchSorted(sorted, x);
    expect(peakOf(() => vmap(search)(values))).toBeLessThan(sorted.bytes);
  });

  test('an operand of an elementwise op', () => {
    const [scalars, shared] = [distinctValues([2]), zeros([2 ** 16])];
    expect(peakOf(() => vmap((x: Tensor) => mul(x, shared))(scalars))).toBeLessThan(2.5 * shared.bytes);
  });

  test('weights of recurrent steps', () => {
    // Launches for the steps of all examples, or many at each step.
    const ofSteps = (isShared: boolean) => {
      const kernel = distinctValues(isShared ? [3, 12] : [2, 3, 12]);
      const run = (gates: Tensor, k: Tensor) => lstmSteps(gates, k, null, null, null)[0] as Tensor;
      const all = vmap(run, { inAxes: [0, isShared ? null : 0] });
      return launchesOf((gates) => all(gates, kernel), distinctValues([2, 1, 16, 12]));
    };
    expect(2 * ofSteps(true)).toBeLessThan(ofSteps(false));
  });

  test('the kernel of a convolution', () => {
    const [images, kernel] = [distinctValues([2, 1, 4, 4, 64]), distinctValues([3, 3, 64, 64])];
    const convolved = (x: Tensor) => conv2d(x, kernel, { padding: 'same' });
    for (const f of [convolved, grad((x: Tensor) => sum(sin(convolved(x))))]) {
      const ofBatch = peakOf(() => f(reshape(images, { shape: [2, 4, 4, 64] })));
      expect(peakOf(() => vmap(f)(images))).toBeLessThan(ofBatch + kernel.bytes);
    }
  });

  test('a matrix: the rows of all examples form a single matmul', () => {
    const [x, matrix] = [distinctValues([2, 3, 4]), distinctValues([4, 5])];
    using tape = new GradientTape();
    tape.watch(x);
    vmap((rows: Tensor) => matMul(rows, matrix))(x);
    const products = tape.trace.filter(({ op }) => op.name === 'matMul');
    expect(products.map(({ node }) => node.inputs.map(({ shape }) => shape))).toEqual([
      [
        [6, 4],
        [4, 5],
      ],
    ]);
  });

  test('the gamma of the gradient of layerNorm by its input, which is one op for all examples', () => {
    const [x, gamma] = [distinctValues([2, 3, 4]), distinctValues([4])];
    using tape = new GradientTape();
    tape.watch(x);
    vmap(grad((rows: Tensor) => sum(sin(layerNorm(rows, gamma, null)))))(x);
    expect(tape.trace.map(({ op }) => op.name)).toContain('layerNormInputGrad');
  });

  test('parameters of fused ops, which take one call as without a map', () => {
    const [bias, matrix, kernel] = [4, [4, 4], [1, 1, 4, 4]].map((shape) => distinctValues([shape].flat()));
    const [b, m, k] = [bias, matrix, kernel] as [Tensor, Tensor, Tensor];
    const fused: ((x: Tensor) => Tensor)[] = [
      (x) => fusedMatMul(x, m, b, { activation: 'relu' }),
      (x) => fusedConv2d(x, k, b, { activation: 'relu' }),
      (x) => layerNorm(x, b, b),
      (x) => groupNorm(x, b, b, { groups: 2 }),
    ];
    const images = distinctValues([2, 1, 3, 3, 4]);
    for (const f of fused) {
      const ofBatch = launchesOf(f, reshape(images, { shape: [2, 3, 3, 4] }));
      expect(launchesOf(vmap(f), images)).toBe(ofBatch);
    }
  });
});

describe('ops with a kernel and without a formula', () => {
  test('labels of each example, and their gradients', async () => {
    const [logits, labels] = [
      distinctValues([2, 3, 4]),
      tensor(
        [
          [0, 3, 1],
          [2, 2, 0],
        ],
        { dtype: 'int32' },
      ),
    ];
    const loss = (x: Tensor, y: Tensor) =>
      losses.sparseCategoricalCrossentropy({ fromLogits: true }).call(y, x) as Tensor;
    await expectMapped(loss, [logits, labels], [0, 0]);
    const [first] = unstack(labels) as [Tensor, Tensor];
    await expectMapped(loss, [logits, first], [0, null]);
    await expectMapped((x, y) => grad((z: Tensor) => sum(loss(z, y)))(x), [logits, labels], [0, 0]);
  });

  test('the likeliest token of each row', async () => {
    const logits = distinctValues([2, 3, 5]);
    await expectMapped((x) => sampleTokens(x, null, { temperature: 0 }), [logits], [0]);
  });

  test('a cache belongs to one example', () => {
    const cache = keyValueCache({ layers: 1, batch: 1, maxLength: 4, heads: 1, size: 4 });
    const [row, rows] = [distinctValues([1, 1, 1, 4]), distinctValues([2, 1, 1, 1, 4])];
    const positions = tensor([[0]], { dtype: 'int32' });
    const [layer] = cache.layers;
    const attend = (query: Tensor) => cachedAttention(query, row, row, positions, layer as never);
    expect(() => vmap(attend)(rows)).toThrow(/batching rule[\s\S]*'cachedAttention'/);
  });
});
