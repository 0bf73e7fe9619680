/**
 * @file Rounds weights to integers of 8 or 4 bits as Keras 3.15 does, on the host, where divisions are exact to the last bit.
 */
import { roundHalfEven } from '../../../core/integers.ts';

/** A matrix whose values along one axis share scales: [lines, length] or [length, lines]. */
export interface Lines {
  readonly values: Float32Array;
  /** Number of lines, each with scales of its own. */
  readonly lines: number;
  /** Number of values in a line. */
  readonly length: number;
  /** Whether the values of a line are next to each other. */
  readonly isAlongRows: boolean;
}

/** Integers in the layout of the values; scales and zeros [groups, lines], or [lines, groups] along rows. */
export interface Quantized {
  readonly integers: Int32Array;
  readonly scale: Float32Array;
  readonly zero: Int32Array;
}

const epsilon = Math.fround(1e-7);

/** Rounds to the integers of `range`, with one scale for each line: Keras's abs_max_quantize. */
export function quantizeLines(given: Lines, [low, high]: readonly [number, number]): Quantized {
  const { values, lines, length } = given;
  const at = placesOf(given);
  const integers = new Int32Array(values.length);
  const scale = new Float32Array(lines);
  for (let line = 0; line < lines; line++) {
    let largest = 0;
    for (let i = 0; i < length; i++) largest = Math.max(largest, Math.abs(values[at(line, i)] as number));
    const factor = Math.fround(high / Math.fround(largest + epsilon));
    scale[line] = factor;
    for (let i = 0; i < length; i++) {
      const place = at(line, i);
      integers[place] = clipped(roundHalfEven(Math.fround((values[place] as number) * factor)), low, high);
    }
  }
  return { integers, scale, zero: new Int32Array() };
}

/** Rounds to 4 bits, with a scale and a zero for each group of `block` values: Keras's abs_max_quantize_grouped_with_zero_point. */
export function quantizeGroups(given: Lines, block: number): Quantized {
  const { values, lines, length, isAlongRows } = given;
  const at = placesOf(given);
  const groups = Math.ceil(length / block);
  const integers = new Int32Array(values.length);
  const scale = new Float32Array(groups * lines);
  const zero = new Int32Array(groups * lines);
  for (let line = 0; line < lines; line++) {
    for (let group = 0; group < groups; group++) {
      const [begin, end] = [group * block, Math.min(length, (group + 1) * block)];
      // Keras fills the last group up with zeros.
      const isFilled = end - begin < block;
      let [least, largest] = isFilled ? [0, 0] : [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let i = begin; i < end; i++) {
        const value = values[at(line, i)] as number;
        least = Math.min(least, value);
        largest = Math.max(largest, value);
      }
      const step = Math.fround(Math.fround(Math.fround(largest - least) + epsilon) / 15);
      const shift = clipped(roundHalfEven(Math.fround(-least / step)) - 8, -8, 7);
      const place = isAlongRows ? line * groups + group : group * lines + line;
      scale[place] = step;
      zero[place] = shift;
      for (let i = begin; i < end; i++) {
        const rounded = roundHalfEven(Math.fround((values[at(line, i)] as number) / step));
        integers[at(line, i)] = clipped(rounded + shift, -8, 7);
      }
    }
  }
  return { integers, scale, zero };
}

/** Packs rows of 4-bit integers in pairs, the lower half of a byte first: Keras's pack_int4 along the last axis. */
export function packRows(integers: Int32Array, columns: number): Int32Array {
  const width = Math.ceil(columns / 2);
  const rows = integers.length / columns;
  const packed = new Int32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < width; i++) {
      const low = integers[row * columns + 2 * i] as number;
      const high = 2 * i + 1 < columns ? (integers[row * columns + 2 * i + 1] as number) : 0;
      packed[row * width + i] = (((low & 15) | (high << 4)) << 24) >> 24;
    }
  }
  return packed;
}

function placesOf({ lines, length, isAlongRows }: Lines): (line: number, i: number) => number {
  return isAlongRows ? (line, i) => line * length + i : (line, i) => i * lines + line;
}

function clipped(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
