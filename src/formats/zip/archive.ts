/** @file ZipArchive: the entries of a zip archive as separate files. */
import { type ByteSource, bytesSource, rangeSource } from '../byteSource.ts';
import { crc32 } from '../crc32.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { inflate } from '../inflate.ts';
import { ReadMemory } from '../readMemory.ts';
import {
  localHeaderBytes,
  readDirectory,
  viewOf,
  type ZipEntry,
  type ZipLimits,
  zipLimits,
} from './directory.ts';

/** Number of bytes that are checked at a time. */
const pieceBytes = 4 << 20;

export class ZipArchive {
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  private constructor(
    private readonly source: ByteSource,
    readonly context: FileContext,
    entries: readonly ZipEntry[],
  ) {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** Errors: FormatError for anything but a valid archive. */
  static async open(source: ByteSource, limits: Partial<ZipLimits> = {}): Promise<ZipArchive> {
    const context: FileContext = { file: source.name, format: 'zip' };
    return new ZipArchive(source, context, await readDirectory(source, context, { ...zipLimits, ...limits }));
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Returns the size of the entry called `name`, inflated; null if there is none. */
  size(name: string): number | null {
    return this.#entries.get(name)?.bytes ?? null;
  }

  /**
   * Returns the entry called `name`; null if there is none. An uncompressed entry takes no memory, a deflated one is inflated,
   * and one on a server is fetched once. Errors: FormatError for bytes that don't match the entry's checksum.
   */
  async entry(name: string): Promise<ByteSource | null> {
    const entry = this.#entries.get(name);
    if (!entry) return null;
    const begin = await this.#begin(entry);
    const end = begin + entry.storedBytes;
    const path = `${this.source.name}/${name}`;
    // Checking the checksum reads the entry once more.
    const stored =
      this.source.fetched && !entry.isDeflated
        ? { ...(await this.source.fetched(begin, end)), name: path }
        : rangeSource(this.source, begin, end, path);
    const source = entry.isDeflated ? await this.#inflated(entry, stored) : stored;
    await this.#requireChecksum(entry, source);
    return source;
  }

  /** Returns where the bytes of an entry begin: after its local header. */
  async #begin(entry: ZipEntry): Promise<number> {
    const { header, storedBytes, name } = entry;
    const view = viewOf(await this.source.read(header, header + localHeaderBytes));
    const begin = header + localHeaderBytes + view.getUint16(26, true) + view.getUint16(28, true);
    const isHeader = view.getUint32(0, true) === 0x04034b50;
    if (isHeader && begin + storedBytes <= this.source.size) return begin;
    throw this.#invalid(
      name,
      'an entry is where the directory says.',
      isHeader ? 'fewer bytes' : 'other bytes',
    );
  }

  async #inflated({ name, bytes, storedBytes }: ZipEntry, stored: ByteSource): Promise<ByteSource> {
    const invalid = (received: string) =>
      this.#invalid(name, `the entry inflates to ${bytes} bytes.`, received);
    const inflated = await inflate(await stored.read(0, storedBytes), 'deflate-raw', bytes, invalid);
    return bytesSource(inflated, stored.name);
  }

  async #requireChecksum({ name, checksum }: ZipEntry, source: ByteSource): Promise<void> {
    const memory = new ReadMemory();
    let found = 0;
    for (let at = 0; at < source.size; at += pieceBytes) {
      const piece = await source.read(at, Math.min(source.size, at + pieceBytes), memory);
      found = crc32(piece, found);
    }
    if (found === checksum) return;
    throw this.#invalid(
      name,
      'bytes have the checksum that the directory states.',
      'other bytes: the file is damaged',
    );
  }

  #invalid(name: string, rule: string, received: string): Error {
    return fault(this.context, { place: `entry '${name}'`, rule, received });
  }
}
