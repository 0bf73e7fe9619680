/**
 * @file A range of a packed buffer that is reserved for one variable. The variable's values may move out (it is assigned,
 * or shared with a tape when a step would overwrite it) and back in; in between the range is free.
 */
import type { Variable } from '../../tensor/variable.ts';
import { Storage, wholeWords } from '../../webgpu/storage.ts';

export class PackedRange {
  readonly storage: Storage;
  /** Whether this range holds a reference to the packed buffer. */
  #retainsBuffer = true;
  #acquired = false;

  /** `offset` and `bytes` are multiples of 256. */
  constructor(
    private readonly packed: Storage,
    offset: number,
    bytes: number,
  ) {
    packed.retain();
    this.storage = new Storage(packed.buffer, packed.offset + offset, bytes, () => {
      this.#retainsBuffer = false;
      packed.release();
    });
  }

  /** Returns whether the values of `variable` are in this range. */
  holds(variable: Variable): boolean {
    return variable.current === this.storage;
  }

  /** Whether values may be written here, because nothing reads the old ones. */
  get free(): boolean {
    return !this.#acquired || this.storage.abandoned;
  }

  /** Returns a reference to the range, which must be free. */
  acquire(): Storage {
    if (!this.#acquired) {
      this.#acquired = true;
      return this.storage;
    }
    // If captured work pins the range, it was never released, and the packed buffer is still retained.
    if (!this.#retainsBuffer) this.packed.retain();
    this.#retainsBuffer = true;
    return this.storage.retain();
  }

  /** Moves the values of `variable` here. */
  moveIn(variable: Variable): void {
    variable.device.copy(variable.current, this.storage, wholeWords(variable.bytes));
    variable.adopt(this.acquire());
  }
}
