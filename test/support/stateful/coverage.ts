/**
 * @file Selects the stateful programs of a short run. Most random programs repeat combinations that others have: of two
 * thousand, a third has each combination at least once.
 */
import { makeProgram } from './generate.ts';
import type { Program } from './program.ts';

/** Returns the pairs that occur in a program: of statements in their order, and of what surrounds them. */
function combinationsOf({ statements, calls, ...program }: Program): Set<string> {
  const found = new Set<string>([`shape ${program.rows} ${program.columns}`]);
  for (const [i, { kind }] of statements.entries()) {
    found.add(`${kind} in structure ${program.resultStructure}`);
    found.add(`${kind}, ${program.results.length} results`);
    found.add(`${kind}, ${program.variables} variables`);
    for (const later of statements.slice(i + 1)) found.add(`${kind}, then ${later.kind}`);
    for (const { structure, changes, throws } of calls) {
      found.add(`${kind} of arguments ${structure}, throws: ${throws}`);
      for (const change of changes) found.add(`${kind} after ${change.kind}`);
    }
  }
  for (const [i, { structure, changes, throws }] of calls.entries()) {
    const next = calls[i + 1];
    if (!next) break;
    found.add(`arguments ${structure}, throws: ${throws}, then ${next.structure}`);
    for (const after of next.changes) {
      found.add(`${after.kind}, then arguments ${next.structure}`);
      for (const before of changes) found.add(`${before.kind}, then ${after.kind}`);
    }
  }
  return found;
}

/**
 * Returns seeds in [from, to) of programs that together cover every combination that occurs in any program of the range, by
 * the greedy algorithm for set cover.
 */
export function coveringSeeds(from: number, to: number): number[] {
  const candidates = Array.from({ length: to - from }, (_, i) => {
    const combinations = combinationsOf(makeProgram(from + i));
    return { seed: from + i, combinations, max: combinations.size };
  });
  const missing = new Set(candidates.flatMap(({ combinations }) => [...combinations]));
  const chosen: number[] = [];
  while (missing.size > 0) {
    // The number of combinations that a program adds only decreases, so most counts needn't be updated.
    candidates.sort((a, b) => b.max - a.max);
    let best = candidates[0] as (typeof candidates)[number];
    let adds = 0;
    for (const candidate of candidates) {
      if (candidate.max <= adds) break;
      candidate.max = [...candidate.combinations].filter((combination) => missing.has(combination)).length;
      if (candidate.max > adds) [best, adds] = [candidate, candidate.max];
    }
    chosen.push(best.seed);
    for (const combination of best.combinations) missing.delete(combination);
  }
  return chosen.sort((a, b) => a - b);
}
