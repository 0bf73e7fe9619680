/**
 * @file Random programs with state: a function that reads and assigns variables, called several times while the world
 * around it changes. Each program runs twice, eagerly and compiled, and both must agree bit by bit after every call.
 *
 * A program is plain data generated from a seed. Its numbers are taken modulo the number of choices, so that any part of it
 * can be removed, by which failures are reduced.
 */
import { makeProgram } from './stateful/generate.ts';
import type { Program } from './stateful/program.ts';
import { runProgram } from './stateful/run.ts';
import { allStatementKinds, statementKinds } from './stateful/statements.ts';

/** Removes parts of a failing program as long as it fails. Returns the smallest one found, with its difference. */
async function reduceProgram(program: Program): Promise<{ program: Program; failure: string }> {
  let smallest = program;
  let failure = (await runProgram(program)) ?? '';
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    for (const candidate of smallerThan(smallest)) {
      const found = await runProgram(candidate).catch((error) => String(error));
      if (found === null) continue;
      [smallest, failure, shrunk] = [candidate, found, true];
      break;
    }
  }
  return { program: smallest, failure };
}

function* smallerThan(program: Program): Generator<Program> {
  const { statements, calls, results, variables } = program;
  const without = <T>(list: readonly T[], i: number) => list.filter((_, j) => j !== i);
  for (let i = calls.length - 1; i >= 0; i--)
    if (calls.length > 1) yield { ...program, calls: without(calls, i) };
  for (let i = statements.length - 1; i >= 0; i--) yield { ...program, statements: without(statements, i) };
  for (let i = 0; i < results.length; i++)
    if (results.length > 1) yield { ...program, results: without(results, i) };
  for (const [i, call] of calls.entries())
    for (let j = 0; j < call.changes.length; j++)
      yield { ...program, calls: calls.with(i, { ...call, changes: without(call.changes, j) }) };
  if (variables > 1) yield { ...program, variables: 1 };
}

/** Runs the programs of `seeds`. Returns the first failure, reduced, or null. */
export async function checkSeeds(
  seeds: Iterable<number>,
  kinds: readonly string[] = statementKinds,
): Promise<string | null> {
  for (const seed of seeds) {
    const program = makeProgram(seed, kinds);
    if ((await runProgram(program)) !== null) return (await reduceProgram(program)).failure;
  }
  return null;
}

/** Runs the programs of the seeds in [from, to). Returns the first failure, reduced, or null. */
export function checkPrograms(from: number, to: number): Promise<string | null> {
  const seeds = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  return checkSeeds(seeds, allStatementKinds);
}
