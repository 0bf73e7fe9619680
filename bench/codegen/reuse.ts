/**
 * @file What the last cache saves: a buffer that an earlier launch of the same problem used is still there, entirely or in
 * part, unless too much has been used since. Applies to the launches of any library, because buffers are recorded.
 */
import type { RecordedLaunch } from './recorder.ts';

/** A use of a buffer by a launch. */
export interface BufferUse {
  readonly bytes: number;
  /**
   * Bytes of all buffers that are used from the last use of a buffer that is read to this one, or from this one to the next
   * use of a buffer that is written. Infinite if there is none: inputs come from memory, and results go there.
   */
  readonly distance: number;
}

/** Returns the uses of buffers by each launch. `isRepeated`: the same launches ran before, on the same buffers. */
export function usesOf(launches: readonly RecordedLaunch[], isRepeated = false): BufferUse[][] {
  const all = isRepeated ? [...launches, ...launches] : launches;
  const first = all.length - launches.length;
  const touches = (at: number, id: number) => all[at]?.buffers.some((other) => other.id === id) ?? false;
  const bytesBetween = (from: number, to: number) => {
    const sizes = new Map(all.slice(from, to + 1).flatMap((launch) => launch.buffers.map(sizeEntry)));
    return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  };
  const distanceOf = (at: number, id: number, step: 1 | -1) => {
    for (let other = at + step; other >= 0 && other < all.length; other += step)
      if (touches(other, id)) return bytesBetween(Math.min(at, other), Math.max(at, other));
    return Number.POSITIVE_INFINITY;
  };
  return launches.map(({ buffers }, i) =>
    buffers.map(({ id, bytes, isWritten }) => ({
      bytes,
      // What is written by the last run of launches is as long in the cache as what is written by the one before.
      distance: isWritten ? distanceOf(i, id, 1) : distanceOf(first + i, id, -1),
    })),
  );
}

const sizeEntry = ({ id, bytes }: RecordedLaunch['buffers'][number]) => [id, bytes] as const;

/** Returns the fraction of the bytes of `uses` that memory moves, if a cache of `cacheSize` bytes keeps what fits. */
export function shareOfMemory(uses: readonly BufferUse[], cacheSize: number): number {
  const sum = (of: (use: BufferUse) => number) => uses.reduce((total, use) => total + of(use), 0);
  const bytes = sum((use) => use.bytes);
  if (bytes === 0) return 1;
  return sum((use) => use.bytes * (1 - Math.min(1, cacheSize / Math.max(1, use.distance)))) / bytes;
}
