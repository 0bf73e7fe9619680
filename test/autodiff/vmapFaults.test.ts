/**
 * @file Indices out of range inside vmap: the error is that of the call on one example, and says which example it was.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  embedding,
  gather,
  gatherNd,
  getDevice,
  grad,
  GradientTape,
  IndexOutOfRangeError,
  init,
  scatterAdd,
  scatterAddAlongAxis,
  scatterNd,
  segmentMax,
  segmentMean,
  segmentMin,
  segmentProd,
  segmentSum,
  sum,
  takeAlongAxis,
  type Tensor,
  tensor,
  unstack,
  vmap,
} from '../../src/index.ts';
import { insideCall } from '../../src/history/frames.ts';
import { Node } from '../../src/history/node.ts';
import type { DType } from '../../src/core/dtype.ts';

beforeAll(async () => {
  await init();
});

/** Returns the fault that `body` throws, at once or when its result is read. */
async function faultOf(body: () => Tensor): Promise<IndexOutOfRangeError> {
  const error = await (async () => body().data())().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(IndexOutOfRangeError);
  await getDevice().sync();
  return error as IndexOutOfRangeError;
}

type Call = (x: Tensor, indices: Tensor) => Tensor;

interface Case {
  call: Call;
  /** The other operand, for one example. */
  shape: readonly number[];
  /** The valid indices of each example but one. */
  valid: readonly unknown[];
  faulty: readonly unknown[];
  dtypes?: readonly DType[];
}

const signed: readonly DType[] = ['int32'];
const segmentIds = { valid: [1, -1, 0, 0], faulty: [1, -1, 0, 3] };
const cases: Record<string, Case> = {
  gather: { call: gather, shape: [4, 2], valid: [0, 3, 1], faulty: [0, 3, 4] },
  'gather of a later axis': {
    call: (x, indices) => gather(x, indices, { axis: 1 }),
    shape: [2, 3],
    valid: [[0], [2]],
    faulty: [[0], [-2]],
    dtypes: signed,
  },
  'gather with a batch': {
    call: (x, indices) => gather(x, indices, { axis: 2, batchDims: 1 }),
    shape: [2, 2, 3],
    valid: [
      [0, 1],
      [2, 1],
    ],
    faulty: [
      [0, 1],
      [5, 1],
    ],
  },
  embedding: { call: embedding, shape: [4, 2], valid: [0, 3, 1], faulty: [0, 7, 4] },
  gatherNd: {
    call: gatherNd,
    shape: [2, 3],
    valid: [
      [0, 2],
      [1, 1],
    ],
    faulty: [
      [0, 2],
      [1, 3],
    ],
  },
  takeAlongAxis: {
    call: (x, indices) => takeAlongAxis(x, indices, { axis: 0 }),
    shape: [3, 2],
    valid: [[0, 2]],
    faulty: [[0, 3]],
  },
  'takeAlongAxis with repeated indices': {
    call: (x, indices) => takeAlongAxis(x, indices, { axis: 0 }),
    shape: [3, 2],
    valid: [[0], [2]],
    faulty: [[0], [3]],
  },
  scatterAdd: {
    call: (x, indices) => scatterAdd(indices, x, { shape: [4, 2] }),
    shape: [3, 2],
    valid: [0, 3, 1],
    faulty: [0, 3, 4],
  },
  'scatterAdd of a later axis': {
    call: (x, indices) => scatterAdd(indices, x, { shape: [2, 4], axis: 1 }),
    shape: [2, 3],
    valid: [0, 3, 1],
    faulty: [0, 3, -1],
    dtypes: signed,
  },
  scatterNd: {
    call: (x, indices) => scatterNd(indices, x, { shape: [2, 3] }),
    shape: [2],
    valid: [
      [0, 2],
      [1, 1],
    ],
    faulty: [
      [0, 2],
      [2, 1],
    ],
  },
  scatterAddAlongAxis: {
    call: (x, indices) => scatterAddAlongAxis(indices, x, { shape: [4, 2], axis: 0 }),
    shape: [1, 2],
    valid: [[0, 3]],
    faulty: [[0, 4]],
  },
  segmentSum: {
    call: (x, ids) => segmentSum(x, ids, { numSegments: 3 }),
    shape: [4, 2],
    dtypes: signed,
    ...segmentIds,
  },
  'segmentSum of ids of two axes': {
    call: (x, ids) => segmentSum(x, ids, { numSegments: 2 }),
    shape: [2, 2],
    valid: [
      [0, 1],
      [1, 0],
    ],
    faulty: [
      [0, 1],
      [2, 9],
    ],
  },
  ...Object.fromEntries(
    Object.entries({ segmentMax, segmentMin, segmentMean, segmentProd }).map(([name, op]) => [
      name,
      {
        call: (x: Tensor, ids: Tensor) => op(x, ids, { numSegments: 3 }),
        shape: [4, 2],
        dtypes: signed,
        ...segmentIds,
      },
    ]),
  ),
  'segmentMax of high ids': {
    call: (x, ids) => segmentMax(x, ids, { numSegments: 3 }),
    shape: [2],
    valid: [0, 1],
    faulty: [0, 2 ** 32 - 1],
    dtypes: ['uint32'],
  },
  'segmentSum of high ids': {
    call: (x, ids) => segmentSum(x, ids, { numSegments: 3 }),
    shape: [2],
    valid: [0, 1],
    faulty: [0, 2 ** 32 - 1],
    dtypes: ['uint32'],
  },
};

