/** @file ByteFields: fields of bytes, read one after the other. Little-endian. */
export abstract class ByteFields {
  /** Position of the next byte. */
  position: number;
  protected readonly view: DataView;

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    position = 0,
  ) {
    this.position = position;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Number of bytes that haven't been read yet. */
  get left(): number {
    return this.bytes.byteLength - this.position;
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  /** Skips `count` bytes, and returns the position before them. */
  protected advance(count: number): number {
    const start = this.position;
    if (count > this.left) throw this.missing(count);
    this.position += count;
    return start;
  }

  /** The error where fewer than `count` bytes are left. */
  protected abstract missing(count: number): Error;
}
