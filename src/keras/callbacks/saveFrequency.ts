/** @file When callbacks save: after each epoch, or every n batches. */
import { describe } from '../../core/shape.ts';
import { invalid } from './callbackOptions.ts';

export type SaveFreq = 'epoch' | number;

export class SaveFrequency {
  #seen = 0;
  #last = -1;

  /** Errors: ValueError unless `freq` is 'epoch' or a positive integer. */
  constructor(
    op: string,
    private readonly freq: SaveFreq,
  ) {
    if (freq === 'epoch' || (Number.isInteger(freq) && freq >= 1)) return;
    throw invalid(
      op,
      "`saveFreq` is 'epoch' or a number of batches.",
      `saveFreq: ${describe(freq)}`,
      "pass 'epoch', or 100.",
    );
  }

  get isEpoch(): boolean {
    return this.freq === 'epoch';
  }

  /**
   * Counts batches up to number `batch` of its epoch, of which several end at once with `stepsPerExecution`. Returns whether to save
   * now.
   */
  batchEnded(batch: number): boolean {
    if (this.isEpoch) return false;
    // An epoch begins again at 0.
    this.#seen += batch > this.#last ? batch - this.#last : batch + 1;
    this.#last = batch;
    if (this.#seen < (this.freq as number)) return false;
    this.#seen = 0;
    return true;
  }

  reset(): void {
    this.#seen = 0;
    this.#last = -1;
  }
}
