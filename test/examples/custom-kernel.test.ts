/** @file The features that a custom op gets without further code: examples/custom-kernel. */
import { beforeAll, expect, test } from 'vitest';
import { run } from '../../examples/custom-kernel/run.ts';
import { softplusBeta } from '../../examples/custom-kernel/softplus.ts';
import {
  DTypeError,
  defineKernel,
  GradientTape,
  getDevice,
  init,
  lineage,
  mul,
  ones,
  RetrogradError,
  runKernel,
  sum,
  type Tensor,
  tensor,
  ValueError,
} from '../../src/index.ts';
import { input, model } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const xs = [-30, -2, -0.5, 0, 0.5, 2, 30];
const beta = 2;
const sigmoid = (x: number) => 1 / (1 + Math.exp(-beta * x));

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((e, i) => {
    expect(Math.abs((actual[i] as number) - e)).toBeLessThanOrEqual(1e-6 + 1e-5 * Math.abs(e));
  });
}

test('values', async () => {
  const y = softplusBeta(xs, { beta });
  expectClose(
    await y.data(),
    xs.map((x) => Math.log1p(Math.exp(beta * x)) / beta),
  );
});

test('a gradient, and a gradient of the gradient', async () => {
  const x = tensor(xs);
  using outer = new GradientTape();
  outer.watch(x);
  using inner = new GradientTape();
  inner.watch(x);
  const first = inner.gradient(softplusBeta(x, { beta }), x) as Tensor;
  const second = outer.gradient(first, x) as Tensor;
  expectClose(await first.data(), xs.map(sigmoid));
  expectClose(
    await second.data(),
    xs.map((t) => beta * sigmoid(t) * (1 - sigmoid(t))),
  );
});

test('a history', () => {
  const x = tensor(xs, { name: 'x' });
  using tape = new GradientTape();
  tape.watch(x);
  const y = softplusBeta(mul(x, 2), { beta });
  expect(y.kerasHistory).toMatchObject({ operation: { name: 'softplusBeta' }, tensorIndex: 0 });
  expect(y.kerasHistory?.node.inputs[0]?.history?.operation.name).toBe('mul');
  expect(y.kerasHistory?.node.options).toEqual({ beta });
  expect(lineage(y).toMermaid()).toContain('softplusBeta');
  expect(tape.explain(sum(y), x).connected).toBe(true);
});

test('a place in a model', async () => {
  const x = input({ shape: [3] });
  const y = softplusBeta(x, { beta });
  expect([y.shape, y.dtype]).toEqual([[null, 3], 'float32']);
  expect((y as unknown as Tensor).kerasHistory?.operation.name).toContain('softplus');
  const net = model({ inputs: x, outputs: y as typeof x });
  const out = net.apply(tensor([[0, 1, -1]])) as Tensor;
  expectClose(
    await out.data(),
    [0, 1, -1].map((t) => Math.log1p(Math.exp(beta * t)) / beta),
  );
});

test('faults that its kernel finds on the device', async () => {
  const y = softplusBeta(tensor([1, Number.NaN, 3, Number.NaN]));
  const later = softplusBeta(tensor([0]));
  const error = await y.data().then(
    () => null,
    (thrown: unknown) => thrown as ValueError,
  );
  expect(error).toBeInstanceOf(ValueError);
  expect([error?.op, error?.received]).toEqual(['softplusBeta', 'NaN at flat position 1']);
  // The device lives on, and later work was not touched.
  expectClose(await later.data(), [Math.log(2)]);
});

test('npm run example custom-kernel shows them', async () => {
  const lines: string[] = [];
  await run((line) => lines.push(line));
  const text = lines.join('\n');
  expect(Number(/against mathematics: (\S+)/.exec(text)?.[1])).toBeLessThan(1e-6);
  expect(text).toMatch(/history: made by 'softplusBeta', with {"beta":2}/);
  expect(text).toMatch(/NaN at flat position 1/);
});

