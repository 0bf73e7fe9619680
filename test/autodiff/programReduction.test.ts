/** @file A program that fails is reduced to what fails in it. */
import { expect, test } from 'vitest';
import { makeProgram, plan, type Program, print, valuesFor } from '../support/differential/program.ts';
import { reduced } from '../support/differential/reduction.ts';

const planned = (program: Program) => plan(program.steps, valuesFor(program, 1));

/** Fails where a step of `kind` is executed. */
const failsAt = (kind: string) => async (program: Program) =>
  planned(program).taken.some((step) => step.kind === kind) ? kind : null;

/** Programs of at least ten steps that execute a step of `kind`. */
function programsWith(kind: string, count: number): Program[] {
  const found: Program[] = [];
  for (let seed = 0; found.length < count; seed++) {
    const program = makeProgram(seed);
    const { taken } = planned(program);
    if (taken.length >= 10 && taken.some((step) => step.kind === kind)) found.push(program);
  }
  return found;
}

test.each(['matMul', 'concat', 'sin', 'sort', 'softmax', 'where'])('one step: %s', async (kind) => {
  for (const program of programsWith(kind, 5)) {
    const min = await reduced(program, kind, failsAt(kind));
    expect(
      min.program.steps.map((step) => step.kind),
      print(program),
    ).toEqual([kind]);
    expect(min.failure).toBe(kind);
  }
});

test('two steps, one of which reads the other', async () => {
  const fails = async (program: Program) => {
    const { planned: steps } = planned(program);
    const first = program.inputs.length;
    const isSin = (text: string) => text.startsWith('sin(');
    const reads = steps.some(({ inputs, text }) =>
      inputs.some((place) => {
        const before = steps[place - first];
        return place >= first && before && isSin(before.text('x')) && text('x', 'y', 'z').startsWith('add(');
      }),
    );
    return reads ? 'add of sin' : null;
  };
  let checked = 0;
  for (let seed = 0; checked < 5; seed++) {
    const program = makeProgram(seed);
    if ((await fails(program)) === null) continue;
    checked++;
    const min = await reduced(program, 'add of sin', fails);
    expect(min.program.steps.map((step) => step.kind).sort(), print(program)).toEqual(['add', 'sin']);
  }
});

test('a minimal program stays unchanged', async () => {
  const program = makeProgram(3);
  const { taken } = planned(program);
  const fails = async (other: Program) =>
    other.steps.length === taken.length && other.inputs === program.inputs ? 'all of it' : null;
  const min = await reduced(program, 'all of it', fails);
  expect(min.program.steps).toEqual(taken);
});
