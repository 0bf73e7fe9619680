/** @file How many launches a compiled function takes, and that it computes what the function itself does. */
import { expect } from 'vitest';
import { compile, randomUniform, type Tensor } from '../../src/index.ts';

type Program = (...inputs: Tensor[]) => Tensor | Tensor[];

/** Compares the first call and two replays with `program` itself, bit by bit. Returns the launches of a replay. */
export async function launchesOf(program: Program, inputs: readonly Tensor[]): Promise<number | undefined> {
  using compiled = compile(program);
  const read = (found: Tensor | Tensor[]) => Promise.all([found].flat().map((y) => y.data()));
  const expected = await read(program(...inputs));
  for (let call = 0; call < 3; call++) expect(await read(compiled(...inputs))).toEqual(expected);
  return compiled.explain()[0]?.launches;
}

/** Values in [-1, 1). */
export const uniform = (shape: number[], seed: number): Tensor => randomUniform(shape, { seed, min: -1 });
