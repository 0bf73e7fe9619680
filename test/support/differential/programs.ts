/**
 * @file Runs random programs eagerly, under a tape and compiled, and compares them with float64 on the host: values one by
 * one, gradients by differences along a random direction. A failure is reduced to a small program that fails.
 */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import type { Planned, Step } from './planning.ts';
import { makeProgram, type Plan, plan, print, type Program, valuesFor } from './program.ts';
import { reduced } from './reduction.ts';
import { randomFrom, sizeOf, type Value } from './values.ts';

const upload = ({ shape, dtype, data }: Value) =>
  rg.tensor(data, { shape: [...shape], dtype }) as unknown as Tensor;

function run(planned: readonly Planned[], inputs: readonly Tensor[]): Tensor[] {
  const values = [...inputs];
  for (const step of planned) values.push(step.run(...step.inputs.map((place) => values[place] as Tensor)));
  return values.slice(inputs.length);
}

/** Tolerance for rounding errors of a chain of ops, relative to the largest of its values. */
const tolerance = 3e-4;

function difference(got: ArrayLike<number>, { data, dtype }: Value, scale: number): string | null {
  if (got.length !== data.length) return `${got.length} elements, expected ${data.length}`;
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [got[i] as number, data[i] as number];
    const isNear = dtype === 'int32' ? x === y : Math.abs(x - y) <= tolerance * (1 + scale);
    if (!isNear) return `element ${i} is ${x}, expected ${y}`;
  }
  return null;
}

const weightsOf = (shape: readonly number[], seed: number) => {
  const random = randomFrom(seed);
  return Float64Array.from({ length: sizeOf(shape) }, () => Math.fround(random() * 2 - 1));
};

