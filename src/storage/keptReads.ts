/**
 * @file Reads of a file that may fail, such as requests to a server, made repeatable: what is read goes to a temporary file,
 * too, and the same range comes from there the next time.
 */
import type { ByteSource } from '../formats/byteSource.ts';
import { openSpool, type Spool } from './spool.ts';

export class KeptReads {
  readonly source: ByteSource;
  #spool: Spool | null = null;
  #written = 0;
  /** Where in the temporary file a range begins. */
  readonly #places = new Map<string, number>();
  #kept: ByteSource | null = null;
  #files = 0;

  constructor(source: ByteSource) {
    this.source = this.#keeping(source);
  }

  /** Keeps what is read from now on; false where there is no place for `bytes` bytes. */
  async begin(bytes: number): Promise<boolean> {
    this.#spool = await openSpool(bytes);
    return this.#spool !== null;
  }

  /** From now on, what was read comes from this machine. */
  async finish(): Promise<void> {
    const spool = this.#spool;
    this.#spool = null;
    if (spool) this.#kept = await spool.finish(this.source.name);
  }

  /** Removes what was kept. */
  async close(): Promise<void> {
    await this.#spool?.discard();
    await this.#kept?.close?.();
  }

  #keeping(source: ByteSource): ByteSource {
    if (source.isLocal) return source;
    const file = this.#files++;
    const read = async (begin: number, end: number) => {
      const key = `${file}:${begin}:${end}`;
      const place = this.#places.get(key);
      if (this.#kept && place !== undefined) return this.#kept.read(place, place + end - begin);
      const bytes = await source.read(begin, end);
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
