/// <reference types="vite/client" />
/**
 * @file Every op takes float16 operands: its results are those of the same values in float32, rounded, and so are its gradients.
 */
import { beforeAll, expect, test } from 'vitest';
import { isFloating } from '../../src/core/dtype.ts';
import { toIndices, toLabels } from '../../src/ops/indexing/toIndices.ts';
import {
  add,
  cast,
  concat,
  enableFloat16,
  GradientTape,
  grad,
  init,
  mul,
  slice,
  split,
  square,
  sum,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import * as ops from '../../src/ops/index.ts';
import { drawValues, generator, upload } from './samples/draw.ts';
import type { OpCase, OpSamples } from './samples/types.ts';

const modules = import.meta.glob<{ samples?: OpSamples[] }>('./samples/*.ts', { eager: true });
const samples = Object.values(modules).flatMap((module) => module.samples ?? []);

type Inputs = readonly (Tensor | null)[];
type AnyOp = ((...args: unknown[]) => Tensor | Tensor[]) & {
  definition: { inputs: readonly string[]; backward?: unknown };
};

beforeAll(async () => {
  await init();
  enableFloat16();
});

const isFloat = ({ inputs }: OpCase) => inputs.some((input) => input && isFloating(input.dtype ?? 'float32'));

function dtypesOf(name: string, { options = {} }: OpCase, inputs: Inputs) {
  const op = (ops as unknown as Record<string, AnyOp>)[name] as AnyOp;
  const made = op.definition.inputs[0]?.startsWith('...') ? op(inputs, options) : op(...inputs, options);
  return [made].flat().map(({ dtype }) => dtype);
}

type Values = readonly number[];

const read = async (tensors: readonly (Tensor | null)[]): Promise<Values[]> =>
  Promise.all(tensors.map(async (x) => (x ? Array.from(await x.data(), Number) : [])));

/** The results of a case, and the gradients of its first float result for all floats among its inputs. */
async function computed(name: string, { options = {} }: OpCase, inputs: Inputs) {
  const op = (ops as unknown as Record<string, AnyOp>)[name] as AnyOp;
  const floats = inputs.filter((input): input is Tensor => input !== null && isFloating(input.dtype));
  using tape = new GradientTape();
  tape.watch(floats);
  const made = op.definition.inputs[0]?.startsWith('...') ? op(inputs, options) : op(...inputs, options);
  const results = Array.isArray(made) ? made : [made];
  const first = results.find(({ dtype }) => isFloating(dtype));
  const gradients = first && op.definition.backward !== null ? tape.gradient(first, floats) : [];
  return {
    dtypes: results.map(({ dtype }) => dtype),
    results: await read(results),
    gradients: await read(gradients),
  };
}

/** `tolerance` is relative to the largest value. */
function expectClose(found: readonly Values[], expected: readonly Values[], tolerance: number): void {
  expect(found.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
  found.forEach((values, i) => {
    const wanted = expected[i] as Values;
    const scale = Math.max(1e-2, ...wanted.filter(Number.isFinite).map(Math.abs));
    const wrong = values.findIndex((value, k) => {
      const right = wanted[k] as number;
      return !Object.is(value, right) && !(Math.abs(value - right) <= tolerance * scale);
    });
    expect(wrong < 0 ? null : { wrong, found: values[wrong], wanted: wanted[wrong] }).toBeNull();
  });
}

const withFloats = samples.flatMap(({ op, cases }) =>
  cases
    .filter(isFloat)
    .slice(0, 1)
    .map((sample) => ({ op, sample })),
);

test.each(withFloats)('$op', async ({ op, sample }) => {
  const random = generator(1);
  const made = sample.inputs.map((input) => input && upload(input, drawValues(input, random)));
  const narrow = made.map((x) => (x?.dtype === 'float32' ? cast(x, 'float16') : x));
  const wide = narrow.map((x) => (x?.dtype === 'float16' ? cast(x, 'float32') : x));
  const [expected, found] = [await computed(op, sample, wide), await computed(op, sample, narrow)];
  // An error of half a unit in the last of 11 bits, also of values that gradients read.
  expectClose(found.results, expected.results, 2 ** -10);
  expectClose(found.gradients, expected.gradients, 2 ** -8);
});

/** Products give their sums as they are; statistics keep float32. */
const inFloat32 =
  /^(matMul|fusedMatMul|einsum|tensordot|conv2d|fusedConv2d|conv2dInputGrad|conv2dFilterGrad|conv3d|cast)$/;

test.each(withFloats)('$op gives float16 of float16', ({ op, sample }) => {
  const specs = (narrow: boolean) => {
    const made = sample.inputs.map((input) => input && upload(input, drawValues(input, generator(1))));
    const inputs = made.map((x) => (narrow && x?.dtype === 'float32' ? cast(x, 'float16') : x));
    return dtypesOf(op, sample, inputs);
  };
  const kept = inFloat32.test(op) ? 3 : op === 'batchNormTrain' ? [1, 2] : [];
  const narrowed = specs(false).map((dtype, i) =>
    dtype === 'float32' && kept !== 3 && !(kept as number[]).includes(i) ? 'float16' : dtype,
  );
  expect(specs(true)).toEqual(narrowed);
});

test('what is computed of large and small values in between isn’t rounded', async () => {
  const x = cast(tensor([[600, -800, 300]]), 'float16');
  const relative = async (y: Tensor, wanted: number) =>
    expect(Math.abs(Number(await y.data().then(([first]) => first)) / wanted - 1)).toBeLessThan(2 ** -10);
  await relative(ops.norm(x, { ord: 3, axis: 1 }), Math.cbrt(600 ** 3 + 800 ** 3 + 300 ** 3));
  const image = cast(tensor([600, 800], { shape: [1, 1, 1, 2] }), 'float16');
  const normal = ops.localResponseNormalization(image, { bias: 0, beta: 0.5, depthRadius: 1 });
  await relative(normal, 0.6);
});

test('indices and labels in float16 that are NaN or fractions are invalid, as in float32', async () => {
  const given = cast(tensor([Number.NaN, 1.5, 2]), 'float16');
  expect([...(await toIndices(given).data())]).toEqual([-(2 ** 31), 1, 2]);
  expect([...(await toLabels(given).data())]).toEqual([-(2 ** 31), -(2 ** 31), 2]);
});

test('a query that sees no key attends to all, also with a bias in float16', async () => {
  const x = (values: number[]) => cast(tensor(values, { shape: [1, 2, 1, 1] }), 'float16');
  const bias = cast(tensor([0, 0], { shape: [1, 1, 1, 2] }), 'float16');
  const mask = tensor([false, false], { shape: [1, 1, 1, 2] });
  const made = ops.dotProductAttention(x([1, 2]), x([3, 4]), x([2, 4]), bias, mask);
  expect([...(await made.data())]).toEqual([3, 3]);
});

test('gradients of several parts of one tensor', async () => {
  const x = cast(tensor([1, 2, 3, 4, 5, 6]), 'float16');
  const squares = (y: Tensor) =>
    sum(concat((split(y, 3) as Tensor[]).map((part, i) => mul(square(part), i + 1))));
  expect(await grad(squares)(x).array()).toEqual([2, 4, 12, 16, 30, 36]);
});

test('gradients of several calls that cut one tensor are joined', async () => {
  const x = cast(tensor([1, 2, 3, 4, 5, 6]), 'float16');
  const overlapping = (y: Tensor) => add(sum(square(slice(y, [0], [4]))), sum(square(slice(y, [2], [4]))));
  expect(await grad(overlapping)(x).array()).toEqual([2, 4, 12, 16, 10, 12]);
});
