/**
 * @file QuantizedTensor: a frozen matrix of weights in few bits, which kernels widen as they read it. Its memory layout is in
 * core/packedWeights.ts.
 */
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames, rejectExtraArguments } from '../core/options.ts';
import {
  floatBits,
  groupsPerLine,
  inLines,
  integersOf,
  isInteger,
  type NarrowFloat,
  packNibbles,
  packWeights,
  packZeros,
  type QuantizedFormat,
  quantizedFormats,
  unpackNibbles,
  unpackWeights,
  unpackZeros,
  weightsPerWord,
  wordsPerLine,
  zeroWordsPerLine,
} from '../core/packedWeights.ts';
import { describe, formatShape, requireBoolean, requireInteger, requireOneOf } from '../core/shape.ts';
import { tensor } from './create.ts';
import { keep, tidy } from './scope.ts';
import type { Tensor } from './tensor.ts';

/** How the weights of a matrix are stored. */
export interface QuantizedLayout {
  readonly format: QuantizedFormat;
  /** Lines of weights. */
  readonly channels: number;
  /** Weights of a channel. */
  readonly length: number;
  /** Consecutive weights of a channel that share a scale: `length`, or a multiple of the weights in 32 bits. */
  readonly groupSize: number;
  /** Whether a weight is the integer times its scale, or divided by it. */
  readonly scaling: 'multiply' | 'divide';
}

/** Values of a `quantizedTensor`. */
export interface QuantizedValues {
  /** How weights are stored: int8, int4, float16 or bfloat16. */
  readonly format: QuantizedFormat;
  /** [channels, length]; [length, channels] if `transposed`. */
  readonly shape: readonly number[];
  /**
   * In the order of `shape`. Integers of int8 and int4, one for each weight; for float16 and bfloat16 their bits in a Uint16Array,
   * or numbers, which are rounded.
   */
  readonly values: ArrayLike<number>;
  /**
   * Whether values, scales and zeros have the channels as last axis, as the kernel of a Keras `Dense`: [length, channels] and
   * [groups, channels]. Default false, as in PyTorch's `Linear` and embeddings: [channels, length] and [channels, groups].
   */
  readonly transposed?: boolean;
  /** A number for each group of each channel. Only integers have them. */
  readonly scales?: ArrayLike<number> | null;
  /** The integer that stands for 0, for each group of each channel, from -128 to 127. Default: 0 for all. */
  readonly zeros?: ArrayLike<number> | null;
  /** Consecutive weights of a channel that share a scale. Default: all of them. */
  readonly groupSize?: number;
  /** Whether a weight is the integer times its scale, or divided by it, as in Keras. Default 'multiply'. */
  readonly scaling?: 'multiply' | 'divide';
}

const names: OptionNames<QuantizedValues> = {
  format: false,
  shape: false,
  values: false,
  transposed: false,
  scales: false,
  zeros: false,
  groupSize: false,
  scaling: false,
};

const op = 'quantizedTensor';

/**
 * A frozen matrix of `channels` lines of `length` weights in few bits. Weight i of channel c is (q - zero) · scale, with the scale and
 * zero point of the group i / groupSize of its channel; or (q - zero) / scale. It lives until `dispose()`.
 */
export class QuantizedTensor implements QuantizedLayout {
  readonly format: QuantizedFormat;
  readonly channels: number;
  readonly length: number;
  readonly groupSize: number;
  readonly scaling: 'multiply' | 'divide';
  /** uint32 [channels, words]: weights, lowest bits first; lines are padded to a multiple of four words. */
  readonly packed: Tensor<'uint32'>;
  /** float32 [channels, groups]; null for float16 and bfloat16. */
  readonly scales: Tensor<'float32'> | null;
  /** uint32 [channels, words]: zero points in bytes, lowest bits first; null if all are 0. */
  readonly zeros: Tensor<'uint32'> | null;

  constructor(
    layout: QuantizedLayout,
    packed: Tensor<'uint32'>,
    scales: Tensor<'float32'> | null,
    zeros: Tensor<'uint32'> | null,
  ) {
    ({
      format: this.format,
      channels: this.channels,
      length: this.length,
      groupSize: this.groupSize,
      scaling: this.scaling,
    } = layout);
    this.packed = packed;
    this.scales = scales;
    this.zeros = zeros;
  }

  /** [channels, length]. */
  get shape(): readonly [channels: number, length: number] {
    return [this.channels, this.length];
  }

  /** Its tensors. */
  get tensors(): readonly Tensor[] {
    return [this.packed, this.scales, this.zeros].filter((part) => part !== null);
  }

