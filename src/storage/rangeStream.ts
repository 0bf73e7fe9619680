/**
 * @file RangeStream: successive ranges of a file on a server, from one request. Browsers keep the buffers of each request until
 * they collect garbage: 200 MB for a large file that is read with a request for each piece.
 */
import { byteReader, type ReadMemory } from '../formats/readMemory.ts';

/** A range of fewer bytes doesn't begin a stream: what follows it is probably not read. */
const minBytes = 1 << 20;
/** Up to this many bytes between two ranges are read and discarded. */
const maxSkipped = 1 << 20;

export class RangeStream {
  /** The response that is being read, and the position that it has reached. */
  #open: { readonly reader: ReadableStreamBYOBReader; readonly at: number } | null = null;

  /** False once a response was one whose stream can't fill memory, as in older browsers. */
  #canFill = true;

  /** `request` asks the server for a range; the file has `size` bytes. */
  constructor(
    private readonly request: (begin: number, end: number) => Promise<Response>,
    private readonly size: number,
  ) {}

  /** Returns the bytes from `begin` to `end`, fewer if the server sends fewer; null if they should be requested on their own. */
  async read(begin: number, end: number, memory: ReadMemory): Promise<Uint8Array<ArrayBuffer> | null> {
    const reader = await this.#readerAt(begin, end, memory);
    if (!reader) return null;
    const bytes = await memory.fill(reader, end - begin);
    if (this.#open || end === this.size) await reader.cancel();
    else this.#open = { reader, at: end };
    return bytes;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.reader.cancel();
  }

  /**
   * Returns a reader whose next byte is that at `begin`. It belongs to the caller, so that reads at the same time have one
   * each.
   */
  async #readerAt(begin: number, end: number, memory: ReadMemory): Promise<ReadableStreamBYOBReader | null> {
    const skipped = this.#open ? begin - this.#open.at : -1;
    if (this.#open && skipped >= 0 && skipped <= maxSkipped) {
      const { reader } = this.#open;
      this.#open = null;
      await memory.fill(reader, skipped);
      return reader;
    }
    if (end - begin < minBytes || !this.#canFill) return null;
    await this.close();
    const { body } = await this.request(begin, this.size);
    const reader = body && byteReader(body);
    this.#canFill = reader !== null;
    if (!reader) await body?.cancel();
    return reader;
  }
}
