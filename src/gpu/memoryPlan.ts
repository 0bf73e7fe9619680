/**
 * @file Which values of captured work share a buffer: those that are never needed at the same time.
 *
 * Values are placed from the largest to the smallest, each in the first buffer that holds nothing else while it is
 * needed. Source: Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020 (greedy by size).
 */

/** A value with the first and the last command that names it, both included. */
export interface Lifetime<K> {
  readonly key: K;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

export interface MemoryPlan<K> {
  /** Bytes of each buffer. */
  readonly sizes: readonly number[];
  /** Index of the buffer of each value. */
  readonly places: ReadonlyMap<K, number>;
}

export function planMemory<K>(lifetimes: readonly Lifetime<K>[]): MemoryPlan<K> {
  const buffers: { bytes: number; held: Lifetime<K>[] }[] = [];
  const places = new Map<K, number>();
  const bySize = [...lifetimes].sort((a, b) => b.bytes - a.bytes || a.first - b.first);
  for (const lifetime of bySize) {
    let place = buffers.findIndex(({ held }) => held.every((other) => areApart(lifetime, other)));
    if (place < 0) place = buffers.push({ bytes: lifetime.bytes, held: [] }) - 1;
    buffers[place]?.held.push(lifetime);
    places.set(lifetime.key, place);
  }
  return { sizes: buffers.map(({ bytes }) => bytes), places };
}

function areApart<K>(a: Lifetime<K>, b: Lifetime<K>): boolean {
  return a.last < b.first || b.last < a.first;
}

/** The most bytes that are needed at once: no plan does with less. */
export function livenessBound<K>(lifetimes: readonly Lifetime<K>[]): number {
  const changes = lifetimes.flatMap(({ bytes, first, last }) => [
    { at: first, bytes },
    { at: last + 1, bytes: -bytes },
  ]);
  changes.sort((a, b) => a.at - b.at || a.bytes - b.bytes);
  let now = 0;
  return changes.reduce((most, { bytes }) => {
    now += bytes;
    return Math.max(most, now);
  }, 0);
}
