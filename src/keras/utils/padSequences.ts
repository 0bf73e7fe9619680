/** @file padSequences: pads or truncates sequences to the same length. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf } from '../../core/options.ts';
import { describe, requireFinite, requireInteger, requireOneOf, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { NestedArray, Tensor } from '../../tensor/tensor.ts';
import { type Numbers, numbersOf } from '../../core/nestedNumbers.ts';

export interface PadSequencesOptions {
  /** The length of the result. Default: that of the longest sequence. */
  maxlen?: number | null;
  /** Dtype of the result. Default 'int32'. */
  dtype?: 'int32' | 'float32';
  /** Whether values are added before a short sequence ('pre', the default) or after it. */
  padding?: 'pre' | 'post';
  /** Whether the first values of a long sequence are left out ('pre', the default), or the last. */
  truncating?: 'pre' | 'post';
  /** The value that short sequences are padded with. Default 0. */
  value?: number;
}

const optionNames: OptionNames<PadSequencesOptions> = {
  maxlen: true,
  dtype: true,
  padding: true,
  truncating: true,
  value: true,
};

const sides = ['pre', 'post'] as const;
const dtypes: readonly DType[] = ['int32', 'float32'];

/**
 * Lists of numbers as the rows of one tensor: short ones are padded, long ones truncated. The items may also be lists of equal
 * shapes, such as the features of steps. Shapes: n lists of items [..item] → [n, maxlen, ..item].
 *
 *     const x = padSequences([[1], [2, 3], [4, 5, 6]], { maxlen: 2 });   // [[0, 1], [2, 3], [5, 6]]
 *
 * Errors: ValueError for invalid options, and for anything but lists of such items.
 */
export function padSequences(
  sequences: readonly (readonly NestedArray[] | Int32Array | Float32Array)[],
  options?: PadSequencesOptions,
): Tensor;
export function padSequences(sequences: unknown, ...args: unknown[]): Tensor {
  const op = 'padSequences';
  const options: PadSequencesOptions = optionsOf(op, args, optionNames, ['sequences']);
  const { dtype = 'int32', padding = 'pre', truncating = 'pre', value = 0 } = options;
  requireOneOf(op, 'dtype', dtype, dtypes);
  requireOneOf(op, 'padding', padding, sides);
  requireOneOf(op, 'truncating', truncating, sides);
  requireFinite(op, 'value', value);
  const { lists, item } = sequencesOf(op, sequences);
  const width = sizeOf(item);
  const lengthOf = ({ shape: [length = 0] }: Numbers) => length;
  const length = options.maxlen ?? lists.reduce((max, list) => Math.max(max, lengthOf(list)), 0);
  requireInteger(op, 'maxlen', length, 0);
  const rows = new (dtype === 'int32' ? Int32Array : Float32Array)(lists.length * length * width).fill(value);
  lists.forEach((list, i) => {
    const count = Math.min(length, lengthOf(list));
    const from = truncating === 'pre' ? lengthOf(list) - count : 0;
    const to = i * length + (padding === 'pre' ? length - count : 0);
    rows.set(list.values.slice(from * width, (from + count) * width), to * width);
  });
  return tensor(rows, { shape: [lists.length, length, ...item], dtype }) as Tensor;
}

/** Returns the sequences, and the shape of an item. Errors: ValueError. */
function sequencesOf(op: string, given: unknown): { lists: Numbers[]; item: readonly number[] } {
  const lists = Array.isArray(given) ? given.map(numbersOf) : [null];
  const filled = lists.find((list) => list && list.values.length > 0);
  const item = filled?.shape.slice(1) ?? [];
  const isSequence = (list: Numbers | null) =>
    list !== null &&
    list.shape.length > 0 &&
    (list.shape[0] === 0 || String(list.shape.slice(1)) === String(item));
  if (lists.every(isSequence)) return { lists: lists as Numbers[], item };
  throw new ValueError({
    op,
    rule: 'sequences are lists of numbers, or of items of one shape, in a list.',
    received: describe(given),
    hint: 'pass [[1], [2, 3]].',
  });
}
