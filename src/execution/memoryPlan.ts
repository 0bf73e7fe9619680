/**
 * @file Assigns buffers and offsets to the values of captured work, in as few bytes as it can: two values share bytes only
 * if their lifetimes don't overlap.
 *
 * Values are assigned one after the other, large ones first, at the lowest free offset in the buffer that grows least. A
 * value that a command writes is in another buffer than everything else the command binds: WebGPU forbids a dispatch to
 * bind a buffer for both reading and writing, even in disjoint ranges.
 * Source: Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020 (greedy by size, with
 * offsets), extended to several buffers.
 */

import type { Pieces } from '../core/pieces.ts';
import { FewOffsets, OffsetTree, type TakenOffsets } from './takenOffsets.ts';

/** A value with the first and the last command that use it, inclusive. */
export interface Lifetime<K> {
  readonly key: K;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
  /** Values that must be in another buffer. */
  readonly conflicts: ReadonlySet<K>;
}

export interface Assignment {
  /** Index of the buffer. */
  readonly buffer: number;
  readonly offset: number;
}

export interface MemoryPlan<K> {
  /** Bytes of each buffer. */
  readonly sizes: readonly number[];
  readonly assignments: ReadonlyMap<K, Assignment>;
}

/** Bindings begin at multiples of this on every device (the WebGPU default limit). */
const alignment = 256;

type Order = (a: Lifetime<unknown>, b: Lifetime<unknown>) => number;

/** Orders in which offsets are assigned; neither is the better one for all work. */
const orders: readonly Order[] = [
  (a, b) => b.bytes - a.bytes,
  (a, b) => b.bytes * duration(b) - a.bytes * duration(a),
];

function duration({ first, last }: Lifetime<unknown>): number {
  return last - first + 1;
}

/** Budget for trying variations of the orders: a plan is made once and used often, so a few milliseconds are well spent. */
const workOnVariations = 4_000_000;

/** Values that are assigned between two yields. */
const valuesPerPiece = 256;

/** `limit` is the largest size of a buffer in bytes, `work` the budget for variations. */
export function* planMemory<K>(
  lifetimes: readonly Lifetime<K>[],
  limit = Number.POSITIVE_INFINITY,
  work = workOnVariations,
): Pieces<MemoryPlan<K>> {
  const variations = Math.min(40, Math.floor(work / (lifetimes.length ** 2 + 1)));
  const sorted = [
    ...orders.map((order) => [...lifetimes].sort(order)),
    ...Array.from({ length: variations }, (_, seed) => varied(lifetimes, seed)),
  ];
  const total = ({ sizes }: MemoryPlan<K>) => sizes.reduce((sum, size) => sum + size, 0);
  let best: MemoryPlan<K> | null = null;
  for (const order of sorted) {
    const plan = yield* assignInOrder(order, limit);
    if (!best || total(plan) < total(best)) best = plan;
    yield;
  }
  return best as MemoryPlan<K>;
}

/** Sorted by size, each multiplied by a pseudo-random factor in [1, 2); deterministic for each `seed`. */
function varied<K>(lifetimes: readonly Lifetime<K>[], seed: number): Lifetime<K>[] {
  const weigh = (bytes: number, i: number) => bytes * (1 + fraction(seed * 7919 + i * 104729));
  return lifetimes
    .map((lifetime, i) => ({ lifetime, weight: weigh(lifetime.bytes, i) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ lifetime }) => lifetime);
}

/** Returns a pseudo-random number in [0, 1). */
function fraction(n: number): number {
  return (Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}

/** A buffer of a plan. Offsets are counted in alignments, since all values begin at multiples of it. */
interface Planned {
  bytes: number;
  readonly taken: TakenOffsets;
}

function* assignInOrder<K>(lifetimes: readonly Lifetime<K>[], limit: number): Pieces<MemoryPlan<K>> {
  const buffers: Planned[] = [];
  const assignments = new Map<K, Assignment>();
  const newBuffer = offsetsFor(lifetimes);
  for (const lifetime of lifetimes) {
    const { bytes, first, last } = lifetime;
    const size = Math.ceil(bytes / alignment);
    const closed = new Set<number>();
    for (const other of lifetime.conflicts) {
      const assignment = assignments.get(other);
      if (assignment) closed.add(assignment.buffer);
    }
    // A new buffer is the last resort: it grows the plan by the whole size of the value.
    let chosen: Assignment = { buffer: buffers.length, offset: 0 };
    let min =
      lifetimes.length > fewValues && buffers.length >= enoughBuffers ? Number.POSITIVE_INFINITY : bytes;
    for (let buffer = 0; buffer < buffers.length && min > 0; buffer++) {
      if (closed.has(buffer)) continue;
      const { bytes: present, taken } = buffers[buffer] as Planned;
      const offset = taken.lowestFree(size, first, last) * alignment;
      const growth = Math.max(0, offset + bytes - present);
      if (growth >= min || offset + bytes > limit) continue;
      chosen = { buffer, offset };
      min = growth;
    }
    if (chosen.buffer === buffers.length) buffers.push({ bytes: 0, taken: newBuffer() });
    const into = buffers[chosen.buffer] as Planned;
    into.bytes = Math.max(into.bytes, chosen.offset + bytes);
    const start = chosen.offset / alignment;
    into.taken.take(start, start + size, first, last);
    assignments.set(lifetime.key, chosen);
    if (assignments.size % valuesPerPiece === 0) yield;
  }
  return { sizes: buffers.map(({ bytes }) => bytes), assignments };
}

/**
 * Up to this many values, it is quicker to look at all of them, although a tree finds the same plans: it took 1.2 to 23 times as long
 * for 30 to 300 values, with all variations (Node 20, 2026-11-28).
 */
const fewValues = 2000;
/** With more values, a plan has more buffers than this only where it must: small values would get a buffer each, and all are tried. */
const enoughBuffers = 32;

function offsetsFor(lifetimes: readonly Lifetime<unknown>[]): () => TakenOffsets {
  if (lifetimes.length <= fewValues) return () => new FewOffsets();
  const last = lifetimes.reduce((latest, lifetime) => Math.max(latest, lifetime.last), 0);
  return () => new OffsetTree(last + 1);
}

/** Returns the maximum number of bytes in use at a time: the lower bound of any plan. */
export function livenessBound<K>(lifetimes: readonly Lifetime<K>[]): number {
  const changes = lifetimes.flatMap(({ bytes, first, last }) => [
    { at: first, bytes },
    { at: last + 1, bytes: -bytes },
  ]);
  changes.sort((a, b) => a.at - b.at || a.bytes - b.bytes);
  let now = 0;
  return changes.reduce((max, { bytes }) => {
    now += bytes;
    return Math.max(max, now);
  }, 0);
}
