/**
 * @file Storage: reads ranges of a file by address. Every range is checked against the file before it is read, so that the
 * sizes that a file declares never decide how much memory is allocated.
 */
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import type { ReadMemory } from '../readMemory.ts';
import { Cursor, type FieldSizes, undefinedAddress } from './cursor.ts';

/** How often a byte of a structure may be read, on average, and the number of bytes that is always allowed. */
const readings = 8;
const minBudget = 4 << 20;
/** How many datasets may share a byte, on average, and the number of bytes of values that is always allowed. */
const sharing = 4;
const minValues = 64 << 20;
/** The maximum number of bytes that deflate can expand one byte to. */
export const maxExpansion = 1032;

export class Storage {
  /** Bytes of structures that may still be read: structures that share bytes could add up to far more than the file. */
  #budget: number;
  /** Bytes of values that datasets may still declare, stored uncompressed and deflated. */
  #values: number;
  #deflated: number;

  constructor(
    private readonly source: ByteSource,
    readonly context: FileContext,
    readonly sizes: FieldSizes,
  ) {
    this.#budget = minBudget + readings * source.size;
    this.#values = minValues + sharing * source.size;
    this.#deflated = minValues + maxExpansion * source.size;
  }

  get size(): number {
    return this.source.size;
  }

  /**
   * Returns the `count` bytes at `address`; with `memory`, they may be in it. Errors: FormatError if they aren't all in the
   * file.
   */
  async bytes(
    address: number,
    count: number,
    place: string,
    memory?: ReadMemory,
  ): Promise<Uint8Array<ArrayBuffer>> {
    this.require(address, count, place);
    return this.source.read(address, address + count, memory);
  }

  /** Counts the `bytes` of a dataset's values. Errors: FormatError once all are far more than the file can have. */
  declare(bytes: number, isDeflated: boolean, place: string): void {
    if (isDeflated) this.#deflated -= bytes;
    else this.#values -= bytes;
    if (this.#values >= 0 && this.#deflated >= 0) return;
    throw this.invalid(
      place,
      'the values of a file are in it.',
      'datasets that share bytes, and declare far more than the file has',
    );
  }

  /** Counts `count` bytes that are parsed. Errors: FormatError once they are far more than the file has. */
  spend(count: number, place: string): void {
    this.#budget -= count;
    if (this.#budget >= 0) return;
    throw this.invalid(
      place,
      'the structures of a file are no larger than the file.',
      'structures that share bytes, over and over',
    );
  }

  /** Returns the bytes of a structure, to be read field by field. Errors: FormatError. */
  async cursor(address: number, count: number, place: string): Promise<Cursor> {
    this.spend(count, place);
    return new Cursor(await this.bytes(address, count, place), this.context, place, this.sizes);
  }

  /** Up to `count` bytes at `address`: fewer at the end of the file. */
  async prefix(address: number, count: number, place: string): Promise<Cursor> {
    this.require(address, 0, place);
    return this.cursor(address, Math.min(count, this.size - address), place);
  }

  /** Errors: FormatError unless the `count` bytes at `address` are in the file. */
  require(address: number, count: number, place: string): void {
    if (address >= 0 && address + count <= this.size) return;
    throw this.invalid(
      place,
      'everything that the file names is in it.',
      address === undefinedAddress
        ? 'an undefined address'
        : `${count} bytes at ${address}, in a file of ${this.size}`,
    );
  }

  invalid(place: string, rule: string, received: string, hint?: string): Error {
    return fault(this.context, { place, rule, received, ...(hint === undefined ? {} : { hint }) });
  }
}
