/** @file splitDataset: splits the samples of tensors into two parts. */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf } from '../../core/options.ts';
import { describe, requireBoolean } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { permutation } from '../../ops/random/shuffle.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Options of `splitDataset`. One size suffices. */
export interface SplitDatasetOptions {
  /** Samples of the first part: an integer, or a fraction between 0 and 1. */
  leftSize?: number | null;
  /** Samples of the second part, likewise. */
  rightSize?: number | null;
  /** Whether to shuffle the samples first. Default false. */
  shuffle?: boolean;
  /** Makes the order reproducible. Default null: a new order each time. */
  seed?: number | null;
}

const optionNames: OptionNames<SplitDatasetOptions> = {
  leftSize: true,
  rightSize: true,
  shuffle: true,
  seed: true,
};
const op = 'splitDataset';

/**
 * Splits the samples of a tensor, or of tensors with the same number of samples, into two parts. Shapes: [n, …] → [left, …]
 * and [right, …].
 *
 *     const [train, test] = splitDataset([x, y], { leftSize: 0.8, shuffle: true, seed: 1 });
 *
 * Errors: ValueError for sizes that leave a part empty or exceed n, or if none is given; ShapeError for tensors with
 * different numbers of samples.
 */
export function splitDataset<T extends Tensor | readonly Tensor[]>(
  dataset: T,
  options: SplitDatasetOptions,
): [left: T, right: T];
export function splitDataset(dataset: unknown, ...args: unknown[]): unknown {
  const options: SplitDatasetOptions = optionsOf(op, args, optionNames, ['dataset']);
  const { leftSize = null, rightSize = null, shuffle = false, seed = null } = options;
  requireBoolean(op, 'shuffle', shuffle);
  const tensors = dataset instanceof Tensor ? [dataset] : tensorsOf(dataset);
  const count = countOf(tensors);
  const [left, right] = sizesOf(count, leftSize, rightSize);
  return tidy(() => {
    const order = shuffle ? permutation(count, seed === null ? {} : { seed }) : null;
    const part = (x: Tensor, first: number, size: number) => {
      const all = order ? gather(x, order, { axis: 0 }) : x;
      const begin = x.shape.map((_, i) => (i === 0 ? first : 0));
      return slice(all, { begin, size: [size, ...x.shape.slice(1)] });
    };
    const parts = [tensors.map((x) => part(x, 0, left)), tensors.map((x) => part(x, left, right))];
    return dataset instanceof Tensor ? parts.flat() : parts;
  });
}

function tensorsOf(dataset: unknown): readonly Tensor[] {
  if (Array.isArray(dataset) && dataset.length > 0 && dataset.every((x) => x instanceof Tensor))
    return dataset;
  throw new ValueError({
    op,
    rule: 'the samples are those of a tensor, or of a list of tensors.',
    received: describe(dataset),
    hint: 'make tensors of arrays first: tensor(values).',
  });
}

function countOf(tensors: readonly Tensor[]): number {
  const [count] = (tensors[0] as Tensor).shape;
  if (count !== undefined && tensors.every(({ shape }) => shape[0] === count)) return count;
  throw new ShapeError({
    op,
    rule: 'all tensors have the same number of samples along their first axis.',
    received: tensors.map(formatSpec).join(', '),
    hint: 'pass tensors of one batch size.',
  });
}

/** Returns how many samples each part has. As in Keras, a fraction is rounded to the nearest integer. */
function sizesOf(count: number, left: number | null, right: number | null): [left: number, right: number] {
  const samples = (size: unknown) => {
    if (Number.isInteger(size) && (size as number) > 0) return size as number;
    return typeof size === 'number' && size > 0 && size < 1 ? Math.round(size * count) : Number.NaN;
  };
  const [first, second] = [left, right].map((size) => (size === null ? null : samples(size)));
  const found: [number, number] =
    first === null || first === undefined
      ? [count - (second ?? Number.NaN), second ?? Number.NaN]
      : [first, second ?? count - first];
  if (found.every((size) => size > 0) && found[0] + found[1] <= count) return found;
  throw new ValueError({
    op,
    rule: `sizes are fractions between 0 and 1 or counts, which leave something to both parts of ${count} samples.`,
    received: `leftSize: ${describe(left)}, rightSize: ${describe(right)}`,
    hint: 'pass leftSize: 0.8.',
  });
}
