/** @file padSequences: pads or truncates sequences to the same length. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf } from '../../core/options.ts';
import { describe, requireFinite, requireInteger, requireOneOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Options of `padSequences`. */
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
 * Lists of numbers as the rows of one tensor: short ones are padded, long ones truncated. Shapes: n lists → [n, maxlen].
 *
 *     const x = padSequences([[1], [2, 3], [4, 5, 6]], { maxlen: 2 });   // [[0, 1], [2, 3], [5, 6]]
 *
 * Errors: ValueError for invalid options, and for anything but lists of numbers.
 */
export function padSequences(
  sequences: readonly (readonly number[] | Int32Array | Float32Array)[],
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
  const lists = sequencesOf(op, sequences);
  const length = options.maxlen ?? lists.reduce((max, list) => Math.max(max, list.length), 0);
  requireInteger(op, 'maxlen', length, 0);
  const rows = new (dtype === 'int32' ? Int32Array : Float32Array)(lists.length * length).fill(value);
  lists.forEach((list, i) => {
    const kept = truncating === 'pre' ? list.slice(Math.max(0, list.length - length)) : list.slice(0, length);
    rows.set(kept, i * length + (padding === 'pre' ? length - kept.length : 0));
  });
  return tensor(rows, { shape: [lists.length, length], dtype }) as Tensor;
}

function sequencesOf(op: string, given: unknown): number[][] {
  const isNumbers = (list: unknown) =>
    ArrayBuffer.isView(list) || (Array.isArray(list) && list.every((n) => typeof n === 'number'));
  if (Array.isArray(given) && given.every(isNumbers))
    return given.map((list) => Array.from(list as readonly number[]));
  throw new ValueError({
    op,
    rule: 'sequences are lists of numbers, in a list.',
    received: describe(given),
    hint: 'pass [[1], [2, 3]].',
  });
}
