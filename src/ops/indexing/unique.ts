/** @file unique: asynchronous, since its shape depends on values. */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { normalizeAxis, type Shape, sizeOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import { requireTensor } from '../../tensor/requireTensor.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { gather } from './gather.ts';
import { reshape } from '../arrangement/reshape.ts';

export interface UniqueOptions {
  /** The axis whose slices are compared. Default null: single elements of x, flattened. */
  axis?: number | null;
}

const optionNames: OptionNames<UniqueOptions> = { axis: true };

/**
 * The distinct slices of `x` along `axis` in the order in which they first occur, and for each slice of x its index among
 * them. NaN equals NaN. Any dtype. Shapes: x [..outer, n, ..inner] → [values [..outer, count, ..inner], indices [n] int32].
 * Slices are compared on the host, so x is read back. The gradient goes to first occurrences.
 * Errors: ValueError unless x is a tensor, ShapeError for an axis that x lacks.
 */
export async function unique(
  x: Tensor,
  options?: UniqueOptions,
): Promise<[values: Tensor, indices: Tensor<'int32'>]>;
export async function unique(
  x: Tensor,
  ...settings: Positions<UniqueOptions, ['axis']>
): Promise<[values: Tensor, indices: Tensor<'int32'>]>;
export async function unique(
  x: Tensor,
  ...settings: unknown[]
): Promise<[values: Tensor, indices: Tensor<'int32'>]> {
  const { axis = null }: UniqueOptions = optionsOf('unique', settings, optionNames, ['x']);
  requireTensor('unique', 'x', x);
  const shape = axis === null ? [sizeOf(x.shape)] : x.shape;
  const along = axis === null ? 0 : normalizeAxis('unique', axis, shape.length);
  const { firsts, indices } = firstOccurrences((await x.data()) as ArrayLike<number>, shape, along);
  return tidy(() => [
    gather(reshape(x, { shape }), firsts, { axis: along }),
    tensor(indices, { dtype: 'int32' }),
  ]);
}

/** Returns where the distinct slices of `values` along `axis` first occur, and the index of each slice among them. */
function firstOccurrences(
  values: ArrayLike<number>,
  shape: Shape,
  axis: number,
): { firsts: Int32Array; indices: Int32Array } {
  const n = shape[axis] as number;
  const inner = sizeOf(shape.slice(axis + 1));
  const outer = sizeOf(shape.slice(0, axis));
  const known = new Map<number | string, number>();
  const firsts: number[] = [];
  const indices = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const key = outer * inner === 1 ? (values[i] as number) : sliceKey(values, { i, n, inner, outer });
    let found = known.get(key);
    if (found === undefined) {
      found = firsts.push(i) - 1;
      known.set(key, found);
    }
    indices[i] = found;
  }
  return { firsts: Int32Array.from(firsts), indices };
}

/** Returns the values of slice i as text, which is equal for 0 and -0, and for all NaN. */
function sliceKey(
  values: ArrayLike<number>,
  { i, n, inner, outer }: { i: number; n: number; inner: number; outer: number },
): string {
  const parts: number[] = [];
  for (let block = 0; block < outer; block++)
    for (let k = 0; k < inner; k++) parts.push(values[(block * n + i) * inner + k] as number);
  return parts.join();
}
