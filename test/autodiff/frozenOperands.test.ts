/** @file A tape doesn't keep an operand that only the gradient of an unwatched one would read. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  batchNorm,
  conv1d,
  conv2d,
  conv2dTranspose,
  defineOp,
  depthwiseConv2d,
  div,
  einsum,
  fusedConv2d,
  fusedMatMul,
  GradientTape,
  init,
  matMul,
  memory,
  mod,
  mul,
  neg,
  type Op,
  pow,
  solve,
  solveTriangular,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';

beforeAll(() => init());

/** Values without zeros or ties. */
function values(shape: readonly number[]): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => 0.5 + ((i * 0.37) % 1)),
    { shape },
  );
}

/** The bytes of its buffer. */
const heldBy = (x: Tensor) => x.storage.buffer.size;

interface Case {
  name: string;
  shapes: readonly [a: readonly number[], b: readonly number[]];
  call(a: Tensor, b: Tensor): Tensor;
  /** Which operands the gradient of `a` alone reads, and that of `b` alone. Default: each reads the other. */
  reads?: readonly [ofA: string, ofB: string];
}

const image = [2, 6, 6, 3];
const cases: readonly Case[] = [
  {
    name: 'matMul',
    shapes: [
      [8, 16],
      [16, 4],
    ],
    call: (a, b) => matMul(a, b),
  },
  {
    name: 'matMul of batches',
    shapes: [
      [3, 8, 16],
      [16, 4],
    ],
    call: (a, b) => matMul(a, b),
  },
  {
    name: 'matMul, transposed',
    shapes: [
      [16, 8],
      [4, 16],
    ],
    call: (a, b) => matMul(a, b, { transposeA: true, transposeB: true }),
  },
  { name: 'matMul of a vector', shapes: [[16], [16, 4]], call: (a, b) => matMul(a, b) },
  {
    name: 'fusedMatMul',
    shapes: [
      [8, 16],
      [16, 4],
    ],
    call: (a, b) => fusedMatMul(a, b, null),
  },
  {
    name: 'einsum',
    shapes: [
      [8, 16],
      [16, 4],
    ],
    call: (a, b) => einsum('ij,jk->ik', a, b),
  },
  {
    name: 'mul',
    shapes: [
      [8, 16],
      [8, 16],
    ],
    call: (a, b) => mul(a, b),
  },
  { name: 'mul with broadcasting', shapes: [[8, 16], [16]], call: (a, b) => mul(a, b) },
  {
    name: 'div',
    shapes: [
      [8, 16],
      [8, 16],
    ],
    call: (a, b) => div(a, b),
    reads: ['b', 'by'],
  },
  {
    name: 'mod',
    shapes: [
      [8, 16],
      [8, 16],
    ],
    call: (a, b) => mod(a, b),
    reads: ['', 'ab'],
  },
  {
    name: 'pow',
    shapes: [
      [8, 16],
      [8, 16],
    ],
    call: (a, b) => pow(a, b),
    reads: ['ab', 'ay'],
  },
  { name: 'conv2d', shapes: [image, [3, 3, 3, 4]], call: (a, b) => conv2d(a, b) },
  { name: 'fusedConv2d', shapes: [image, [3, 3, 3, 4]], call: (a, b) => fusedConv2d(a, b, null) },
  {
    name: 'conv1d',
    shapes: [
      [2, 6, 3],
      [3, 3, 4],
    ],
    call: (a, b) => conv1d(a, b),
  },
  { name: 'depthwiseConv2d', shapes: [image, [3, 3, 3, 1]], call: (a, b) => depthwiseConv2d(a, b) },
  { name: 'conv2dTranspose', shapes: [image, [3, 3, 4, 3]], call: (a, b) => conv2dTranspose(a, b) },
  {
    name: 'solve',
    shapes: [
      [2, 2],
      [2, 3],
    ],
    call: (a, b) => solve(a, b),
    reads: ['ay', 'a'],
  },
  {
    name: 'solveTriangular',
    shapes: [
      [2, 2],
      [2, 3],
    ],
    call: (a, b) => solveTriangular(a, b),
    reads: ['ay', 'a'],
  },
];

