/**
 * @file A counted reference to a range of a GPU buffer. Tensors that share values (reshape, a tape's saved inputs)
 * share one Storage; the buffer returns to its pool when the last of them releases it.
 */
import type { BoundRange } from './boundRange.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';

export class Storage {
  #references = 1;
  /** Number of pins by captured work whose launches use this range. They hold the buffer, but don't share the values. */
  #pins = 0;
  /** Whether the app has the buffer, and may write to it at any time. */
  exposed = false;

  constructor(
    readonly buffer: DeviceBuffer,
    /** Bytes from the start of the buffer; a multiple of 256 where it isn't 0. */
    readonly offset: number,
    /** Bytes that may be bound: those of the values, and unused ones behind them. */
    readonly bytes: number,
    private readonly free: (storage: Storage) => void,
    /** Bytes of the values. */
    readonly valueBytes: number = bytes,
  ) {}

  /** True if nothing else holds these values, so that they may be overwritten in place. */
  get exclusive(): boolean {
    return this.#references === 1;
  }

  /** True if only captured work holds the range, so that its values can't be read any more. */
  get abandoned(): boolean {
    return this.#references === 0;
  }

  retain(): this {
    this.#references++;
    return this;
  }

  release(): void {
    if (--this.#references === 0 && this.#pins === 0) this.free(this);
  }

  pin(): void {
    this.#pins++;
  }

  unpin(): void {
    if (--this.#pins === 0 && this.#references === 0) this.free(this);
  }
}

/** Returns `bytes` rounded up to whole words, as copies need. */
export function wholeWords(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}

/** Returns whether a copy of `bytes` bytes replaces all values that the buffer of `target` holds. */
export function replacesAll(target: BoundRange, bytes: number): boolean {
  const isWhole = target.offset === 0 && target.bytes === target.buffer.size;
  return isWhole && bytes >= wholeWords(target instanceof Storage ? target.valueBytes : target.bytes);
}
