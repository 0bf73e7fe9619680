/**
 * @file Random gathers for property tests, and their expected results from an oracle that shares no code with the library:
 * plain loops over multi-indices, in float64.
 */
import fc from 'fast-check';

export type GatherMode = 'validated' | 'unchecked' | 'clip' | 'wrap' | 'fill';

export interface GatherCase {
  xShape: number[];
  indexShape: number[];
  axis: number;
  batchDims: number;
  mode: GatherMode;
  dtype: 'int32' | 'uint32';
  x: number[];
  indices: number[];
  cotangent: number[];
}

export interface GatherExpectation {
  shape: number[];
  values: number[];
  /** The cotangent, accumulated in the rows that were read. */
  gradient: number[];
  /** The first index out of range, if the case is validated. */
  fault: { position: number[]; index: number; limit: number; axis: number } | null;
}

export const fillValue = -7.5;

const size = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1);

function unravel(flat: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  for (let i = shape.length - 1; i >= 0; i--) {
    index[i] = flat % (shape[i] as number);
    flat = Math.floor(flat / (shape[i] as number));
  }
  return index;
}

const ravel = (index: readonly number[], shape: readonly number[]) =>
  index.reduce((flat, i, axis) => flat * (shape[axis] as number) + i, 0);

const values = (count: number) =>
  fc.array(
    fc.integer({ min: -64, max: 64 }).map((n) => n / 8),
    { minLength: count, maxLength: count },
  );

/** Gathers of any rank, axis, batch and mode. Sizes include 0 and 1; some indices lie outside. */
export const gatherCases: fc.Arbitrary<GatherCase> = fc
  .record({
    xShape: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
    tail: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 0, maxLength: 2 }),
    axisSeed: fc.nat(),
    batchSeed: fc.nat(),
    negativeAxis: fc.boolean(),
    mode: fc.constantFrom<GatherMode>('validated', 'unchecked', 'clip', 'wrap', 'fill'),
    dtype: fc.constantFrom<'int32' | 'uint32'>('int32', 'uint32'),
    reach: fc.constantFrom(0, 0, 3, 1000),
  })
  .chain(({ xShape, tail, axisSeed, batchSeed, negativeAxis, mode, dtype, reach }) => {
    const axis = axisSeed % xShape.length;
    const batchDims = batchSeed % (axis + 1);
    const indexShape = [...xShape.slice(0, batchDims), ...tail];
    const limit = xShape[axis] as number;
    const outShape = [...xShape.slice(0, axis), ...tail, ...xShape.slice(axis + 1)];
    const low = dtype === 'uint32' ? 0 : -reach;
    const count = size(indexShape);
    return fc.record({
      xShape: fc.constant(xShape),
      indexShape: fc.constant(indexShape),
      axis: fc.constant(negativeAxis ? axis - xShape.length : axis),
      batchDims: fc.constant(batchDims),
      mode: fc.constant(mode),
      dtype: fc.constant(dtype),
      x: values(size(xShape)),
      indices: fc.array(fc.integer({ min: low, max: limit - 1 + reach }), {
        minLength: count,
        maxLength: count,
      }),
      cotangent: values(size(outShape)),
    });
  });

export function expectGather(sample: GatherCase): GatherExpectation {
  const { xShape, indexShape, batchDims, mode, x, indices, cotangent } = sample;
  const axis = sample.axis < 0 ? sample.axis + xShape.length : sample.axis;
  const limit = xShape[axis] as number;
  const tail = indexShape.slice(batchDims);
  const shape = [...xShape.slice(0, axis), ...tail, ...xShape.slice(axis + 1)];
  const out: number[] = [];
  const gradient = new Array<number>(x.length).fill(0);
  for (let flat = 0; flat < size(shape); flat++) {
    const at = unravel(flat, shape);
    const where = [...at.slice(0, batchDims), ...at.slice(axis, axis + tail.length)];
    const row = rowOf(indices[ravel(where, indexShape)] as number, limit, mode);
    if (row === null) {
      out.push(mode === 'fill' ? fillValue : 0);
      continue;
    }
    const source = ravel([...at.slice(0, axis), row, ...at.slice(axis + tail.length)], xShape);
    out.push(x[source] as number);
    gradient[source] = (gradient[source] as number) + (cotangent[flat] as number);
  }
  const first = mode === 'validated' ? indices.findIndex((i) => i < 0 || i >= limit) : -1;
  const fault =
    first < 0 ? null : { position: unravel(first, indexShape), index: indices[first] as number, limit, axis };
  return { shape, values: out, gradient, fault };
}

function rowOf(index: number, limit: number, mode: GatherMode): number | null {
  if (mode === 'clip') return Math.min(Math.max(index, 0), limit - 1);
  if (mode === 'wrap') return ((index % limit) + limit) % limit;
  return index >= 0 && index < limit ? index : null;
}
