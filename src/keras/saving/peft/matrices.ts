/** @file The matrices of an adapter as PEFT stores them: A [rank, inputs] and B [outputs, rank], images with channels first. */
import { type Shape, sizeOf, stridesOf } from '../../../core/shape.ts';
import type { HostTensor } from '../../../formats/hostTensor.ts';

type Floats = Float32Array<ArrayBufferLike>;

/** How PEFT stores the matrices of a kind of layers. */
export type MatrixKind = 'linear' | 'embedding' | 'convolution';

/** An adapter of a module: rank, and both matrices as [rank, inputs] and [outputs, rank]. */
export interface Matrices {
  readonly rank: number;
  readonly rows: number;
  readonly columns: number;
  readonly a: Floats;
  readonly b: Floats;
}

/** Returns the kind of a layer's adapters. */
export function kindOf(className: string): MatrixKind {
  if (/^Conv\dD$/.test(className)) return 'convolution';
  return /Embedding$/.test(className) ? 'embedding' : 'linear';
}

/** Names of the parameters in files, after the name of the module. */
export const parameterNames: Readonly<Record<MatrixKind, readonly [a: string, b: string]>> = {
  linear: ['.lora_A.weight', '.lora_B.weight'],
  convolution: ['.lora_A.weight', '.lora_B.weight'],
  embedding: ['.lora_embedding_A', '.lora_embedding_B'],
};

/** The values of an adapter here: a [.., rank] and b [rank, ..], of a weight that is [rows, columns] as a matrix. */
export interface OwnMatrices {
  readonly a: Floats;
  readonly b: Floats;
  readonly rank: number;
  readonly rows: number;
  readonly columns: number;
}

/**
 * Returns the matrices of an adapter for PEFT. If b is common to several heads, a has their axis: the rank of the result is that of
 * one head times their number, and b is repeated along a diagonal.
 */
export function toMatrices({ a, b, rank, rows, columns }: OwnMatrices): Matrices {
  const heads = a.length / (rows * rank);
  const wide = heads * rank;
  const first = permuted(a, [rows, wide], [1, 0]);
  if (heads === 1) return { rank, rows, columns, a: first, b: permuted(b, [rank, columns], [1, 0]) };
  const size = columns / heads;
  const second = new Float32Array(columns * wide);
  for (let head = 0; head < heads; head++)
    for (let column = 0; column < size; column++)
      for (let r = 0; r < rank; r++)
        second[(head * size + column) * wide + head * rank + r] = b[r * size + column] as number;
  return { rank: wide, rows, columns, a: first, b: second };
}

/** Returns the values of a [rows, rank] and b [rank, columns]. */
export function fromMatrices({ a, b, rank, rows, columns }: Matrices): { a: Floats; b: Floats } {
  return { a: permuted(a, [rank, rows], [1, 0]), b: permuted(b, [columns, rank], [1, 0]) };
}

/** Matrices of one part of a module, and the factor that they are scaled by. */
export interface ScaledMatrices extends Matrices {
  readonly scale: number;
}

/** Returns the adapter of a module whose outputs are those of `parts`, one after the other. A part without a rank adds nothing. */
export function joined(parts: readonly ScaledMatrices[]): ScaledMatrices {
  const used = parts.filter(({ rank }) => rank > 0);
  const [first] = used as [ScaledMatrices];
  const { rows, scale } = first;
  const columns = parts.reduce((sum, part) => sum + part.columns, 0);
  const isShared = used.every((part) => part.scale === scale && isSame(part.a, first.a));
  const rank = isShared ? first.rank : used.reduce((sum, part) => sum + part.rank, 0);
  const a = new Float32Array(rank * rows);
  const b = new Float32Array(columns * rank);
  let [row, column] = [0, 0];
  for (const part of parts) {
    a.set(part.a, row * rows);
    const factor = part.scale / scale;
    for (let c = 0; c < part.columns; c++)
      for (let r = 0; r < part.rank; r++)
        b[(column + c) * rank + row + r] = (part.b[c * part.rank + r] as number) * factor;
    column += part.columns;
    if (!isShared) row += part.rank;
  }
  return { rank, rows, columns, scale, a, b };
}

/** Returns the matrices for each of the layers that a module is, which have so many columns. */
export function split(whole: Matrices, columns: readonly number[]): Matrices[] {
  let begin = 0;
  return columns.map((count) => {
    const b = whole.b.slice(begin * whole.rank, (begin + count) * whole.rank);
    begin += count;
    return { ...whole, columns: count, b };
  });
}

function isSame(a: Floats, b: Floats): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

/** Returns matrices as tensors of a file. `window` are the axes of a convolution's kernel before the channels. */
export function toFile(
  { a, b, rank, rows, columns }: Matrices,
  kind: MatrixKind,
  window: Shape,
): readonly [a: HostTensor, b: HostTensor] {
  if (kind !== 'convolution') return [host(a, [rank, rows]), host(b, [columns, rank])];
  const channels = rows / sizeOf(window);
  const last = window.length + 1;
  const perm = [0, last, ...window.map((_, i) => i + 1)];
  const first = permuted(a, [rank, ...window, channels], perm);
  return [host(first, [rank, channels, ...window]), host(b, [columns, rank, ...window.map(() => 1)])];
}

/** Returns tensors of a file as matrices; their shapes are those of `toFile`. */
export function fromFile(a: HostTensor, b: HostTensor, kind: MatrixKind, window: Shape): Matrices {
  const [rank = 0, ...inputs] = a.shape;
  const sizes = { rank, rows: sizeOf(inputs), columns: b.shape[0] ?? 0, b: b.data as Floats };
  if (kind !== 'convolution') return { ...sizes, a: a.data as Floats };
  const perm = [0, ...window.map((_, i) => i + 2), 1];
  return { ...sizes, a: permuted(a.data as Floats, a.shape, perm) };
}

/** Returns values with their axes in another order. */
export function permuted(values: Floats, shape: Shape, perm: readonly number[]): Floats {
  const made = new Float32Array(values.length);
  const sizes = perm.map((axis) => shape[axis] as number);
  const strides = perm.map((axis) => stridesOf(shape)[axis] as number);
  const at = sizes.map(() => 0);
  let from = 0;
  for (let i = 0; i < made.length; i++) {
    made[i] = values[from] as number;
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      from += strides[axis] as number;
      at[axis] = (at[axis] as number) + 1;
      if (at[axis] !== sizes[axis]) break;
      from -= (strides[axis] as number) * (sizes[axis] as number);
      at[axis] = 0;
    }
  }
  return made;
}

function host(data: Floats, shape: Shape): HostTensor {
  return { shape, dtype: 'float32', data };
}
