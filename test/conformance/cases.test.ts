/** @file Faults that the runner of golden cases must detect. The cases are small enough to know the results. */
import { beforeAll, expect, test } from 'vitest';
import { type Case, openDevice, runFamily } from './cases.ts';

let uncaptured: string[];
beforeAll(async () => {
  uncaptured = await openDevice();
});

/** Returns a safetensors file of float vectors. */
function safetensors(tensors: Record<string, number[]>): ArrayBuffer {
  let end = 0;
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, values]) => {
      const start = end;
      end += 4 * values.length;
      return [name, { dtype: 'F32', shape: [values.length], data_offsets: [start, end] }];
    }),
  );
  const text = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + text.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  file.set(new Uint8Array(Float32Array.from(Object.values(tensors).flat()).buffer), 8 + text.length);
  return file.buffer;
}

const tensors = {
  x: [1, 2],
  y: [3, 5],
  product: [3, 10],
  cotangent: [1, 10],
  gradientOfX: [3, 50],
  gradientOfY: [1, 20],
  zeros: [0, 0],
  wrong: [3, 51],
  missingOne: [3],
};

const product: Case = {
  id: 'product',
  op: 'mul',
  attrs: {},
  inputs: ['x', 'y'],
  outputs: ['product'],
  cotangents: ['cotangent'],
  gradients: { 0: 'gradientOfX', 1: 'gradientOfY' },
  tolerance: { rtol: 1e-6, atol: 1e-6 },
};

async function faultsOf(test: Case): Promise<string[]> {
  const family = { name: 'family', cases: [test], tensors: safetensors(tensors) };
  return (await runFamily(family, uncaptured))[0]?.faults ?? ['not run'];
}

test('a right case passes', async () => {
  expect(await faultsOf(product)).toEqual([]);
  expect(await faultsOf({ ...product, gradients: {} })).toEqual([]);
});

test('a wrong output, gradient, shape or count of outputs fails', async () => {
  expect(await faultsOf({ ...product, outputs: ['wrong'] })).toEqual([
    expect.stringMatching(/^output 0 at \[1\]/),
  ]);
  expect(await faultsOf({ ...product, gradients: { 0: 'wrong', 1: 'gradientOfY' } })).toEqual([
    expect.stringMatching(/^gradient 0 at \[1\]: expected 51, got 50/),
  ]);
  expect(await faultsOf({ ...product, outputs: ['missingOne'] })).toEqual([expect.stringMatching('shape')]);
  expect(await faultsOf({ ...product, outputs: ['product', 'x'] })).toEqual(['1 outputs, expected 2']);
});

test('an alternative gradient passes as well', async () => {
  const gradients = { 0: 'wrong', 1: 'gradientOfY' };
  expect(await faultsOf({ ...product, gradients, alternativeGradients: { 0: 'gradientOfX' } })).toEqual([]);
  expect(await faultsOf({ ...product, gradients, alternativeGradients: { 0: 'x' } })).toHaveLength(1);
});

test('a dtype that the case does not state fails', async () => {
  expect(await faultsOf({ ...product, gradients: {}, dtypes: { product: 'int32' } })).toEqual([
    'output 0 dtype float32, expected int32',
  ]);
});

test("a gradient isn't taken for zero everywhere", async () => {
  const constant: Case = { ...product, op: 'stopGradient', inputs: ['x'], outputs: ['x'] };
  expect(await faultsOf({ ...constant, gradients: { 0: 'zeros' } })).toEqual([]);
  expect(await faultsOf({ ...constant, gradients: { 0: 'x' } })).toEqual([
    expect.stringMatching('^gradient 0: null'),
  ]);
});

test('an op, a tensor or a loss that is missing fails', async () => {
  expect(await faultsOf({ ...product, op: 'noSuchOp' })).toEqual(["the library has no op 'noSuchOp'"]);
  expect(await faultsOf({ ...product, inputs: ['x', 'nowhere'] })).toEqual([
    expect.stringMatching("no tensor 'nowhere'"),
  ]);
  const loss = { loss: 'sum(y)', vectors: { 0: 'x' }, hvp: { 0: 'x' } };
  expect(await faultsOf({ ...product, ...loss })).toEqual([expect.stringMatching('loss')]);
});

test('Hessian-vector products move all inputs together', async () => {
  // L = ½ Σ c (x y)²: ∇x = c x y², ∇y = c x² y; along (u, v): c (y² u + 2 x y v), c (2 x y u + x² v).
  const along = { x: [1, 2], y: [3, 5], c: [1, 10], p: [3, 10], u: [1, -1], v: [2, 0.5] };
  const cases: Case = {
    ...product,
    cotangents: ['c'],
    outputs: ['p'],
    gradients: { 0: 'gx', 1: 'gy' },
    vectors: { 0: 'u', 1: 'v' },
    hvp: { 0: 'hx', 1: 'hy' },
  };
  const expected = { gx: [9, 500], gy: [3, 200], hx: [9 + 12, -250 + 100], hy: [6 + 2, -200 + 20] };
  const run = async (file: Record<string, number[]>) =>
    (await runFamily({ name: 'second', cases: [cases], tensors: safetensors(file) }, uncaptured))[0]?.faults;
  expect(await run({ ...along, ...expected })).toEqual([]);
  expect(await run({ ...along, ...expected, hy: [8, -181] })).toEqual([
    expect.stringMatching(/^hvp 1 at \[1\]/),
  ]);
});
