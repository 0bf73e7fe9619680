/**
 * @file Random programs of 1 to 30 ops on float32 and int32 values of random shapes (0, 1 and primes among their sizes), with
 * shared subexpressions. Each is run eagerly, under a tape and compiled, and compared with float64 on the host: values one by
 * one, gradients by differences along a random direction. A failure is reduced to the smallest program that fails.
 */
import * as rg from '../../../src/index.ts';
import type { Tensor } from '../../../src/index.ts';
import type { Planned, Step } from './planning.ts';
import { planners } from './steps.ts';
import { randomFrom, sizeOf, type Value } from './values.ts';

interface Input {
  readonly shape: readonly number[];
  readonly dtype: Value['dtype'];
}

export interface Program {
  readonly seed: number;
  readonly inputs: readonly Input[];
  readonly steps: readonly Step[];
}

const kinds = Object.keys(planners);
const sizes = [0, 1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17];

export function makeProgram(seed: number): Program {
  const random = randomFrom(Math.imul(seed, 2654435761) + 7);
  const whole = (n: number) => Math.floor(random() * n);
  // Few different sizes, so that shapes fit each other; zero is rare, since everything after it is empty.
  const pool = Array.from({ length: 2 }, () => sizes[whole(random() < 0.1 ? 2 : sizes.length)] as number);
  const shape = () =>
    Array.from({ length: whole(4) }, () => (random() < 0.2 ? 1 : (pool[whole(2)] as number)));
  const inputs = Array.from({ length: 1 + whole(3) }, (): Input => ({ shape: shape(), dtype: 'float32' }));
  if (random() < 0.3) inputs.push({ shape: shape(), dtype: 'int32' });
  const steps = Array.from({ length: 1 + whole(30) }, () => ({
    kind: kinds[whole(kinds.length)] as string,
    a: whole(1000),
    b: whole(1000),
    c: whole(1000),
  }));
  return { seed, inputs, steps };
}

/** Tensors have at most so many axes. */
const largestRank = 6;
const largestSize = 5000;
const largestValue = 100;
const largestInteger = 2 ** 20;

/** The steps of a program for some inputs: those that apply, and whose results stay moderate. */
interface Plan {
  readonly values: Value[];
  readonly planned: Planned[];
  /** The steps that are executed. */
  readonly taken: Step[];
}

function plan(steps: readonly Step[], inputs: readonly Value[], isLimited = true): Plan {
  const made: Plan = { values: [...inputs], planned: [], taken: [] };
  for (const step of steps) {
    const next = planners[step.kind]?.(made.values, step);
    if (!next || (isLimited && !isModerate(next.result))) continue;
    made.planned.push(next);
    made.values.push(next.result);
    made.taken.push(step);
  }
  return made;
}

function isModerate({ shape, data, dtype }: Value): boolean {
  if (shape.length > largestRank) return false;
  const limit = dtype === 'int32' ? largestInteger : largestValue;
  return data.length <= largestSize && data.every((value) => Math.abs(value) <= limit);
}

function valuesFor({ inputs, seed }: Program, set: number): Value[] {
  const random = randomFrom(seed * 13 + set);
  return inputs.map(({ shape, dtype }) => ({
    shape,
    dtype,
    data: Float64Array.from({ length: sizeOf(shape) }, () =>
      dtype === 'int32' ? Math.floor(random() * 41) - 20 : Math.fround(random() * 2 - 1),
    ),
  }));
}

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

/** Why `program` fails, eagerly or, where `isCompiled`, compiled; null if it passes. */
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

/** The derivative of the weighted sum of the outputs along a random direction of the inputs, from both sides. */
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

/** Removes parts of a program as long as it still fails. */
async function reduced(
  program: Program,
  failure: string,
  isCompiled: boolean,
): Promise<{ program: Program; failure: string }> {
  let best = { program, failure };
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    const { steps, inputs } = best.program;
    const candidates: Program[] = [
      ...steps.map((_, i) => ({ ...best.program, steps: steps.filter((__, j) => j !== i) })),
      ...inputs.map((_, i) => ({ ...best.program, inputs: inputs.filter((__, j) => j !== i) })),
      ...inputs.flatMap((input, i) =>
        input.shape.map((_, axis) => ({
          ...best.program,
          inputs: inputs.map((other, j) =>
            i === j ? { ...other, shape: other.shape.filter((__, k) => k !== axis) } : other,
          ),
        })),
      ),
    ].filter((candidate) => candidate.inputs.length > 0);
    for (const candidate of candidates) {
      const found = await failureOf(candidate, isCompiled);
      if (found === null) continue;
      best = { program: candidate, failure: found };
      isShorter = true;
      break;
    }
  }
  return best;
}

/** A program as source text. */
export function print(program: Program): string {
  const inputs = valuesFor(program, 1);
  const { planned } = plan(program.steps, inputs);
  const name = (place: number) => `v${place}`;
  return [
    ...inputs.map(({ shape, dtype }, i) => `${name(i)}: ${dtype}[${shape}]`),
    ...planned.map(
      ({ inputs: places, result, text }, i) =>
        `${name(inputs.length + i)} = ${text(...places.map(name))}  // ${result.dtype}[${result.shape}]`,
    ),
  ].join('\n');
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
      const least = await reduced(makeProgram(seed), failure, seed % compiledEvery === 0);
      return `program ${seed}: ${least.failure}\n${print(least.program)}`;
    }
  }
  return null;
}
