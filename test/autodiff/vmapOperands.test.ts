/** @file Batching rules by which operands are mapped, against one example at a time, and that nothing shared is repeated. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  compile,
  fusedConv2d,
  fusedMatMul,
  gather,
  grad,
  groupNorm,
  init,
  layerNorm,
  matMul,
  memory,
  resetPeakMemory,
  sin,
  square,
  stack,
  sum,
  type Tensor,
  tensor,
  tidy,
  vmap,
} from '../../src/index.ts';
import * as ops from '../../src/ops/index.ts';
import { distinctValues, expectMapped } from './mapped.ts';

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
  const given = (axis: 0 | null, shape: number[]) => distinctValues(axis === 0 ? [2, ...shape] : shape);

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

  test.each<0 | null>([0, null])(
    'the gradient of layerNorm by its input alone, with gamma mapped over %s',
    async (axis) => {
      const derivative = (x: Tensor, gamma: Tensor) => grad((t) => sum(square(layerNorm(t, gamma, null))))(x);
      await expectMapped(derivative, [given(0, [3, 4]), given(axis, [4])], [0, axis]);
      await expectMapped((x) => grad((t) => sum(sin(layerNorm(t, null, null))))(x), [given(0, [3, 4])], [0]);
    },
  );

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
});

test('what examples share is not repeated: tables, and weights of recurrent steps', () => {
  const [table, ids] = [distinctValues([64, 256]), tensor([[1], [2]], { dtype: 'int32' })];
  const { bytes } = memory();
  resetPeakMemory();
  tidy(() => void vmap((i: Tensor) => gather(table, i))(ids));
  expect(memory().peakBytes - bytes).toBeLessThan(table.bytes);
  // Launches for the steps of all examples, or many at each step.
  const launchesOf = (isShared: boolean) => {
    const kernel = distinctValues(isShared ? [3, 12] : [2, 3, 12]);
    const run = (gates: Tensor, k: Tensor) => ops.lstmSteps(gates, k, null, null, null)[0] as Tensor;
    using f = compile((gates: Tensor) => vmap(run, { inAxes: [0, isShared ? null : 0] })(gates, kernel));
    f(distinctValues([2, 1, 16, 12]));
    return f.explain()[0]?.launches as number;
  };
  expect(2 * launchesOf(true)).toBeLessThan(launchesOf(false));
});
