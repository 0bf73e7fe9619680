/**
 * @file Default seeds of random ops: a new one for each call, from one sequence with a random start. A computation that
 * runs twice (checkpoint) replays the seeds of its first run.
 */
import { requireInteger } from '../core/shape.ts';
import { ValueError } from '../core/errors.ts';
import { currentExecutor, onReplay } from '../execution/currentExecutor.ts';
import type { Executor } from '../webgpu/executor.ts';
import { DynamicScalar } from '../webgpu/params.ts';

const seedLimit = 2 ** 53;

let position = startingPosition();

/** 53 random bits. */
function startingPosition(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as Uint32Array & [number, number];
  return (high % 2 ** 21) * 2 ** 32 + low;
}

/** Returns the seed `by` steps after `seed`. Computed without the sum of two seeds, which would be rounded. */
function stepped(seed: number, by: number): number {
  const room = seedLimit - seed;
  return by < room ? seed + by : by - room;
}

/**
 * Seeds the sequence used by ops, initializers and shuffles without an explicit seed: a program that calls this first draws
 * the same values at every run. Errors: ValueError for a seed that isn't an integer in [0, 2^53).
 */
export function setRandomSeed(seed: number): void {
  requireInteger('setRandomSeed', 'seed', seed, 0);
  checkSeed('setRandomSeed', seed);
  // Far from the sequences of neighbouring seeds.
  position = Number((BigInt(seed) * 0x9e3779b97f4a7n) % BigInt(seedLimit));
}

/** The next seed of the sequence. */
export function freshSeed(): number {
  position = stepped(position, 1);
  return position;
}

/** A seed in captured work, drawn again by every replay. */
export class DrawnSeed {
  readonly low = new DynamicScalar(0);
  readonly high = new DynamicScalar(0);

  set(seed: number): void {
    this.low.value = seed % 2 ** 32;
    this.high.value = Math.floor(seed / 2 ** 32);
  }
}

export type Seed = number | DrawnSeed;

/** The first seed of each capture in the sequence, and their number. */
const spans = new WeakMap<Executor, { first: number; length: number }>();

/** A default seed: a new one for each call and each replay. */
export function drawSeed(): Seed {
  const executor = currentExecutor();
  if (executor?.mode !== 'captured') return freshSeed();
  const span = spanOf(executor);
  // Identified by its place in the span, so that a computation that runs twice (checkpoint) has equal seeds in replays, too.
  const place = stepped(freshSeed(), seedLimit - span.first);
  span.length = Math.max(span.length, place);
  const drawn = new DrawnSeed();
  onReplay(() => drawn.set(stepped(span.first, place)));
  return drawn;
}

function spanOf(capture: Executor) {
  const known = spans.get(capture);
  if (known) return known;
  const span = { first: position, length: 0 };
  spans.set(capture, span);
  onReplay(() => {
    span.first = position;
    position = stepped(position, span.length);
  });
  return span;
}

/** A sequence of seeds derived from a given one: a new seed for each call and each replay. */
export class SeedSequence {
  #next: number;

  constructor(readonly seed: number) {
    this.#next = seed;
  }

  /** The seed of the next draw; set it to continue from there. */
  get position(): number {
    return this.#next;
  }

  set position(position: number) {
    requireInteger('SeedSequence', 'position', position, 0);
    this.#next = position % seedLimit;
  }

  draw(): Seed {
    if (currentExecutor()?.mode !== 'captured') return this.#take();
    const drawn = new DrawnSeed();
    onReplay(() => drawn.set(this.#take()));
    return drawn;
  }

  /** Takes large steps, since with small ones the sequences of adjacent seeds would overlap. */
  #take(): number {
    const seed = this.#next;
    this.#next = stepped(this.#next, 0x9e3779b97f4a7);
    return seed;
  }
}

/** The position in the sequence of seeds, for `replaySeeds`. */
export function seedPosition(): number {
  return position;
}

/** Rewinds the sequence to `to`, as if later seeds had not been drawn. */
export function rewindSeeds(to: number): void {
  position = to;
}

/** Runs `body` with the seeds that followed `from`; afterwards the sequence continues where it was. */
export function replaySeeds<T>(from: number, body: () => T): T {
  const before = position;
  position = from;
  try {
    return body();
  } finally {
    position = before;
  }
}

/** Throws unless `seed` is omitted or an integer in [0, 2^53). */
export function checkSeed(op: string, seed: unknown): asserts seed is Seed | undefined {
  if (seed === undefined || seed instanceof DrawnSeed) return;
  requireInteger(op, 'seed', seed, 0);
  if (seed < seedLimit) return;
  throw new ValueError({
    op,
    rule: '`seed` must be an integer below 2^53.',
    received: `seed: ${seed}`,
    hint: 'pass a smaller number: all seeds are equally good.',
  });
}

/**
 * Seed `index` for an op that draws several times, derived from its `seed`. Undefined without one, so that each draw gets a
 * new seed.
 */
export function derivedSeed(seed: number | undefined, index: number): number | undefined {
  return seed === undefined
    ? undefined
    : Number((BigInt(seed) + BigInt(index) * 0x9e3779b97f4a7n) % BigInt(seedLimit));
}