/** Returns why `program` fails, eagerly or, if `isCompiled`, compiled; null if it passes. */
async function failureOf(program: Program, isCompiled: boolean): Promise<string | null> {
  const inputs = valuesFor(program, 1);
  const { values, planned, taken } = plan(program.steps, inputs);
  const expected = values.slice(inputs.length);
  if (planned.length === 0) return null;
  const scale = Math.max(...values.flatMap(({ data }) => [...data].map(Math.abs)), 1);
  const made: Tensor[] = [];
  try {
    const tensors = inputs.map(upload);
    made.push(...tensors);
    const results = rg.tidy(() => run(planned, tensors));
    made.push(...results);
    const read = await Promise.all(results.map((result) => result.data()));
    for (const [i, result] of results.entries()) {
      const want = expected[i] as Value;
      if (result.shape.join() !== want.shape.join() || result.dtype !== want.dtype)
        return `v${inputs.length + i}: ${result.dtype}[${result.shape}], expected ${want.dtype}[${want.shape}]`;
      const found = difference(read[i] as ArrayLike<number>, want, scale);
      if (found) return `v${inputs.length + i}: ${found}`;
    }
    const ways = { planned, taken, isCompiled };
    return await gradientFailure(program.seed, ways, inputs, expected, tensors, made);
  } catch (error) {
    return `throws ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    for (const tensor of made) tensor.dispose();
  }
}

/** Compares gradients with differences. */
async function gradientFailure(
  seed: number,
  { planned, taken, isCompiled }: Pick<Plan, 'planned' | 'taken'> & { readonly isCompiled: boolean },
  inputs: Value[],
  expected: readonly Value[],
  tensors: readonly Tensor[],
  made: Tensor[],
): Promise<string | null> {
  const floats = tensors.filter(({ dtype }) => dtype === 'float32');
  const outputs = expected.flatMap(({ dtype, shape }, i) =>
    dtype === 'float32' ? [{ place: i, weights: weightsOf(shape, i + 1), shape }] : [],
  );
  if (outputs.length === 0) return null;
  const weights = outputs.map(({ weights: data, shape }) => upload({ shape, dtype: 'float32', data }));
  made.push(...weights);
  const step = (...given: Tensor[]) =>
    rg.GradientTape.run((tape) => {
      const sources = given.filter(({ dtype }) => dtype === 'float32');
      tape.watch(sources);
      const results = run(planned, given);
      const targets = outputs.map(({ place }) => results[place] as Tensor);
      const gradients = tape.gradient(targets as never, sources, {
        outputGradients: weights,
        unconnectedGradients: 'zero',
      });
      return [...(gradients as Tensor[]), results.at(-1) as Tensor];
    });
  const eager = rg.tidy(() => step(...tensors));
  made.push(...eager);
  const gradients = await Promise.all(eager.slice(0, floats.length).map((gradient) => gradient.data()));
  const byDifferences = differences(seed, taken, inputs, outputs);
  let sum = 0;
  let magnitude = 1e-3;
  for (const [i, direction] of byDifferences.directions.entries())
    for (const [j, d] of direction.entries()) {
      sum += d * ((gradients[i] as Float32Array)[j] as number);
      magnitude += Math.abs(d * ((gradients[i] as Float32Array)[j] as number));
    }
  const allowed = 2e-3 * magnitude;
  // If both sides differ, there is a kink in between, at which any value in between is correct.
  const isSmooth = Math.abs(byDifferences.above - byDifferences.below) <= allowed;
  if (isSmooth && !(Math.abs(sum - byDifferences.above) <= allowed))
    return `the gradient along a direction is ${sum}, by differences ${byDifferences.above}`;
  return isCompiled ? compiledFailure(step, tensors, eager, made) : null;
}

/** Compares the compiled function with its eager results, bit by bit. */
async function compiledFailure(
  step: (...given: Tensor[]) => Tensor[],
  tensors: readonly Tensor[],
  eager: readonly Tensor[],
  made: Tensor[],
): Promise<string | null> {
  const compiled = rg.compile(step);
  const expected = await Promise.all(eager.map((result) => result.data()));
  try {
    for (const call of ['captured', 'replayed']) {
      const results = compiled(...tensors);
      made.push(...results);
      const read = await Promise.all(results.map((result) => result.data()));
      const differs = read.findIndex((values, i) => {
        const others = expected[i] as ArrayLike<number>;
        // 0 and -0 count as the same value.
        return values.some((value, j) => !Object.is(value + 0, (others[j] as number) + 0));
      });
      if (differs >= 0) return `compiled, ${call}: result ${differs} differs from that of the eager call`;
    }
  } finally {
    compiled.dispose();
  }
  return null;
}

/** Returns the derivative of the weighted sum of the outputs along a random direction of the inputs, from both sides. */
function differences(
  seed: number,
  steps: readonly Step[],
  inputs: readonly Value[],
  outputs: readonly { place: number; weights: Float64Array }[],
) {
  const random = randomFrom(seed + 99);
  const moves = inputs.map(({ data, dtype }) => data.map(() => (dtype === 'float32' ? random() * 2 - 1 : 0)));
  const lossAt = (by: number) => {
    const moved = inputs.map((value, i) => ({
      ...value,
      data: value.data.map((x, j) => x + by * ((moves[i] as Float64Array)[j] as number)),
    }));
    const values = plan(steps, moved, false).values.slice(inputs.length);
    return outputs.reduce(
      (sum, { place, weights }) =>
        sum + weights.reduce((part, w, j) => part + w * ((values[place] as Value).data[j] as number), 0),
      0,
    );
  };
  const step = 1e-5;
  const here = lossAt(0);
  return {
    above: (lossAt(step) - here) / step,
    below: (here - lossAt(-step)) / step,
    directions: moves.filter((_, i) => inputs[i]?.dtype === 'float32'),
  };
}

/** Programs that run concurrently: the host computes one while others wait for the GPU. */
const together = 16;

/**
 * Runs programs of seeds `from` to `to`. One of `compiledEvery` is compiled, too: the compilation of its
 * fused kernels takes longer than everything else. Returns the failure of the smallest seed, reduced; null if all pass.
 */
export async function checkPrograms(from: number, to: number, compiledEvery = 4): Promise<string | null> {
  await rg.init();
  for (let first = from; first < to; first += together) {
    const seeds = Array.from({ length: Math.min(together, to - first) }, (_, i) => first + i);
    const failures = await Promise.all(
      seeds.map((seed) => failureOf(makeProgram(seed), seed % compiledEvery === 0)),
    );
    for (const [i, failure] of failures.entries()) {
      if (failure === null) continue;
      const seed = seeds[i] as number;
      const min = await reduced(makeProgram(seed), failure, (program) =>
        failureOf(program, seed % compiledEvery === 0),
      );
      return `program ${seed}: ${min.failure}\n${print(min.program)}`;
    }
  }
  return null;
}
