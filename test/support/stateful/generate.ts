/** @file Generates a stateful program from a seed. */
import { argumentStructures } from './arguments.ts';
import { randomFrom } from './numbers.ts';
import { type ChangeKind, changeKinds, layerChangeKinds, type Program } from './program.ts';
import { layerKinds } from './statementKinds.ts';
import { statementKinds } from './statements.ts';

export function makeProgram(seed: number, kinds: readonly string[] = statementKinds): Program {
  const random = randomFrom(seed * 2654435761 + 1);
  const whole = (n: number) => Math.floor(random() * n);
  const many = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);
  const changes = kinds.some((kind) => layerKinds.has(kind)) ? layerChangeKinds : changeKinds;
  const structures = many(1 + whole(3), () => whole(argumentStructures.length));
  return {
    seed,
    rows: 1 + whole(5),
    columns: 1 + whole(5),
    variables: 1 + whole(3),
    statements: many(1 + whole(10), () => ({
      kind: kinds[whole(kinds.length)] as string,
      a: whole(1000),
      b: whole(1000),
      c: whole(1000),
    })),
    results: many(1 + whole(4), () => whole(1000)),
    resultStructure: whole(4),
    calls: many(4 + whole(4), () => ({
      structure: structures[whole(structures.length)] as number,
      sources: many(3, () => whole(1000)),
      throws: random() < 0.08,
      changes: many(whole(3), () => ({
        kind: changes[whole(changes.length)] as ChangeKind,
        a: whole(1000),
        b: whole(1000),
      })),
    })),
  };
}
