/**
 * @file The layout of packed weights: a matrix of channels, each a line of weights in words of 32 bits, lowest bits first. A line is
 * padded with zeros to a multiple of four words, so that kernels read four words at a time.
 */
import { bfloat16ToNumber, numberToBfloat16 } from './bfloat16.ts';
import { float16ToNumber, numberToFloat16 } from './float16.ts';

/** How a weight is stored: a signed integer of 8 or 4 bits, or a float of 16. */
export type QuantizedFormat = 'int8' | 'int4' | NarrowFloat;

/** A float of 16 bits. */
export type NarrowFloat = 'float16' | 'bfloat16';

export const quantizedFormats: readonly QuantizedFormat[] = ['int8', 'int4', 'float16', 'bfloat16'];

const bits: Readonly<Record<QuantizedFormat, 4 | 8 | 16>> = { int8: 8, int4: 4, float16: 16, bfloat16: 16 };

/** Returns whether weights are integers, which have scales. */
export const isInteger = (format: QuantizedFormat) => format === 'int8' || format === 'int4';

/** Weights in a word. */
export const weightsPerWord = (format: QuantizedFormat) => 32 / bits[format];

/** Words of a line of `length` weights. */
export const wordsPerLine = (format: QuantizedFormat, length: number) =>
  4 * Math.ceil(length / (4 * weightsPerWord(format)));

/** Groups of a line of `length` weights. */
export const groupsPerLine = (length: number, groupSize: number) =>
  Math.ceil(length / Math.max(1, groupSize));

/** Words of a line's zero points: one byte for each group. */
export const zeroWordsPerLine = (groups: number) => Math.ceil(groups / 4);

/** The least and the greatest integer of a format. */
export function integersOf(format: QuantizedFormat): readonly [number, number] {
  return format === 'int4' ? [-8, 7] : [-128, 127];
}

/** Where the weights of a matrix are read: `at(channel, i)`. */
export interface Matrix {
  readonly channels: number;
  readonly length: number;
  /** Whether values are stored as [length, channels]. */
  readonly transposed: boolean;
}

/** The position of weight `i` of `channel` in the values of a matrix. */
const place = ({ channels, length, transposed }: Matrix, channel: number, i: number) =>
  transposed ? i * channels + channel : channel * length + i;

/** Packs the bits of weights, 4, 8 or 16 of each value. */
export function packWeights(
  format: QuantizedFormat,
  values: ArrayLike<number>,
  matrix: Matrix,
): Uint32Array<ArrayBuffer> {
  const { channels, length } = matrix;
  const words = wordsPerLine(format, length);
  const [width, per] = [bits[format], weightsPerWord(format)];
  const mask = 2 ** width - 1;
  const packed = new Uint32Array(channels * words);
  for (let channel = 0; channel < channels; channel++)
    for (let i = 0; i < length; i++) {
      const at = channel * words + Math.floor(i / per);
      const value = (values[place(matrix, channel, i)] as number) & mask;
      packed[at] = (packed[at] as number) | (value << ((i % per) * width));
    }
  return packed;
}

/** The inverse of `packWeights`: integers with their signs, or the bits of floats. */
export function unpackWeights(
  format: QuantizedFormat,
  packed: Uint32Array,
  matrix: Matrix,
): Int8Array | Uint16Array {
  const { channels, length } = matrix;
  const words = wordsPerLine(format, length);
  const [width, per] = [bits[format], weightsPerWord(format)];
  const values = isInteger(format) ? new Int8Array(channels * length) : new Uint16Array(channels * length);
  for (let channel = 0; channel < channels; channel++)
    for (let i = 0; i < length; i++) {
      const word = packed[channel * words + Math.floor(i / per)] as number;
      const shifted = word << (32 - width - (i % per) * width);
      // Arithmetic, so that the sign is kept.
      values[place(matrix, channel, i)] = shifted >> (32 - width);
    }
  return values;
}

/** Packs zero points, one byte for each group of a channel; lines are padded to words. */
export function packZeros(values: ArrayLike<number>, matrix: Matrix): Uint32Array<ArrayBuffer> {
  const { channels, length } = matrix;
  const words = zeroWordsPerLine(length);
  const packed = new Uint32Array(channels * words);
  for (let channel = 0; channel < channels; channel++)
    for (let i = 0; i < length; i++) {
      const at = channel * words + (i >> 2);
      const value = (values[place(matrix, channel, i)] as number) & 0xff;
      packed[at] = (packed[at] as number) | (value << ((i & 3) * 8));
    }
  return packed;
}

/** The inverse of `packZeros`. */
export function unpackZeros(packed: Uint32Array, matrix: Matrix): Int8Array {
  const { channels, length } = matrix;
  const words = zeroWordsPerLine(length);
  const values = new Int8Array(channels * length);
  for (let channel = 0; channel < channels; channel++)
    for (let i = 0; i < length; i++)
      values[place(matrix, channel, i)] = (packed[channel * words + (i >> 2)] as number) >> ((i & 3) * 8);
  return values;
}

/** Values in the order [channels, length]. */
export function inLines(values: ArrayLike<number>, matrix: Matrix): Float32Array<ArrayBuffer> {
  const { channels, length } = matrix;
  const lines = new Float32Array(channels * length);
  for (let channel = 0; channel < channels; channel++)
    for (let i = 0; i < length; i++)
      lines[channel * length + i] = values[place(matrix, channel, i)] as number;
  return lines;
}

/** Returns whether a format, or the mode of a layer, is a float of 16 bits. */
export const isNarrowFloat = (format: string): format is NarrowFloat =>
  format === 'float16' || format === 'bfloat16';

/** The bits of `values` as 16-bit floats. */
export function floatBits(format: NarrowFloat, values: ArrayLike<number>): Uint16Array<ArrayBuffer> {
  return Uint16Array.from(values, format === 'float16' ? numberToFloat16 : numberToBfloat16);
}

/** The inverse of `floatBits`. */
export function floatsOfBits(format: NarrowFloat, bits: ArrayLike<number>): Float32Array<ArrayBuffer> {
  return Float32Array.from(bits, format === 'float16' ? float16ToNumber : bfloat16ToNumber);
}

/**
 * Integers of 4 bits from bytes that hold two each, the first in the lower bits, along lines of `length`: what Keras's
 * `pack_int4` makes of the last axis.
 */
export function unpackNibbles(
  bytes: Int8Array | Uint8Array,
  lines: number,
  length: number,
): Int8Array<ArrayBuffer> {
  const perLine = Math.ceil(length / 2);
  const values = new Int8Array(lines * length);
  for (let line = 0; line < lines; line++)
    for (let i = 0; i < length; i++) {
      const byte = bytes[line * perLine + (i >> 1)] as number;
      values[line * length + i] = (byte << (i & 1 ? 24 : 28)) >> 28;
    }
  return values;
}

/** The inverse of `unpackNibbles`; lines of odd length end with a zero. */
export function packNibbles(
  values: ArrayLike<number>,
  lines: number,
  length: number,
): Int8Array<ArrayBuffer> {
  const perLine = Math.ceil(length / 2);
  const bytes = new Int8Array(lines * perLine);
  for (let line = 0; line < lines; line++)
    for (let i = 0; i < length; i++) {
      const at = line * perLine + (i >> 1);
      bytes[at] = (bytes[at] as number) | (((values[line * length + i] as number) & 15) << (4 * (i & 1)));
    }
  return bytes;
}
