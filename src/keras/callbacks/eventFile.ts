/**
 * @file The files that TensorBoard reads: records of events, each with its length and checksums. Formats: TensorFlow's
 * record_writer.h (records), event.proto and summary.proto (events), RFC 3720 B.4 (CRC32C).
 */

/** A value of a curve. */
export interface Scalar {
  readonly tag: string;
  readonly value: number;
}

/** Wire types of protocol buffers. */
const wire = { varint: 0, double: 1, bytes: 2, float: 5 } as const;

/** The first event of a file: the version, which readers expect. */
export function versionEvent(seconds: number): Uint8Array<ArrayBuffer> {
  return record([...field(1, wire.double, doubleBytes(seconds)), ...text(3, 'brain.Event:2')]);
}

/** An event with scalars at a step, as one record. */
export function scalarEvent(
  seconds: number,
  step: number,
  scalars: readonly Scalar[],
): Uint8Array<ArrayBuffer> {
  const values = scalars.flatMap(({ tag, value }) =>
    message(1, [...text(1, tag), ...field(2, wire.float, floatBytes(value))]),
  );
  return record([
    ...field(1, wire.double, doubleBytes(seconds)),
    ...field(2, wire.varint, varint(step)),
    ...message(5, values),
  ]);
}

/** length, masked checksum of the length, data, masked checksum of the data. */
function record(data: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(data.length + 16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length, true);
  view.setUint32(8, masked(crc32c(bytes.subarray(0, 8))), true);
  bytes.set(data, 12);
  view.setUint32(12 + data.length, masked(crc32c(bytes.subarray(12, 12 + data.length))), true);
  return bytes;
}

const field = (number: number, type: number, bytes: readonly number[]) => [(number << 3) | type, ...bytes];
const message = (number: number, bytes: readonly number[]) =>
  field(number, wire.bytes, [...varint(bytes.length), ...bytes]);
const text = (number: number, value: string) => message(number, [...new TextEncoder().encode(value)]);

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

const doubleBytes = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)];
const floatBytes = (value: number) => [...new Uint8Array(Float32Array.of(value).buffer)];

/** Rotates a checksum and adds a constant: a plain checksum of data that contain checksums would be weak. */
function masked(checksum: number): number {
  return (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0;
}

/** The Castagnoli polynomial, from the lowest bit up. */
const polynomial = 0x82f63b78;

export function crc32c(bytes: Uint8Array): number {
  let checksum = 0xffffffff;
  for (const byte of bytes) {
    checksum ^= byte;
    for (let bit = 0; bit < 8; bit++) checksum = (checksum >>> 1) ^ (checksum & 1 ? polynomial : 0);
  }
  return ~checksum >>> 0;
}
