/** @file A row of `npm run scale`: work of any size, which should take time and memory in proportion to its size. */

/** The work to measure. What it returns is held until the measurement ends. */
export type Work = () => unknown;

export interface ScaleRow {
  readonly name: string;
  /** What a size counts, such as 'layers'. */
  readonly unit: string;
  /** The smallest size of a full run, which doubles it as far as time and memory reach. */
  readonly from: number;
  /** The largest size, where something else than time or memory limits it. */
  readonly to?: number;
  /** The smaller size of the short form, which compares it with its double. */
  readonly short: number;
  /** Prepares work of size `n` that can run once. The preparation isn't measured. */
  prepare(n: number): Work | Promise<Work>;
}
