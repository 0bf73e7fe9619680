/** @file Finds the sample of a batch that holds a bad index, a NaN or an infinity, by its values: once, after a fault. */
import { type Shape, unravel } from '../../../core/shape.ts';
import { tensor } from '../../../tensor/create.ts';
import { disposing } from '../../../tensor/scope.ts';
import type { IndexInBatch } from './batchSource.ts';
import type { Column } from './column.ts';

/** The values of the batch in one column. */
interface Taken {
  readonly what: string;
  /** The number of values per sample. */
  readonly size: number;
  /** The shape of a sample. */
  readonly shape: Shape;
  readonly values: ArrayLike<number>;
}

/**
 * Resolves to the sample, such as "sample 33 of `y`", of a batch of `samples` that holds the index at a position of a tensor
 * made of the batch; null if there is none. That tensor may have been cast, reshaped or flattened.
 */
export async function sampleHolding(
  { columns }: { readonly columns: readonly Column[] },
  samples: Int32Array<ArrayBuffer>,
  fault: IndexInBatch,
): Promise<string | null> {
  const taken = await readRows(columns, samples).catch(() => []);
  for (const matches of [isExactly, isTruncated]) {
    const holds = (column: Taken, row: number) =>
      someValue(column, row, (value) => matches(value, fault.index));
    const row = rowsAt(taken, samples.length, fault).find((at) => taken.some((column) => holds(column, at)));
    if (row === undefined) continue;
    const holders = taken.filter((column) => holds(column, row)).map(({ what }) => `\`${what}\``);
    return `sample ${samples[row]} of ${holders.join(', or of ')}`;
  }
  return null;
}

/**
 * Resolves to the first value of a batch of `samples` that isn't finite, such as "sample 33 of `x` holds NaN at position [1]";
 * null if there is none.
 */
export async function nonFiniteSample(
  { columns }: { readonly columns: readonly Column[] },
  samples: Int32Array<ArrayBuffer>,
): Promise<string | null> {
  for (const { what, size, shape, values } of await readRows(columns, samples)) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (Number.isFinite(value)) continue;
      const position = unravel(i % size, shape);
      const place = position.length > 0 ? ` at position [${position.join(', ')}]` : '';
      return `sample ${samples[Math.floor(i / size)]} of \`${what}\` holds ${value}${place}`;
    }
  }
  return null;
}

/** Reads the samples of all columns, in one order. */
async function readRows(
  columns: readonly Column[],
  samples: Int32Array<ArrayBuffer>,
): Promise<readonly Taken[]> {
  const count = samples.length;
  const reading = disposing(tensor(samples), (device) =>
    columns.map((column) =>
      disposing(column.take({ from: 0, count, order: { host: samples, device } }), (rows) => ({
        what: column.what,
        size: rows.size / count,
        shape: rows.shape.slice(1),
        values: rows.data() as Promise<ArrayLike<number>>,
      })),
    ),
  );
  return Promise.all(reading.map(async (column) => ({ ...column, values: await column.values })));
}

/** The rows that the position may be in: the first axis is the batch, or the tensor was flattened. */
function rowsAt(taken: readonly Taken[], rows: number, { position }: IndexInBatch): number[] {
  const [first = 0] = position;
  const candidates = [first, ...taken.map(({ size }) => Math.floor(first / size))];
  return [...new Set(candidates)].filter((row) => row < rows);
}

const isExactly = (value: number, index: number): boolean => value === index;

/** Floats become indices by truncation. */
const isTruncated = (value: number, index: number): boolean => Math.trunc(value) === index;

function someValue({ size, values }: Taken, row: number, matches: (value: number) => boolean): boolean {
  for (let i = row * size; i < (row + 1) * size; i++) if (matches(values[i] as number)) return true;
  return false;
}
