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
  return event(seconds, step, values);
}

/** The values of a weight, and their name. */
export interface Histogram {
  readonly tag: string;
  readonly values: ArrayLike<number>;
}

/** Bars of a histogram, as in TensorFlow's summaries. */
const bars = 30;

/** An event with a histogram at a step: bars of one width from the lowest finite value to the highest. */
export function histogramEvent(
  seconds: number,
  step: number,
  { tag, values }: Histogram,
): Uint8Array<ArrayBuffer> {
  const finite = Array.from(values).filter(Number.isFinite);
  let [low, high, total, squares] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const value of finite) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    total += value;
    squares += value * value;
  }
  if (finite.length === 0) [low, high] = [0, 0];
  // A bar around values that are all the same.
  const [from, width] = high > low ? [low, (high - low) / bars] : [low - 0.5, 1 / bars];
  const counts = new Array<number>(bars).fill(0);
  for (const value of finite) {
    const bar = Math.min(bars - 1, Math.floor((value - from) / width));
    counts[bar] = (counts[bar] as number) + 1;
  }
  const limits = counts.map((_, i) => from + (i + 1) * width);
  const doubles = (number: number, list: readonly number[]) => message(number, list.flatMap(doubleBytes));
  const histogram = [
    ...[low, high, finite.length, total, squares].flatMap((value, i) =>
      field(i + 1, wire.double, doubleBytes(value)),
    ),
    ...doubles(6, limits),
    ...doubles(7, counts),
  ];
  return event(seconds, step, message(1, [...text(1, tag), ...message(5, histogram)]));
}

function event(seconds: number, step: number, values: readonly number[]): Uint8Array<ArrayBuffer> {
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
