/** @file The bytes of a pickle, read one argument after the other. */
import { ByteFields } from '../byteFields.ts';
import { fault, type FileContext } from '../formatErrors.ts';

interface Place {
  readonly context: FileContext;
  readonly place: string;
}

/** Limit of the bytes of an integer; the longest that is needed, the magic number, has ten. */
const maxIntegerBytes = 16;
const maxNameBytes = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class PickleBytes extends ByteFields {
  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    begin: number,
    private readonly from: Place,
  ) {
    super(bytes, begin);
  }

  i32(): number {
    return this.view.getInt32(this.advance(4), true);
  }

  u64(): number {
    return Number(this.view.getBigUint64(this.advance(8), true));
  }

  f64(): number {
    return this.view.getFloat64(this.advance(8), false);
  }

  /** Reads a two's complement integer, little-endian. */
  integer(length: number): number | bigint {
    if (length > maxIntegerBytes)
      throw this.#invalid(`integers have at most ${maxIntegerBytes} bytes.`, `${length}`);
    const begin = this.advance(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = value * 256n + BigInt(this.bytes[begin + i] as number);
    const signed = BigInt.asIntN(8 * length, value);
    const number = Number(signed);
    return Number.isSafeInteger(number) ? number : signed;
  }

  text(length: number): string {
    const begin = this.advance(length);
    try {
      return utf8.decode(this.bytes.subarray(begin, begin + length));
    } catch {
      throw this.#invalid('strings are UTF-8.', 'other bytes');
    }
  }

  latin1(length: number): string {
    const begin = this.advance(length);
    return String.fromCharCode(...this.bytes.subarray(begin, begin + length));
  }

  /** Text to the end of the line. */
  line(): string {
    const end = this.bytes.indexOf(0x0a, this.position);
    if (end < 0 || end - this.position > maxNameBytes)
      throw this.#invalid(`a name ends after at most ${maxNameBytes} bytes.`, 'no end');
    const line = this.text(end - this.position);
    this.position = end + 1;
    return line;
  }

  protected override missing(): Error {
    return this.#invalid('a pickle ends with its last operation.', 'the end of the bytes');
  }

  #invalid(rule: string, received: string): Error {
    const { context, place } = this.from;
    return fault(context, { place: `${place}, byte ${this.position}`, rule, received });
  }
}
