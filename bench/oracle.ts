/** @file Checks results against plain float64 on the host, on a sample if there are many outputs. */
import { type HostArray, seeded, sizeOf } from './host.ts';

/** Returns the positions at which results are checked: all, or corners and random ones. */
export function sample(size: number, count: number): number[] {
  if (size <= count) return Array.from({ length: size }, (_, i) => i);
  const random = seeded(size);
  return [0, size - 1, ...Array.from({ length: count - 2 }, () => Math.floor(random() * size))];
}

/** Returns the indices along each axis of a flat position. */
export function indicesOf(position: number, shape: readonly number[]): number[] {
  const indices = shape.map(() => 0);
  let rest = position;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const n = shape[axis] as number;
    indices[axis] = rest % n;
    rest = Math.floor(rest / n);
  }
  return indices;
}

export interface Expectation {
  shape: readonly number[];
  /** The right value at these indices, in float64. */
  at(...indices: number[]): number;
  /** Largest error, relative to the largest right value of the sample. Default 1e-4. */
  tolerance?: number;
  /** Values compared. Default 64. */
  count?: number;
}

/** Returns the problem with `result`, or null. */
export function problem(result: HostArray | undefined, expected: Expectation): string | null {
  const { shape, at, tolerance = 1e-4, count = 64 } = expected;
  if (!result) return 'no result';
  if (result.shape.join() !== shape.join()) {
    return `shape [${result.shape.join(', ')}] for [${shape.join(', ')}]`;
  }
  const size = sizeOf(shape);
  if (result.values.length < size) return `${result.values.length} values for ${size}`;
  const positions = sample(size, count);
  const right = positions.map((position) => at(...indicesOf(position, shape)));
  const scale = Math.max(...right.map(Math.abs), Number.MIN_VALUE);
  for (const [i, position] of positions.entries()) {
    const found = result.values[position] as number;
    const error = Math.abs(found - (right[i] as number)) / scale;
    if (!(error <= tolerance)) {
      const place = indicesOf(position, shape).join(', ');
      return `${found} for ${right[i]} at [${place}]`;
    }
  }
  return null;
}
