/**
 * @file ReadMemory: memory that successive reads share. Browsers free what a read allocates only when they collect garbage:
 * reading a file piece by piece, with separate memory for each, took them hundreds of megabytes.
 */

/**
 * Readers whose reads are pending. Chromium collects a Blob's stream that nothing refers to but such a read, which then never
 * ends.
 */
const pending = new Set<ReadableStreamBYOBReader>();

/** A read with it may overwrite what the last one returned. */
export class ReadMemory {
  #buffer = new ArrayBuffer(0);

  /** Returns `count` bytes, with any contents. */
  take(count: number): Uint8Array<ArrayBuffer> {
    if (this.#buffer.byteLength < count) this.#buffer = new ArrayBuffer(count);
    return new Uint8Array(this.#buffer, 0, count);
  }

  /** Returns the next `count` bytes of a stream; fewer at its end. */
  async fill(reader: ReadableStreamBYOBReader, count: number): Promise<Uint8Array<ArrayBuffer>> {
    let filled = 0;
    for (this.take(count); filled < count; ) {
      const piece = await this.#read(reader, filled, count - filled);
      if (!piece) break;
      filled += piece.length;
    }
    return new Uint8Array(this.#buffer, 0, filled);
  }

  /** Returns the next bytes of a stream, at most `max`; null at its end. */
  async next(reader: ReadableStreamBYOBReader, max: number): Promise<Uint8Array<ArrayBuffer> | null> {
    this.take(max);
    return this.#read(reader, 0, max);
  }

  async #read(
    reader: ReadableStreamBYOBReader,
    offset: number,
    max: number,
  ): Promise<Uint8Array<ArrayBuffer> | null> {
    pending.add(reader);
    const read = reader.read(new Uint8Array(this.#buffer, offset, max));
    const { done, value } = await read.finally(() => pending.delete(reader));
    // Reading detaches the buffer, and returns another one with the same bytes.
    if (value) this.#buffer = value.buffer;
    return done ? null : value;
  }
}

/** Returns a reader of `stream` that fills the caller's memory; null if the stream can't do that. */
export function byteReader(stream: ReadableStream): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}
