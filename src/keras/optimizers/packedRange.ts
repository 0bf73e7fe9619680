/**
 * @file A place: a range of a block in which a variable is at home. The values may leave it (assigned anew, shared with a
 * tape when a step would overwrite them) and come back; meanwhile it stands empty.
 */
import { Storage, wholeWords } from '../../webgpu/storage.ts';
import type { Variable } from '../../tensor/variable.ts';

export class Place {
  readonly storage: Storage;
  /** Whether someone holds the range, and with it the block. */
  #held = true;
  #taken = false;

  /** A range of `block`, both in bytes; a multiple of 256 each. */
  constructor(
    private readonly block: Storage,
    offset: number,
    bytes: number,
  ) {
    block.retain();
    this.storage = new Storage(block.buffer, block.offset + offset, bytes, () => {
      this.#held = false;
      block.release();
    });
  }

  /** Whether the values of `variable` lie here. */
  holds(variable: Variable): boolean {
    return variable.current === this.storage;
  }

  /** Whether `variable` may come home: no one reads what lies here. */
  get empty(): boolean {
    return !this.#taken || this.storage.abandoned;
  }

  /** One reference to the range, which was empty. */
  take(): Storage {
    if (!this.#taken) {
      this.#taken = true;
      return this.storage;
    }
    // Where captured work pins the range, its freeing was put off, and the block is still held.
    if (!this.#held) this.block.retain();
    this.#held = true;
    return this.storage.retain();
  }

  /** Brings the values of `variable` here. */
  settle(variable: Variable): void {
    variable.device.copy(variable.current, this.storage, wholeWords(variable.bytes));
    variable.adopt(this.take());
  }
}
