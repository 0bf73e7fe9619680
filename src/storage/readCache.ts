/**
 * @file Makes reads that may fail, such as requests to a server, repeatable: bytes that are read are also written to a
 * temporary file, from which the same range is read the next time.
 */
import type { ByteSource } from '../formats/byteSource.ts';
import { openTemporaryFile, type TemporaryFile } from './temporaryFile.ts';

export class ReadCache {
  readonly source: ByteSource;
  #temporary: TemporaryFile | null = null;
  #written = 0;
  /** Offsets of the cached ranges in the temporary file. */
  readonly #offsets = new Map<string, number>();
  #cached: ByteSource | null = null;
  #files = 0;

  constructor(source: ByteSource) {
    this.source = this.#caching(source);
  }

  /** Caches the bytes of later reads; false if there is no space for `bytes` bytes. */
  async begin(bytes: number): Promise<boolean> {
    this.#temporary = await openTemporaryFile(bytes);
    return this.#temporary !== null;
  }

  /** Later reads of a cached range come from the temporary file. */
  async finish(): Promise<void> {
    const temporary = this.#temporary;
    this.#temporary = null;
    if (temporary) this.#cached = await temporary.finish(this.source.name);
  }

  /** Removes the temporary file. */
  async close(): Promise<void> {
    await this.#temporary?.discard();
    await this.#cached?.close?.();
  }

  #caching(source: ByteSource): ByteSource {
    if (source.isLocal) return source;
    const file = this.#files++;
    const read: ByteSource['read'] = async (begin, end, memory) => {
      const key = `${file}:${begin}:${end}`;
      const offset = this.#offsets.get(key);
      if (this.#cached && offset !== undefined)
        return this.#cached.read(offset, offset + end - begin, memory);
      const bytes = await source.read(begin, end, memory);
      if (this.#temporary && offset === undefined) {
        this.#offsets.set(key, this.#written);
        this.#written += bytes.length;
        await this.#temporary.write(bytes);
      }
      return bytes;
    };
    const { sibling } = source;
    return {
      ...source,
      read,
      ...(sibling && { sibling: async (path) => this.#caching(await sibling(path)) }),
    };
  }
}
