/** @file Divides an axis of images into tiles of equal size, and locates its pixels between the tiles' centres. */

export interface Tiling {
  readonly count: number;
  /** Pixels of a tile. */
  readonly size: number;
  /** The pixels of the axis, mirrored beyond its end until the last tile is full. */
  readonly mirrored: readonly number[];
  /** The tile of each pixel in `mirrored`. */
  readonly own: readonly number[];
  /**
   * For each pixel of the axis, the tiles whose centres are before and after it, and its relative position between them
   * (`shares`).
   */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly shares: readonly number[];
}

/** An axis of `length` pixels in `count` tiles. */
export function tilingOf(length: number, count: number): Tiling {
  const size = Math.ceil(length / count);
  const padded = Array.from({ length: size * count }, (_, i) => i);
  const position = padded.slice(0, length).map((i) => (i - size / 2) / size);
  const limited = (tile: number) => Math.min(Math.max(tile, 0), count - 1);
  return {
    count,
    size,
    mirrored: padded.map((i) => Math.min(i % (2 * length), 2 * length - 1 - (i % (2 * length)))),
    own: padded.map((i) => Math.floor(i / size)),
    before: position.map((p) => limited(Math.floor(p))),
    after: position.map((p) => limited(Math.floor(p) + 1)),
    shares: position.map((p) => p - Math.floor(p)),
  };
}