describe.each(cases)('$name', ({ shapes, call, reads = ['b', 'a'] }) => {
  const sources = () => [values(shapes[0]), values(shapes[1])] as const;

  test.each([
    ['a', 0],
    ['b', 1],
  ] as const)('if only %s is watched, what its gradient reads is kept', async (_, watched) => {
    const given = sources();
    using tape = new GradientTape();
    tape.watch(given[watched]);
    const sizes: Record<string, number> = {};
    const before = memory().bytes;
    // Operands made by ops that keep nothing: their memory is freed unless the call keeps it.
    const total = tidy(() => {
      const [a, b] = [neg(given[0]), neg(given[1])];
      const y = call(a, b);
      Object.assign(sizes, { a: heldBy(a), b: heldBy(b), y: heldBy(y) });
      return sum(y);
    });
    const kept = [...reads[watched]].reduce((bytes, part) => bytes + (sizes[part] as number), 0);
    expect(memory().bytes - before).toBe(kept + heldBy(total));
    const gradient = tape.gradient(total, given[watched]) as Tensor;

    using both = new GradientTape();
    both.watch(given);
    const gradients = both.gradient(sum(call(neg(given[0]), neg(given[1]))), given);
    expect(await gradient.data()).toEqual(await gradients[watched]?.data());
  });
});

test.each([
  [null, false],
  ['linear', false],
  ['relu', true],
] as const)('with the activation %s, the result is kept: %s', (activation, isKept) => {
  const x = values([8, 16]);
  const kernel = variable(values([16, 4]), { trainable: false });
  const bias = variable(values([4]));
  using tape = new GradientTape();
  tape.watch(x);
  const before = memory().bytes;
  const bytes = tidy(() => {
    const y = fusedMatMul(x, kernel, bias, activation ? { activation } : {});
    return heldBy(y);
  });
  expect(memory().bytes - before).toBe(isKept ? bytes : 0);
});

test('a frozen batch normalization passes its gradient on without its input', () => {
  const [x, ...moments] = [values([4, 8, 8, 3]), values([3]), values([3])] as const;
  const gamma = variable(values([3]));
  for (const trainable of [false, true]) {
    gamma.trainable = trainable;
    using tape = new GradientTape();
    tape.watch(x);
    const before = memory().bytes;
    tidy(() => void batchNorm(neg(x), ...moments, gamma, null));
    expect(memory().bytes - before).toBe(trainable ? heldBy(x) : 0);
  }
});

test('a tensor that is watched only after a call gets no gradient from it, and the tape says so', () => {
  const [x, w] = [values([2, 3]), variable(values([3, 2]))];
  using tape = new GradientTape({ persistent: true });
  const y = sum(matMul(x, w));
  tape.watch(x);
  expect(tape.gradient(y, x)).toBeNull();
  expect(tape.gradient(y, w)).not.toBeNull();
  const { connected, disconnectedAt } = tape.explain(y, x);
  expect(connected).toBe(false);
  expect(disconnectedAt).toMatchObject({
    cause: 'unwatched',
    first: "'matMul'",
    why: expect.stringMatching(/before the tape watched/),
    hint: expect.stringMatching(/call tape.watch\(x\) before/),
  });
});

test('an app declares it for its own op', () => {
  const seen: (Tensor | undefined)[][] = [];
  const scaled: Op<[x: Tensor, by: Tensor]> = defineOp({
    name: 'scaled',
    inputs: ['x', 'by'],
    infer: ([x]) => ({ shape: x.shape, dtype: x.dtype }),
    forward: ([x, by]) => mul(x, by),
    readsInputs: ([x, by]) => [by, x],
    backward: ([dy], { inputs: [x, by], needs }) => {
      seen.push([x, by]);
      return [needs[0] ? mul(dy, by) : null, needs[1] ? mul(dy, x) : null];
    },
  });
  const [x, by] = [values([3]), values([3])];
  using tape = new GradientTape();
  tape.watch(x);
  tape.gradient(scaled(x, by), x);
  expect(seen.map((inputs) => inputs.map((input) => input !== undefined))).toEqual([[false, true]]);
});
