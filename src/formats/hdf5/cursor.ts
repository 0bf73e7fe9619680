/** @file Cursor: reads the fields of a structure from its bytes. An incomplete field is a FormatError. */
import { ByteFields } from '../byteFields.ts';
import { fault, type FileContext } from '../formatErrors.ts';

/** Bytes of addresses and of lengths, which the superblock sets. */
export interface FieldSizes {
  readonly offset: number;
  readonly length: number;
}

/** The address that means "not stored". */
export const undefinedAddress = -1;

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class Cursor extends ByteFields {
  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    readonly context: FileContext,
    /** The structure that is read, for errors. */
    readonly place: string,
    readonly sizes: FieldSizes,
  ) {
    super(bytes);
  }

  /** Returns a second cursor over the same bytes, at their start. */
  restarted(): Cursor {
    return new Cursor(this.bytes, this.context, this.place, this.sizes);
  }

  /** Reads an unsigned integer of `bytes` bytes. Errors: FormatError beyond 2^53. */
  unsigned(bytes: number): number {
    const start = this.advance(bytes);
    let value = 0;
    for (let i = bytes - 1; i >= 0; i--) value = value * 256 + this.view.getUint8(start + i);
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    throw this.invalid('sizes and positions are less than 2^53.', `about ${value}`);
  }

  length(): number {
    return this.unsigned(this.sizes.length);
  }

  /** Reads an address, or `undefinedAddress`. */
  address(): number {
    const { offset } = this.sizes;
    const start = this.position;
    const field = this.take(offset);
    if (field.every((byte) => byte === 0xff)) return undefinedAddress;
    this.position = start;
    return this.unsigned(offset);
  }

  take(count: number): Uint8Array<ArrayBuffer> {
    const start = this.advance(count);
    return this.bytes.subarray(start, start + count);
  }

  /** Returns a new cursor over the next `count` bytes. */
  part(count: number): Cursor {
    return new Cursor(this.take(count), this.context, this.place, this.sizes);
  }

  skip(count: number): void {
    this.advance(count);
  }

  /** Skips to the next multiple of 8, counted from `start`. */
  align8(start: number): void {
    this.skip((8 - ((this.position - start) % 8)) % 8);
  }

  /** Reads a string of `count` bytes; what comes after a zero byte is not part of it. */
  string(count: number): string {
    return decodeText(this.take(count), (rule, received) => this.invalid(rule, received));
  }

  /** Reads `signature`. Errors: FormatError for other bytes. */
  expect(signature: string): void {
    const found = String.fromCharCode(...this.take(signature.length));
    if (found === signature) return;
    throw this.invalid(`the structure starts with '${signature}'.`, JSON.stringify(found));
  }

  /** Reads the version, which must be one of `known`. Errors: FormatError. */
  version(...known: number[]): number {
    const version = this.u8();
    if (known.includes(version)) return version;
    throw this.invalid(`versions ${known.join(', ')} of this structure can be read.`, `version ${version}`);
  }

  invalid(rule: string, received: string, hint?: string): Error {
    const { context, place } = this;
    return fault(context, { place, rule, received, ...(hint === undefined ? {} : { hint }) });
  }

  protected override missing(count: number): Error {
    return this.invalid(
      'a structure has all its fields.',
      `${this.left} bytes where ${count} more are needed`,
    );
  }
}

/** UTF-8 up to the first zero byte. `invalid` makes the error for other text. */
export function decodeText(bytes: Uint8Array, invalid: (rule: string, received: string) => Error): string {
  const end = bytes.indexOf(0);
  try {
    return text.decode(end < 0 ? bytes : bytes.subarray(0, end));
  } catch {
    throw invalid('text is UTF-8.', 'other bytes');
  }
}