  /** Bytes of weights, scales and zero points on the device. */
  get bytes(): number {
    return this.tensors.reduce((total, { size }) => total + 4 * size, 0);
  }

  /**
   * Reads what it was made of: integers, or the bits of floats, and scales and zero points, in the order [channels, length], or
   * [length, channels] if `transposed`.
   */
  async read({ transposed = false }: { transposed?: boolean } = {}): Promise<{
    values: Int8Array | Uint16Array;
    scales: Float32Array | null;
    zeros: Int8Array | null;
  }> {
    const { format, channels, length, groupSize } = this;
    const [packed, scales = null, zeros = null] = await Promise.all(
      [this.packed, this.scales, this.zeros].map((part) => part?.data() ?? null),
    );
    const groups = { channels, length: groupsPerLine(length, groupSize), transposed };
    // [groups, channels] seen as a matrix of as many channels as there are groups.
    const turned = { channels: groups.length, length: channels, transposed };
    return {
      values: unpackWeights(format, packed as Uint32Array, { channels, length, transposed }),
      scales: scales && (transposed ? inLines(scales as Float32Array, turned) : (scales as Float32Array)),
      zeros: zeros && unpackZeros(zeros as Uint32Array, groups),
    };
  }

  /** Frees its memory. */
  dispose(): void {
    for (const part of this.tensors) part.dispose();
  }
}

/**
 * Packs weights, which are checked, and uploads them. Errors: ShapeError for values, scales and zeros of another size; ValueError
 * for formats, group sizes, integers or zero points out of range, and scales that aren't finite, or divide and are 0.
 */
export function quantizedTensor(given: QuantizedValues): QuantizedTensor;
export function quantizedTensor(given: QuantizedValues, ...extra: unknown[]): QuantizedTensor {
  rejectExtraArguments(op, extra, ['values']);
  checkOptions(op, given, names);
  const { format, values, transposed = false, scaling = 'multiply', scales = null, zeros = null } = given;
  requireOneOf(op, 'format', format, quantizedFormats);
  requireOneOf(op, 'scaling', scaling, ['multiply', 'divide']);
  requireBoolean(op, 'transposed', transposed);
  const [channels, length] = sizesOf(given.shape, transposed);
  const { groupSize = length } = given;
  requireGroups(format, length, groupSize);
  const matrix = { channels, length, transposed };
  const groups = { channels, length: groupsPerLine(length, groupSize), transposed };
  requireCount('values', values, channels * length);
  requireScales(given, groups);
  const words = isInteger(format)
    ? checkedIntegers('values', values, integersOf(format))
    : bitsOf(format, values);
  const offsets = zeros && checkedIntegers('zeros', zeros, [-128, 127]);
  return tidy(() => {
    const packed = keep(
      tensor(packWeights(format, words, matrix), {
        shape: [channels, wordsPerLine(format, length)],
        dtype: 'uint32',
      }),
    );
    const ofGroups = scales && keep(tensor(inLines(scales, groups), { shape: [channels, groups.length] }));
    const ofZeros =
      offsets &&
      keep(
        tensor(packZeros(offsets, groups), {
          shape: [channels, zeroWordsPerLine(groups.length)],
          dtype: 'uint32',
        }),
      );
    return new QuantizedTensor({ format, channels, length, groupSize, scaling }, packed, ofGroups, ofZeros);
  });
}

function sizesOf(shape: unknown, transposed: boolean): readonly [channels: number, length: number] {
  const isMatrix =
    Array.isArray(shape) && shape.length === 2 && shape.every((n) => Number.isSafeInteger(n) && n >= 0);
  if (!isMatrix) {
    throw new ShapeError({
      op,
      rule: '`shape` is that of a matrix: [channels, length].',
      received: `shape: ${describe(shape)}`,
      hint: 'reshape the weights to two axes, of which one is summed over.',
    });
  }
  const [first, second] = shape as [number, number];
  return transposed ? [second, first] : [first, second];
}

function requireGroups(format: QuantizedFormat, length: number, groupSize: unknown): void {
  const unit = weightsPerWord(format);
  const fits =
    Number.isSafeInteger(groupSize) &&
    (groupSize === length || ((groupSize as number) > 0 && (groupSize as number) % unit === 0));
  if (fits && (isInteger(format) || groupSize === length)) return;
  throw new ValueError({
    op,
    rule: isInteger(format)
      ? `\`groupSize\` is the length of a channel, here ${length}, or a multiple of ${unit}.`
      : `only integers have groups.`,
    received: `groupSize: ${describe(groupSize)} of ${format}`,
    hint: 'quantize in groups of 32, 64 or 128.',
  });
}