test('more than 65,535 workgroups', async () => {
  const count = 65_535 * 64 + 1;
  const x = ones([count]);
  const total = sum(softplusBeta(x));
  const expected = count * Math.log1p(Math.E);
  expect(Math.abs((await total.item()) / expected - 1)).toBeLessThan(1e-5);
  x.dispose();
});

test('WGSL that does not compile is reported at the next readback, with its place', async () => {
  const broken = defineKernel({
    name: 'broken',
    bindings: { y: 'write f32' },
    params: {},
    source: () => '@compute @workgroup_size(1) fn main() { y[0] = no_such_name; }',
  });
  const run = () =>
    runKernel(broken, {
      inputs: {},
      outputs: { y: { shape: [], dtype: 'float32' } },
      params: {},
      workgroups: 1,
    });
  const error = await run()
    .y.data()
    .then(
      () => null,
      (thrown: unknown) => thrown as RetrogradError,
    );
  expect(error).toBeInstanceOf(RetrogradError);
  expect(error?.op).toBe('broken');
  expect(error?.received).toMatch(/no_such_name/);
  expect(await softplusBeta(0).data()).toHaveLength(1);
});

test('a kernel may have the name of a library kernel', async () => {
  const own = defineKernel({
    name: 'fill',
    bindings: { y: 'write f32' },
    params: { value: 'f32' },
    source: () => '@compute @workgroup_size(1) fn main() { y[0] = params.value; }',
  });
  const { y } = runKernel(own, {
    inputs: {},
    outputs: { y: { shape: [1], dtype: 'float32' } },
    params: { value: 7 },
    workgroups: 1,
  });
  expect([...(await y.data()), ...(await ones([1]).data())]).toEqual([7, 1]);
});

const copy = defineKernel({
  name: 'copy',
  bindings: { x: 'read f32', y: 'write f32' },
  params: { count: 'u32', strides: 'u32x8' },
  source: () => '@compute @workgroup_size(1) fn main() { y[0] = x[0]; }',
});

test.each([
  ['a binding too few', () => ({ inputs: {} }), ValueError, /`x`, `y`/],
  ['a binding too many', () => ({ inputs: { x: ones([1]), z: ones([1]) } }), ValueError, /`z`/],
  [
    'an input that the kernel writes',
    () => ({ inputs: { y: ones([1]) }, outputs: { x: ones([1]) } }),
    ValueError,
    /new tensors/,
  ],
  ['an input that is no tensor', () => ({ inputs: { x: [1] } }), ValueError, /must be a tensor/],
  ['another element type', () => ({ inputs: { x: tensor([1], { dtype: 'int32' }) } }), DTypeError, /i32/],
  ['a parameter too few', () => ({ params: { count: 1 } }), ValueError, /strides: undefined/],
  ['an unknown parameter', () => ({ params: { count: 1, strides: [], size: 2 } }), ValueError, /size: 2/],
  [
    'a parameter that is no number',
    () => ({ params: { count: '1', strides: [] } }),
    ValueError,
    /count: '1'/,
  ],
  [
    'nine strides',
    () => ({ params: { count: 1, strides: [1, 2, 3, 4, 5, 6, 7, 8, 9] } }),
    ValueError,
    /at most eight/,
  ],
  ['half a workgroup', () => ({ workgroups: 0.5 }), ValueError, /workgroups: 0.5/],
  ['a grid of two', () => ({ workgroups: [1, 1] }), ValueError, /three/],
  [
    'a fault of a kernel without',
    () => ({ fault: { count: 1, raise: () => new ValueError({ rule: '' }) } }),
    ValueError,
    /and only then/,
  ],
])('runKernel rejects %s', (_, wrong, type, message) => {
  const right = {
    inputs: { x: ones([1]) },
    outputs: { y: ones([1]) },
    params: { count: 1, strides: [] },
    workgroups: 1,
  };
  const call = () => runKernel(copy, { ...right, ...wrong() } as unknown as typeof right);
  expect(call).toThrow(type);
  expect(call).toThrow(message);
  expect(() => runKernel(copy, right)).not.toThrow();
  getDevice().flush();
});