const each = Object.entries(cases).flatMap(([name, { dtypes = ['int32', 'uint32'], ...sample }]) =>
  dtypes.map((dtype) => ({ name, dtype, ...sample })),
);

const examples = 3;
const faultyExample = 2;

function floats(shape: readonly number[]): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => i + 1),
    { shape },
  );
}

/** Expects `error` to be what the call on one example throws, in `example`. */
function expectSame(error: IndexOutOfRangeError, alone: IndexOutOfRangeError, example: string): void {
  const { op, position, index, limit, axis, hint } = alone;
  expect(error).toMatchObject({ op, position, index, limit, axis, hint, others: [] });
  expect(error.message).toBe(alone.message.replace(/^ {2}made by .*$/m, `$&${example}`));
}

describe.each(each)('$name of $dtype', ({ call, shape, valid, faulty, dtype }) => {
  const indices = (values: readonly unknown[]) =>
    tensor(values as number[], { dtype: dtype as 'int32' | 'uint32' }) as Tensor;
  const alone = () => faultOf(() => call(floats(shape), indices(faulty)));
  const all = () =>
    indices(Array.from({ length: examples }, (_, i) => (i === faultyExample ? faulty : valid)));

  test('with values and indices of its own in each example', async () => {
    const error = await faultOf(() => vmap(call)(floats([examples, ...shape]), all()));
    expectSame(error, await alone(), ', in example 2 of vmap');
  });

  test('with values that all examples share', async () => {
    const error = await faultOf(() => vmap(call, { inAxes: [null, 0] })(floats(shape), all()));
    expectSame(error, await alone(), ', in example 2 of vmap');
  });

  test('with indices that all examples share', async () => {
    const x = floats([examples, ...shape]);
    const error = await faultOf(() => vmap(call, { inAxes: [0, null] })(x, indices(faulty)));
    expectSame(error, await alone(), '');
  });

  test('in maps of maps', async () => {
    const rows = [indices([valid, valid]), indices([valid, faulty]), indices([valid, valid])];
    const nested = indices(await Promise.all(rows.map((row) => row.array())));
    const inBoth = vmap(vmap(call));
    const error = await faultOf(() => inBoth(floats([3, 2, ...shape]), nested));
    expectSame(error, await alone(), ', in example [1, 1] of nested vmaps');
    // The inner map shares what the outer one maps.
    const inner = vmap(call, { inAxes: [0, null] });
    const shared = await faultOf(() => vmap(inner)(floats([examples, 2, ...shape]), all()));
    expectSame(shared, await alone(), ', in example 2 of vmap');
  });

  test('in the gradient inside a map', async () => {
    const gradient = (x: Tensor, own: Tensor) => grad((values: Tensor) => sum(call(values, own)))(x);
    const error = await faultOf(() => vmap(gradient)(floats([examples, ...shape]), all()) as Tensor);
    expectSame(error, await alone(), ', in example 2 of vmap');
  });

  test('valid indices are no fault', async () => {
    const x = floats([2, ...shape]);
    const y = (await vmap(call)(x, indices([valid, valid])).array()) as unknown[];
    const [first, second] = unstack(x) as [Tensor, Tensor];
    for (const [i, values] of [first, second].entries())
      expect(y[i]).toEqual(await call(values, indices(valid)).array());
  });
});

describe('indices that the host knows', () => {
  test('are validated at the call', () => {
    const x = floats([2, 4, 3]);
    expect(() => vmap((row: Tensor) => gather(row, [1, 4]))(x)).toThrow(
      'gather: index 4 at position [1] of `indices` is outside [0, 4), the range of axis 0 of `x` float32[4, 3].',
    );
    expect(() => vmap((row: Tensor) => segmentSum(row, [0, 1, 1, 5e9], { numSegments: 2 }))(x)).toThrow(
      'segmentSum: index 5000000000 at position [3] of `segmentIds` is outside [0, 2)',
    );
  });
});

test('the error names the layer, and has the history of the call that a tape records', async () => {
  const ids = tensor([[0], [5]], { dtype: 'int32' });
  const table = floats([4, 2]);
  const layer = new Node({
    operation: { name: 'embedding_1', className: 'Embedding' },
    inputs: [],
    outputs: [],
  });
  using tape = new GradientTape();
  tape.watch(table);
  const outside = await faultOf(() =>
    insideCall(layer, () => vmap((own: Tensor) => embedding(table, own))(ids)),
  );
  expect(outside.layer).toBe('embedding_1');
  expect(outside.message).toContain("made by layer 'embedding_1' (call 1), in example 1 of vmap");
  expect(outside.history).toBeInstanceOf(Node);
});
