/** @file Reduces a program that fails to a small one that fails. */
import type { Planned, Step } from './planning.ts';
import { type Input, plan, type Program, valuesFor } from './program.ts';
import { planners } from './steps.ts';
import type { Value } from './values.ts';

export interface Failing {
  readonly program: Program;
  readonly failure: string;
}

/**
 * Makes a failing program smaller as long as it fails.
 *
 * @param fails why a program fails; null if it passes
 */
export async function reduced(
  program: Program,
  failure: string,
  fails: (program: Program) => Promise<string | null>,
): Promise<Failing> {
  let best: Failing = { program: trimmed(program), failure };
  for (let next: Failing | null = best; next; ) {
    next = await firstFailing(smaller(best.program), fails);
    best = next ?? best;
  }
  return best;
}

async function firstFailing(
  programs: Iterable<Program>,
  fails: (program: Program) => Promise<string | null>,
): Promise<Failing | null> {
  for (const program of programs) {
    const failure = await fails(program);
    if (failure !== null) return { program, failure };
  }
  return null;
}

/** Returns the program without the steps that don't apply. */
function trimmed(program: Program): Program {
  return { ...program, steps: plan(program.steps, valuesFor(program, 1)).taken };
}

/** Yields programs with fewer steps, or as many and smaller inputs; those that shrink most come first. */
function* smaller(program: Program): Iterable<Program> {
  const { planned } = plan(program.steps, valuesFor(program, 1));
  for (const candidate of candidates(program, planned))
    if (candidate && candidate.inputs.length > 0) {
      const next = trimmed(candidate);
      if (weight(next) < weight(program)) yield next;
    }
}

/** A step weighs more than all inputs together. */
const weight = ({ steps, inputs }: Program) =>
  1000 * steps.length + inputs.reduce((sum, { shape }) => sum + 10 + shape.length, 0);

function* candidates(program: Program, planned: readonly Planned[]): Iterable<Program | null> {
  const { inputs, steps } = program;
  const first = inputs.length;
  const used = new Set(planned.flatMap((step) => step.inputs));
  const places = planned.map((_, i) => first + i);
  const ends = places.filter((place) => !used.has(place));
  // The steps that a single step depends on, from the first step on.
  for (const place of places) yield keep(program, planned, [place]);
  // A value in the middle becomes an input, so that nothing before it is needed.
  for (const place of places.toReversed()) if (used.has(place)) yield keep(program, planned, ends, place);
  // Without one of the last steps.
  for (const end of ends) {
    const before = (planned[end - first] as Planned).inputs.filter((place) => place >= first);
    yield keep(program, planned, [...ends.filter((other) => other !== end), ...before]);
  }
  // Without anything; later steps may then find other operands.
  for (const i of steps.keys()) yield { ...program, steps: steps.toSpliced(i, 1) };
  for (const i of inputs.keys()) yield { ...program, inputs: inputs.toSpliced(i, 1) };
  for (const [i, input] of inputs.entries())
    for (const axis of input.shape.keys())
      yield {
        ...program,
        inputs: inputs.with(i, { ...input, shape: input.shape.toSpliced(axis, 1) }),
      };
}

/**
 * Returns the program with only those steps that the values `ends` need.
 *
 * @param promoted a value that becomes an input
 * @returns null if a step can't be expressed without those that are gone
 */
function keep(
  program: Program,
  planned: readonly Planned[],
  ends: readonly number[],
  promoted?: number,
): Program | null {
  const first = program.inputs.length;
  const needed = new Set<number>();
  const open = [...ends];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (needed.has(place)) continue;
    needed.add(place);
    if (place >= first && place !== promoted) open.push(...(planned[place - first] as Planned).inputs);
  }
  const isInput = (place: number) => place < first || place === promoted;
  const kept = [...needed].sort((a, b) => a - b);
  const inputPlaces = kept.filter(isInput);
  const stepPlaces = kept.filter((place) => !isInput(place));
  const inputs = inputPlaces.map((place): Input => {
    if (place < first) return program.inputs[place] as Input;
    const { shape, dtype } = (planned[place - first] as Planned).result;
    return { shape, dtype };
  });
  const order = [...inputPlaces, ...stepPlaces];
  return express(
    { ...program, inputs },
    stepPlaces.map((place) => ({
      step: program.steps[place - first] as Step,
      planned: planned[place - first] as Planned,
    })),
    (place) => order.indexOf(place),
  );
}

/**
 * Returns the program with `kept` as its steps. A step picks its operands by numbers that count the values before it, so that its
 * numbers change where values are gone.
 */
function express(
  program: Program,
  kept: readonly { step: Step; planned: Planned }[],
  placeOf: (place: number) => number,
): Program | null {
  const values = valuesFor(program, 1);
  const steps: Step[] = [];
  const name = (place: number) => `v${place}`;
  for (const { step, planned } of kept) {
    const places = planned.inputs.map(placeOf);
    const wanted = planned.text(...places.map(name));
    const isSame = ({ inputs, text }: Planned) =>
      inputs.join() === places.join() && text(...places.map(name)) === wanted;
    const found = alternative(step, values, isSame);
    if (!found) return null;
    steps.push(found.step);
    values.push(found.planned.result);
  }
  return { ...program, steps };
}

/** Returns the step with the operands that make it what `isWanted`: `a` and `b` choose them in most steps. Null if none do. */
function alternative(
  step: Step,
  values: readonly Value[],
  isWanted: (planned: Planned) => boolean,
): { step: Step; planned: Planned } | null {
  const choices = (own: number) => [own, ...values.keys()];
  for (const b of choices(step.b))
    for (const a of choices(step.a)) {
      const other = { ...step, a, b };
      const planned = planners[step.kind]?.(values, other);
      if (planned && isWanted(planned)) return { step: other, planned };
    }
  return null;
}
