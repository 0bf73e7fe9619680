/** @file ByteWriter: bytes that grow, and numbers written into them in little-endian order. */

export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  u8(...values: number[]): this {
    return this.append(Uint8Array.from(values));
  }

  u16(value: number): this {
    const at = this.#grow(2);
    this.#view.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
    return this;
  }

  u64(value: number): this {
    this.patch64(this.#grow(8), value);
    return this;
  }

  /** Writes the address that means "not stored". */
  undefinedAddress(): this {
    return this.u8(255, 255, 255, 255, 255, 255, 255, 255);
  }

  append(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  ascii(text: string): this {
    return this.append(new TextEncoder().encode(text));
  }

  zeros(count: number): this {
    this.#grow(count);
    return this;
  }

  align8(): this {
    return this.zeros((8 - (this.#length % 8)) % 8);
  }

  /** Overwrites the eight bytes at `at`. */
  patch64(at: number, value: number): void {
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  /** Adds `count` zero bytes, and returns their position. */
  #grow(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}
