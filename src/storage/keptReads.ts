/**
 * @file Makes reads that may fail, such as requests to a server, repeatable: bytes that are read are also written to a
 * temporary file, from which the same range is read the next time.
 */
import type { ByteSource } from '../formats/byteSource.ts';
import { openSpool, type Spool } from './spool.ts';

export class KeptReads {
  readonly source: ByteSource;
  #spool: Spool | null = null;
  #written = 0;
  /** Positions of ranges in the temporary file. */
  readonly #places = new Map<string, number>();
  #kept: ByteSource | null = null;
  #files = 0;

  constructor(source: ByteSource) {
    this.source = this.#keeping(source);
  }

  /** Keeps the bytes of reads from now on; false if there is no room for `bytes` bytes. */
  async begin(bytes: number): Promise<boolean> {
    this.#spool = await openSpool(bytes);
    return this.#spool !== null;
  }

  /** From now on, ranges that were read before come from the temporary file. */
  async finish(): Promise<void> {
    const spool = this.#spool;
    this.#spool = null;
    if (spool) this.#kept = await spool.finish(this.source.name);
  }

  /** Removes the temporary file. */
  async close(): Promise<void> {
    await this.#spool?.discard();
    await this.#kept?.close?.();
  }

  #keeping(source: ByteSource): ByteSource {
    if (source.isLocal) return source;
    const file = this.#files++;
    const read: ByteSource['read'] = async (begin, end, memory) => {
      const key = `${file}:${begin}:${end}`;
      const place = this.#places.get(key);
      if (this.#kept && place !== undefined) return this.#kept.read(place, place + end - begin, memory);
      const bytes = await source.read(begin, end, memory);
      if (this.#spool && place === undefined) {
        this.#places.set(key, this.#written);
        this.#written += bytes.length;
        await this.#spool.write(bytes);
      }
      return bytes;
    };
    const { sibling } = source;
    return {
      ...source,
      read,
      ...(sibling && { sibling: async (path) => this.#keeping(await sibling(path)) }),
    };
  }
}
