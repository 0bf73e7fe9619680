/**
 * @file Seeds for random ops that are given none: a new one for each call, from one sequence that starts anywhere. A
 * computation that runs twice (checkpoint) replays the seeds of its first run.
 */
import { requireInteger } from '../core/shape.ts';
import { ValueError } from '../core/errors.ts';

const seedLimit = 2 ** 53;

let position = startingPosition();

/** 53 random bits. */
function startingPosition(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as Uint32Array & [number, number];
  return (high % 2 ** 21) * 2 ** 32 + low;
}

/** A seed that no call before had. */
export function freshSeed(): number {
  position = (position + 1) % seedLimit;
  return position;
}

/** The position in the sequence of seeds, for `replaySeeds`. */
export function seedPosition(): number {
  return position;
}

/** Runs `body` with the seeds that followed `from`; afterwards the sequence goes on where it was. */
export function replaySeeds<T>(from: number, body: () => T): T {
  const before = position;
  position = from;
  try {
    return body();
  } finally {
    position = before;
  }
}

/** Throws unless `seed` is left out or a whole number in [0, 2^53). */
export function checkSeed(op: string, seed: unknown): asserts seed is number | undefined {
  if (seed === undefined) return;
  requireInteger(op, 'seed', seed, 0);
  if (seed < seedLimit) return;
  throw new ValueError({
    op,
    rule: '`seed` must be a whole number below 2^53.',
    received: `seed: ${seed}`,
    mend: 'pass a smaller number: all seeds are equally good.',
  });
}
