/** @file Rounding sizes up to those of tiles. */

/** Returns the least multiple that is no less than `n`. */
export const upTo = (multiple: number, n: number): number => Math.ceil(n / multiple) * multiple;

/** Returns how full tiles of `tile` lines or steps are. */
export const fullness = (count: number, tile: number): number => count / upTo(tile, count);
