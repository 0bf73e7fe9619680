/** @file Splits long loops of single invocations over several launches. */
import { maxIterations } from './iterationLimit.ts';

/** Iterations of a loop: `end` is exclusive. */
export type LoopRange = readonly [begin: number, end: number];

/**
 * Returns the launches of a kernel with consecutive loops of `lengths`: the range of each loop that each launch executes.
 * `cost` is how many iterations one counts for, if invocations that are executed together diverge.
 */
export function splitLoops(lengths: readonly number[], cost = 1): LoopRange[][] {
  const max = Math.floor(maxIterations / cost);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const launches: LoopRange[][] = [];
  for (let from = 0; from < Math.max(total, 1); from += max) {
    let before = 0;
    launches.push(
      lengths.map((length) => {
        const within = (at: number) => Math.min(length, Math.max(0, at - before));
        const range: LoopRange = [within(from), within(from + max)];
        before += length;
        return range;
      }),
    );
  }
  return launches;
}
