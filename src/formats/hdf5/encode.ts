/** @file The structures of HDF5 files as bytes: datatypes, dataspaces, messages, object headers. */
import { ByteWriter } from './byteWriter.ts';

type WrittenInteger = 'int32' | 'uint32' | 'int8' | 'uint8' | 'int64';
type WrittenFloat = 'float16' | 'float32' | 'float64';

/** Element types that are written. HDF5 has no bfloat16: as in h5py, it is two bytes without a meaning. */
export type WrittenType = WrittenInteger | WrittenFloat | 'bfloat16';

const integers: Readonly<Record<WrittenInteger, { bytes: number; signed: boolean }>> = {
  int8: { bytes: 1, signed: true },
  int32: { bytes: 4, signed: true },
  uint32: { bytes: 4, signed: false },
  uint8: { bytes: 1, signed: false },
  int64: { bytes: 8, signed: true },
};

/** Bits of exponent and mantissa. */
const floats: Readonly<Record<WrittenFloat, { bytes: number; exponent: number; mantissa: number }>> = {
  float16: { bytes: 2, exponent: 5, mantissa: 10 },
  float32: { bytes: 4, exponent: 8, mantissa: 23 },
  float64: { bytes: 8, exponent: 11, mantissa: 52 },
};

/** Bytes of an element. */
export function bytesOf(type: WrittenType): number {
  return type === 'bfloat16' ? 2 : { ...integers, ...floats }[type].bytes;
}

export interface Message {
  readonly type: number;
  readonly data: Uint8Array;
}

export function datatype(type: WrittenType): Uint8Array {
  if (type === 'bfloat16') return new ByteWriter().u8(0x15, 0, 0, 0).u32(2).bytes;
  return type in floats
    ? floatType(type as WrittenFloat)
    : integerType(integers[type as WrittenInteger].bytes, integers[type as WrittenInteger].signed);
}

/** Mantissa, then exponent, then the sign in the highest bit; the bias is half of the exponent's range. */
function floatType(type: WrittenFloat): Uint8Array {
  const { bytes, exponent, mantissa } = floats[type];
  const bits = 8 * bytes;
  const writer = new ByteWriter()
    .u8(0x11, 0x20, bits - 1, 0)
    .u32(bytes)
    .u16(0)
    .u16(bits);
  return writer.u8(mantissa, exponent, 0, mantissa).u32(2 ** (exponent - 1) - 1).bytes;
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
