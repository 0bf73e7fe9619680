/// <reference types="vite/client" />
/**
 * @file Every op takes float16 operands: its results are those of the same values in float32, rounded, and so are its gradients.
 */
import { beforeAll, expect, test } from 'vitest';
import { isFloating } from '../../src/core/dtype.ts';
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
