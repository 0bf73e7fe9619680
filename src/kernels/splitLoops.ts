/** @file Loops over all of a kernel's data, by one invocation, take several launches where they are long. */
import { mostIterations } from './iterationLimit.ts';

/** Iterations of a loop: from the first, up to and without the second. */
export type LoopRange = readonly [begin: number, end: number];

/**
 * The launches of a kernel whose loops of `lengths` follow each other: what each launch executes of each loop.
 * `cost` is how many iterations are counted for one, where invocations that are executed together diverge.
 */
export function splitLoops(lengths: readonly number[], cost = 1): LoopRange[][] {
  const most = Math.floor(mostIterations / cost);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const launches: LoopRange[][] = [];
  for (let from = 0; from < Math.max(total, 1); from += most) {
    let before = 0;
    launches.push(
      lengths.map((length) => {
        const within = (at: number) => Math.min(length, Math.max(0, at - before));
        const range: LoopRange = [within(from), within(from + most)];
        before += length;
        return range;
      }),
    );
  }
  return launches;
}
