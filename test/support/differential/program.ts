/**
 * @file Random programs of 1 to 30 ops on float32 and int32 values of random shapes (0, 1 and primes among their sizes), with
 * shared subexpressions.
 */
import type { Planned, Step } from './planning.ts';
import { planners } from './steps.ts';
import { randomFrom, sizeOf, type Value } from './values.ts';

export interface Input {
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

/** The maximum number of axes of a tensor. */
const largestRank = 6;
const largestSize = 5000;
const largestValue = 100;
const largestInteger = 2 ** 20;

/** The steps of a program for some inputs: those that apply, and whose results stay moderate. */
export interface Plan {
  readonly values: Value[];
  readonly planned: Planned[];
  /** The steps that are executed. */
  readonly taken: Step[];
}

export function plan(steps: readonly Step[], inputs: readonly Value[], isLimited = true): Plan {
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

export function valuesFor({ inputs, seed }: Program, set: number): Value[] {
  const random = randomFrom(seed * 13 + set);
  return inputs.map(({ shape, dtype }) => ({
    shape,
    dtype,
    data: Float64Array.from({ length: sizeOf(shape) }, () =>
      dtype === 'int32' ? Math.floor(random() * 41) - 20 : Math.fround(random() * 2 - 1),
    ),
  }));
}

/** Returns a program as source text. */
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
