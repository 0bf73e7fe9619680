/**
 * @file Rounds weights to integers of 8 or 4 bits as Keras 3.15 does, on the host, where divisions are exact to the last bit.
 */
import { roundHalfEven } from '../../../core/integers.ts';
import { FormatError } from '../../../core/errors.ts';
import { isNarrowFloat } from '../../../core/packedWeights.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Quantization } from './quantization.ts';
import type { Sizes } from './weights.ts';

/** A matrix whose values along one axis share scales: [lines, length] or [length, lines]. */
interface Lines {
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
function quantizeLines(given: Lines, [low, high]: readonly [number, number]): Quantized {
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
function quantizeGroups(given: Lines, block: number): Quantized {
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
function packRows(integers: Int32Array, columns: number): Int32Array {
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

/** Values of the weights of a layer, in the order of elements in files. */
export type FileValues = ReadonlyMap<Variable, Int32Array | Float32Array>;

/** Quantizes a kernel as the weights `saved` are. Errors: FormatError for axes in an order that isn't that of a matrix. */
export function requantized(
  { mode, block }: Quantization,
  { rows, columns, places }: Sizes,
  saved: readonly (Variable | null)[],
  values: Float32Array,
): FileValues {
  const [kernel, scale, zero, groups] = saved.filter((weight) => weight !== null) as [
    Variable,
    Variable,
    Variable?,
    Variable?,
  ];
  // Files have the kernel of float8, and those of 16 bits, in float32.
  if (mode === 'float8' || isNarrowFloat(mode)) return new Map([[kernel, values]]);
  if (!places?.columns.every((place, c) => place === c)) {
    throw new FormatError({
      op: 'save',
      rule: 'a kernel is quantized if the axes that are summed come first.',
      received: 'an einsum layer with another order of axes',
      hint: 'save the adapter on its own by saveAdapter, or leave the layer out of `filters`.',
    });
  }
  const lines = { values, lines: columns, length: rows, isAlongRows: false };
  return quantizedValues(lines, mode === 'int4', block, columns, [kernel, scale, zero, groups]);
}

/** Values of a matrix with a scale for each line, or a scale and a zero for each group of a line. */
export function quantizedValues(
  lines: Lines,
  isPairs: boolean,
  block: number | null,
  columns: number,
  [kernel, scale, zero, groups]: readonly [Variable, Variable, Variable?, Variable?],
): FileValues {
  const isGrouped = isPairs && block !== null;
  const made = isGrouped
    ? quantizeGroups(lines, block)
    : quantizeLines(lines, isPairs ? [-8, 7] : [-127, 127]);
  const integers = isPairs ? packRows(made.integers, columns) : made.integers;
  const found = new Map<Variable, Int32Array | Float32Array>([
    [kernel, integers],
    [scale, made.scale],
  ]);
  if (!isGrouped || !zero || !groups) return found;
  const numbers = Float32Array.from({ length: lines.length }, (_, i) => Math.floor(i / block));
  return found.set(zero, made.zero).set(groups, numbers);
}