function requireCount(name: string, values: unknown, count: number): asserts values is ArrayLike<number> {
  const length = (values as ArrayLike<number> | null)?.length;
  if (length === count) return;
  throw new ShapeError({
    op,
    rule: `\`${name}\` has ${count} numbers.`,
    received: length === undefined ? describe(values) : `${length} numbers`,
    hint:
      name === 'values'
        ? 'pass one number for each weight: unpackInt4(bytes, rows, length) unpacks two of each byte.'
        : 'there is one for each group of each channel.',
  });
}

function requireScales(
  { format, scales = null, zeros = null, scaling }: QuantizedValues,
  { channels, length }: { channels: number; length: number },
): void {
  if (!isInteger(format)) {
    if (scales === null && zeros === null) return;
    throw new ValueError({
      op,
      rule: 'only integers have scales and zero points.',
      received: `${scales ? 'scales' : 'zeros'} for ${format}`,
      hint: 'leave them out.',
    });
  }
  if (scales === null) {
    throw new ValueError({
      op,
      rule: 'integers have `scales`.',
      received: `${format} without scales`,
      hint: `pass one for each group of each channel: ${formatShape([channels, length])}.`,
    });
  }
  requireCount('scales', scales, channels * length);
  const isDivisor = scaling === 'divide';
  const rule = `finite float32 numbers${isDivisor ? ' other than 0, which divide' : ''}`;
  requireEach('scales', scales, rule, (scale) => {
    const rounded = typeof scale === 'number' ? Math.fround(scale) : Number.NaN;
    return Number.isFinite(rounded) && !(isDivisor && rounded === 0);
  });
  if (zeros !== null) requireCount('zeros', zeros, channels * length);
}

/** Errors: ValueError for the first of `values` for which `holds` isn't true. */
function requireEach(
  name: string,
  values: ArrayLike<unknown>,
  rule: string,
  holds: (value: unknown) => boolean,
  hint = 'pass the numbers of the file that the weights come from.',
): void {
  for (let i = 0; i < values.length; i++) {
    if (holds(values[i])) continue;
    throw new ValueError({
      op,
      rule: `\`${name}\` are ${rule}.`,
      received: `${describe(values[i])} at position ${i}`,
      hint,
    });
  }
}

/** Returns the integers. Errors: ValueError for any that is out of range. */
function checkedIntegers(
  name: string,
  values: ArrayLike<number>,
  [least, greatest]: readonly [number, number],
): ArrayLike<number> {
  requireEach(
    name,
    values,
    `integers from ${least} to ${greatest}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= greatest,
    `subtract ${least === -8 ? 8 : 128} of unsigned integers, and of their zero points.`,
  );
  return values;
}

function bitsOf(format: QuantizedFormat, values: ArrayLike<number>): ArrayLike<number> {
  if (values instanceof Uint16Array) return values;
  requireEach('values', values, 'numbers, or bits in a Uint16Array', (value) => typeof value === 'number');
  return floatBits(format as NarrowFloat, values);
}

/**
 * Integers of 4 bits from bytes that hold two each, the first in the lower bits, in `lines` of `length`: of what Keras's `pack_int4`
 * makes along the last axis. Errors: ShapeError for another number of bytes; ValueError for sizes that are no integers.
 */
export function unpackInt4(bytes: Int8Array | Uint8Array, lines: number, length: number): Int8Array {
  requireInteger('unpackInt4', 'length', length, 0);
  requireNibbles('unpackInt4', 'bytes', bytes, lines, Math.ceil(length / 2));
  return unpackNibbles(bytes, lines, length);
}

/**
 * The inverse of `unpackInt4`; lines of odd length end with a zero. Errors: ShapeError for another number of integers; ValueError for
 * any that is out of range, and for sizes that are no integers.
 */
export function packInt4(values: ArrayLike<number>, lines: number, length: number): Int8Array {
  requireInteger('packInt4', 'length', length, 0);
  requireNibbles('packInt4', 'values', values, lines, length);
  return packNibbles(checkedIntegers('values', values, [-8, 7]), lines, length);
}

function requireNibbles(by: string, name: string, values: unknown, lines: number, perLine: number): void {
  requireInteger(by, 'lines', lines, 0);
  const isList = Array.isArray(values) || ArrayBuffer.isView(values);
  const count = isList ? (values as unknown as ArrayLike<number>).length : undefined;
  if (count !== undefined && count === lines * perLine) return;
  throw new ShapeError({
    op: by,
    rule: `\`${name}\` has ${lines} lines of ${perLine}.`,
    received: count === undefined ? describe(values) : `${count} numbers`,
    hint: 'pass the number of lines and the integers in each.',
  });
}
