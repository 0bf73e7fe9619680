/** @file The bytes of a pickle, read one argument after the other. */
import { fault, type FileContext } from '../formatErrors.ts';

interface Place {
  readonly context: FileContext;
  readonly place: string;
}

/** Digits of an integer that anything needs: the magic number has ten bytes. */
const maxIntegerBytes = 16;
const maxNameBytes = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class PickleBytes {
  #at: number;
  readonly #view: DataView;

  constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    begin: number,
    private readonly from: Place,
  ) {
    this.#at = begin;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Of the next byte. */
  get position(): number {
    return this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  u64(): number {
    return Number(this.#view.getBigUint64(this.#take(8), true));
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), false);
  }

  /** A two's complement integer, little-endian. */
  integer(length: number): number | bigint {
    if (length > maxIntegerBytes)
      throw this.#refuse(`integers have at most ${maxIntegerBytes} bytes.`, `${length}`);
    const begin = this.#take(length);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = value * 256n + BigInt(this.bytes[begin + i] as number);
    const signed = BigInt.asIntN(8 * length, value);
    const number = Number(signed);
    return Number.isSafeInteger(number) ? number : signed;
  }

  text(length: number): string {
    const begin = this.#take(length);
    try {
      return utf8.decode(this.bytes.subarray(begin, begin + length));
    } catch {
      throw this.#refuse('strings are UTF-8.', 'other bytes');
    }
  }

  latin1(length: number): string {
    const begin = this.#take(length);
    return String.fromCharCode(...this.bytes.subarray(begin, begin + length));
  }

  /** Text to the end of the line. */
  line(): string {
    const end = this.bytes.indexOf(0x0a, this.#at);
    if (end < 0 || end - this.#at > maxNameBytes)
      throw this.#refuse(`a name ends after at most ${maxNameBytes} bytes.`, 'no end');
    const line = this.text(end - this.#at);
    this.#at = end + 1;
    return line;
  }

  #take(length: number): number {
    const begin = this.#at;
    if (length > this.bytes.length - begin)
      throw this.#refuse('a pickle ends with its last operation.', 'the end of the bytes');
    this.#at = begin + length;
    return begin;
  }

  #refuse(rule: string, received: string): Error {
    const { context, place } = this.from;
    return fault(context, { place: `${place}, byte ${this.#at}`, rule, received });
  }
}
