/** @file Float64 values on the host, and the few array operations that the reference of random programs needs. */

export interface Value {
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32';
  readonly data: Float64Array;
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A value whose element at `position` is `element(position)`. */
export function build(
  shape: readonly number[],
  dtype: Value['dtype'],
  element: (position: readonly number[]) => number,
): Value {
  const data = new Float64Array(sizeOf(shape));
  const position = shape.map(() => 0);
  for (let i = 0; i < data.length; i++) {
    data[i] = element(position);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      position[axis] = (position[axis] as number) + 1;
      if ((position[axis] as number) < (shape[axis] as number)) break;
      position[axis] = 0;
    }
  }
  return { shape, dtype, data };
}

export function at({ shape, data }: Value, position: readonly number[]): number {
  let index = 0;
  for (const [axis, size] of shape.entries()) index = index * size + (position[axis] as number);
  return data[index] as number;
}

/** Returns the shape that two shapes broadcast to; null if they don't. */
export function broadcast(a: readonly number[], b: readonly number[]): number[] | null {
  const rank = Math.max(a.length, b.length);
  const result: number[] = [];
  for (let i = 1; i <= rank; i++) {
    const [x, y] = [a[a.length - i] ?? 1, b[b.length - i] ?? 1];
    if (x !== y && x !== 1 && y !== 1) return null;
    result.unshift(x === 1 ? y : x);
  }
  return result;
}

/** Returns the element of `x` at a position of the shape that it broadcasts to. */
export function spread(x: Value, position: readonly number[]): number {
  const skipped = position.length - x.shape.length;
  return at(
    x,
    x.shape.map((size, axis) => (size === 1 ? 0 : (position[axis + skipped] as number))),
  );
}

/** `position` with `value` at `axis`. */
export const withAxis = (position: readonly number[], axis: number, value: number): number[] =>
  position.map((p, i) => (i === axis ? value : p));

/** Reduces `x` along `axis`: `reduce` gets the values of each line, and its result is the only element there. */
export function reduceAxis(
  x: Value,
  axis: number,
  keepDims: boolean,
  reduce: (line: number[]) => number,
): Value {
  const kept = x.shape.map((size, i) => (i === axis ? 1 : size));
  const full = build(kept, x.dtype, (position) =>
    reduce(Array.from({ length: x.shape[axis] as number }, (_, i) => at(x, withAxis(position, axis, i)))),
  );
  return keepDims ? full : { ...full, shape: x.shape.filter((_, i) => i !== axis) };
}

/** `x` with `compute` of each line along `axis` in its place. */
export function mapRows(x: Value, axis: number, compute: (line: number[]) => number[]): Value {
  const n = x.shape[axis] as number;
  const between = sizeOf(x.shape.slice(axis + 1));
  const data = new Float64Array(x.data.length);
  for (let first = 0; first < data.length; first += n * between)
    for (let i = first; i < first + between; i++) {
      const places = Array.from({ length: n }, (_, k) => i + k * between);
      for (const [k, value] of compute(places.map((place) => x.data[place] as number)).entries())
        data[places[k] as number] = value;
    }
  return { ...x, data };
}
