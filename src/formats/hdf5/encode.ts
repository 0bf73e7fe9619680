/** @file The structures of HDF5 files as bytes: datatypes, dataspaces, messages, object headers. */
import { ByteWriter } from './byteWriter.ts';

/** Element types that are written. */
export type WrittenType = 'float32' | 'int32' | 'uint32' | 'uint8' | 'int64';

const integers: Readonly<Record<Exclude<WrittenType, 'float32'>, { bytes: number; signed: boolean }>> = {
  int32: { bytes: 4, signed: true },
  uint32: { bytes: 4, signed: false },
  uint8: { bytes: 1, signed: false },
  int64: { bytes: 8, signed: true },
};

/** Bytes of an element. */
export function bytesOf(type: WrittenType): number {
  return type === 'float32' ? 4 : integers[type].bytes;
}

export interface Message {
  readonly type: number;
  readonly data: Uint8Array;
}

export function datatype(type: WrittenType): Uint8Array {
  if (type !== 'float32') return integerType(integers[type].bytes, integers[type].signed);
  // Sign in bit 31, 8 bits of exponent from bit 23, 23 bits of mantissa, bias 127.
  const writer = new ByteWriter().u8(0x11, 0x20, 0x1f, 0).u32(4).u16(0).u16(32);
  return writer.u8(23, 8, 0, 23).u32(127).bytes;
}

function integerType(bytes: number, signed: boolean): Uint8Array {
  return new ByteWriter()
    .u8(0x10, signed ? 0x08 : 0, 0, 0)
    .u32(bytes)
    .u16(0)
    .u16(bytes * 8).bytes;
}

/** A UTF-8 string of any length: a reference of 16 bytes to the global heap. */
function textType(): Uint8Array {
  return new ByteWriter().u8(0x19, 0x01, 0x01, 0).u32(16).append(integerType(1, false)).bytes;
}

export function dataspace(shape: readonly number[]): Uint8Array {
  const writer = new ByteWriter().u8(1, shape.length, 0, 0, 0, 0, 0, 0);
  for (const size of shape) writer.u64(size);
  return writer.bytes;
}

/** Returns the layout message for contiguous values. The address is written later, at `layoutAddress` of the message. */
export function contiguousLayout(bytes: number): Uint8Array {
  return new ByteWriter().u8(3, 1).u64(0).u64(bytes).bytes;
}

/** Where the address is in a layout message. */
export const layoutAddress = 2;

/** Values that were never written are zeros. */
export const defaultFill: Uint8Array = /* @__PURE__ */ Uint8Array.of(2, 2, 2, 1, 0, 0, 0, 0);

/** A string with its reference to the global heap. */
export interface HeapText {
  readonly bytes: number;
  readonly address: number;
  readonly index: number;
}

export function textAttribute(name: string, { bytes, address, index }: HeapText): Uint8Array {
  const encoded = new TextEncoder().encode(`${name}\0`);
  const [type, space] = [textType(), dataspace([])];
  const writer = new ByteWriter().u8(1, 0).u16(encoded.length).u16(type.length).u16(space.length);
  writer.append(encoded).align8().append(type).align8().append(space).align8();
  return writer.u32(bytes).u64(address).u32(index).bytes;
}

export function symbolTable(tree: number, heap: number): Uint8Array {
  return new ByteWriter().u64(tree).u64(heap).bytes;
}

/** Bytes of a message before its data. */
export const messageHeaderBytes = 8;

export function objectHeader(messages: readonly Message[]): Uint8Array {
  const body = new ByteWriter();
  for (const { type, data } of messages) {
    const padded = Math.ceil(data.length / 8) * 8;
    body.u16(type).u16(padded).u8(0, 0, 0, 0).append(data).align8();
  }
  const writer = new ByteWriter().u8(1, 0).u16(messages.length).u32(1).u32(body.length).zeros(4);
  return writer.append(body.bytes).bytes;
}
