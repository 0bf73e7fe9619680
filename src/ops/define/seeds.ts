/**
 * @file Seeds of random ops: a new one for each call, from sequences. The default sequence has a random start. A computation
 * that runs twice (checkpoint) draws the seeds of its first run again.
 */
import { requireInteger } from '../../core/shape.ts';
import { ValueError } from '../../core/errors.ts';
import { currentExecutor, onReplay } from '../../execution/currentExecutor.ts';
import type { Executor } from '../../webgpu/executor.ts';
import { DynamicScalar } from '../../webgpu/params.ts';

const seedLimit = 2 ** 53;

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

const wrapped = (value: bigint): bigint => BigInt.asUintN(53, value);

/** The inverse of an odd number modulo 2^53, by Newton's method: each step doubles the number of correct bits. */
function inverseOf(value: bigint): bigint {
  let inverse = value;
  for (let bits = 3; bits < 53; bits *= 2) inverse = wrapped(inverse * (2n - value * inverse));
  return inverse;
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

/** Where a sequence is. */
interface Position {
  readonly next: number;
  /** The number of draws until there: distances between seeds wrap around. */
  readonly count: number;
}

/** What a capture draws from a sequence. */
interface Span {
  /** The first seed of the current run. */
  first: number;
  /** The draws before the capture. */
  readonly from: number;
  /** Draws of one run, and the distance between the first seeds of two runs. */
  count: number;
  length: number;
}

/** What is noting where sequences are before they are drawn from. */
let openNotes: readonly SeedNotes[] = [];
/** Whether draws repeat what was drawn before the current capture: each replay repeats the same. */
let isFixed = false;

/** Large steps: with small ones the sequences of adjacent seeds would overlap. */
const largeStep = 0x9e3779b97f4a7;

/** A sequence of seeds derived from a given one: a new seed for each call and each replay. */
export class SeedSequence {
  #next: number;
  #count = 0;
  readonly #spans = new WeakMap<Executor, Span>();

  constructor(
    readonly seed: number,
    private readonly step = largeStep,
  ) {
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

  /** The number of draws from `seed` to the position, for files, as Keras's `SeedGenerator` counts them. */
  get drawn(): bigint {
    return wrapped(BigInt(this.#next - this.seed) * inverseOf(BigInt(this.step)));
  }

  set drawn(count: bigint) {
    this.#next = Number(wrapped(BigInt(this.seed) + count * BigInt(this.step)));
  }

  /** The present place, for notes. */
  get place(): Position {
    return { next: this.#next, count: this.#count };
  }

  set place({ next, count }: Position) {
    this.#next = next;
    this.#count = count;
  }

  draw(): Seed {
    const executor = currentExecutor();
    if (executor?.mode !== 'captured' || isFixed) return this.take();
    const span = this.#spanOf(executor);
    const draws = this.#count - span.from + 1;
    // Identified by its distance from the first, so that a computation that runs twice (checkpoint) has equal seeds in replays, too.
    const distance = stepped(this.take(), seedLimit - span.first);
    if (draws > span.count) {
      span.count = draws;
      span.length = stepped(distance, this.step);
    }
    const drawn = new DrawnSeed();
    onReplay(() => drawn.set(stepped(span.first, distance)));
    return drawn;
  }

  /** The next seed, as a number. */
  take(): number {
    this.note();
    const seed = this.#next;
    this.#next = stepped(seed, this.step);
    this.#count++;
    return seed;
  }

  /** Tells open notes where the sequence is, before that changes. */
  note(): void {
    for (const notes of openNotes) notes.add(this);
  }

  #spanOf(capture: Executor): Span {
    const known = this.#spans.get(capture);
    if (known) return known;
    const span: Span = { first: this.#next, from: this.#count, count: 0, length: 0 };
    this.#spans.set(capture, span);
    onReplay(() => {
      span.first = this.#next;
      this.#next = stepped(this.#next, span.length);
      this.#count += span.count;
    });
    return span;
  }
}

const defaults = new SeedSequence(startingPosition(), 1);

/**
 * Seeds the sequence used by ops, initializers and shuffles without an explicit seed: a program that calls this first draws
 * the same values at every run. Errors: ValueError for a seed that isn't an integer in [0, 2^53).
 */
export function setRandomSeed(seed: number): void {
  requireInteger('setRandomSeed', 'seed', seed, 0);
  checkSeed('setRandomSeed', seed);
  // Far from the sequences of neighbouring seeds.
  const position = Number((BigInt(seed) * 0x9e3779b97f4a7n) % BigInt(seedLimit));
  defaults.position = stepped(position, 1);
}

/** The next seed of the sequence. */
export function freshSeed(): number {
  return defaults.take();
}

/** A default seed: a new one for each call and each replay. */
export function drawSeed(): Seed {
  return defaults.draw();
}

/** The position in the sequence of default seeds. */
export function seedPosition(): number {
  return defaults.position;
}

/** Rewinds the sequence of default seeds to `to`, as if later ones had not been drawn. */
export function rewindSeeds(to: number): void {
  defaults.position = to;
}

/** Where the sequences of seeds were before a computation drew from them, so that it can draw the same again. */
export class SeedNotes {
  readonly #places = new Map<SeedSequence, Position>();
  readonly #executor = currentExecutor();

  /** Runs `body` and notes from which sequences it draws. */
  observe<T>(body: () => T): T {
    const before = openNotes;
    openNotes = [...before, this];
    try {
      return body();
    } finally {
      openNotes = before;
    }
  }

  add(sequence: SeedSequence): void {
    if (!this.#places.has(sequence)) this.#places.set(sequence, sequence.place);
  }

  /** Returns notes of a run that begins now and draws from the same sequences. */
  again(): SeedNotes {
    const notes = new SeedNotes();
    for (const sequence of this.#places.keys()) notes.add(sequence);
    return notes;
  }

  /** Rewinds the sequences, as if nothing had been drawn. */
  rewind(): void {
    for (const [sequence, place] of this.#places) sequence.place = place;
  }

  /** Rewinds all but the sequence of default seeds, since weights that were created keep those that they drew. */
  rewindGiven(): void {
    for (const [sequence, place] of this.#places) if (sequence !== defaults) sequence.place = place;
  }

  /** Runs `body`, which draws the same seeds again; afterwards the sequences continue where they were. */
  replay<T>(body: () => T): T {
    const present = this.again();
    for (const sequence of this.#places.keys()) sequence.note();
    const before = isFixed;
    isFixed = before || (present.#executor !== this.#executor && present.#executor?.mode === 'captured');
    this.rewind();
    try {
      return body();
    } finally {
      present.rewind();
      isFixed = before;
    }
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
