/**
 * @file Storage: the addresses of a file. Every range is checked against the file before it is read, so that what a file
 * declares never decides how much memory is taken.
 */
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { Cursor, type FieldSizes, undefinedAddress } from './cursor.ts';

export class Storage {
  constructor(
    private readonly source: ByteSource,
    readonly context: FileContext,
    readonly sizes: FieldSizes,
  ) {}

  get size(): number {
    return this.source.size;
  }

  /** The `count` bytes at `address`. Errors: FormatError where they aren't all in the file. */
  async bytes(address: number, count: number, place: string): Promise<Uint8Array<ArrayBuffer>> {
    this.require(address, count, place);
    return this.source.read(address, address + count);
  }

  /** The same, to be read field by field. */
  async cursor(address: number, count: number, place: string): Promise<Cursor> {
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
    throw this.refuse(
      place,
      'everything that the file names is in it.',
      address === undefinedAddress
        ? 'an undefined address'
        : `${count} bytes at ${address}, in a file of ${this.size}`,
    );
  }

  refuse(place: string, rule: string, received: string, hint?: string): Error {
    return fault(this.context, { place, rule, received, ...(hint === undefined ? {} : { hint }) });
  }
}
