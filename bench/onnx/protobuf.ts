/**
 * @file The few wire types of Protocol Buffers that an ONNX model needs.
 * Source: https://protobuf.dev/programming-guides/encoding/
 */

/** A message under construction: fields are appended in the order of the calls. */
export class Message {
  readonly #parts: Uint8Array[] = [];

  integer(field: number, value: number | bigint): this {
    return this.#tag(field, 0).#varint(BigInt(value));
  }

  float(field: number, value: number): this {
    this.#tag(field, 5);
    this.#parts.push(new Uint8Array(new Float32Array([value]).buffer));
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.finish());
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2).#varint(BigInt(value.length));
    this.#parts.push(value);
    return this;
  }

  finish(): Uint8Array<ArrayBuffer> {
    const result = new Uint8Array(this.#parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      result.set(part, at);
      at += part.length;
    }
    return result;
  }

  #tag(field: number, wireType: number): this {
    return this.#varint(BigInt((field << 3) | wireType));
  }

  /** Seven bits per byte, least significant first; negative numbers as 64-bit two's complement. */
  #varint(value: bigint): this {
    let rest = BigInt.asUintN(64, value);
    const bytes: number[] = [];
    do {
      const low = Number(rest & 127n);
      rest >>= 7n;
      bytes.push(rest > 0n ? low | 128 : low);
    } while (rest > 0n);
    this.#parts.push(Uint8Array.from(bytes));
    return this;
  }
}
