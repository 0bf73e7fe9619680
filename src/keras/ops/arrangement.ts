/** @file NumPy's shorthands for rearranging: stacks and splits along fixed axes, quarter turns, coordinates. */
import { ValueError } from '../../core/errors.ts';
import { axesInOrder, describe, normalizeAxis, requireInteger } from '../../core/shape.ts';
import { any } from '../../ops/reductions/anyAll.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { split as splitSizes } from '../../ops/arrangement/split.ts';
import { diag } from '../../ops/arrangement/diagonal.ts';
import { floorDiv, mod } from '../../ops/elementwise/division.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { flip } from '../../ops/arrangement/flip.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { swapAxes } from '../../ops/arrangement/moveAxis.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { searchSorted } from '../../ops/sorting/searchSorted.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { flat, fromTheEnd } from './flat.ts';
import { composeFloats, composeOneDType } from './composites.ts';

/** The elements as a vector. Any dtype. Shape [size of x]. Errors: none for tensors. */
export const ravel: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'ravel',
  inputs: ['x'],
  options: {},
  compose: ([x]) => flat(x),
});

export interface DiagflatOptions {
  /** Which diagonal. Default 0. */
  k?: number;
}

/** A matrix with the elements of x on diagonal `k`. Any dtype. Shape [size + |k|, size + |k|]. Errors: ValueError. */
export const diagflat: CompositeOp<[x: Tensor], DiagflatOptions, Tensor, ['k']> =
  /* @__PURE__ */ defineComposite({
    name: 'diagflat',
    inputs: ['x'],
    options: { k: true },
    compose: ([x], { k = 0 }) => diag(flat(x), { k }),
  });

/** Rows in reverse order: along axis 0. Any dtype. Shape: that of x. Errors: ShapeError for a scalar. */
export const flipud: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'flipud',
  inputs: ['x'],
  options: {},
  compose: ([x]) => flip(x, { axis: 0 }),
});

/** Columns in reverse order: along axis 1. Any dtype. Shape: that of x. Errors: ShapeError for less than two axes. */
export const fliplr: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'fliplr',
  inputs: ['x'],
  options: {},
  compose: ([x]) => flip(x, { axis: 1 }),
});

export interface Rot90Options {
  /** Number of quarter turns. Default 1. */
  k?: number;
  /** The plane of rotation, from the first axis towards the second. Default [0, 1]. */
  axes?: readonly [number, number];
}

/** Rotates by `k` quarter turns in the plane of two axes. Any dtype. Errors: ShapeError, ValueError. */
export const rot90: CompositeOp<[x: Tensor], Rot90Options, Tensor, ['k', 'axes']> =
  /* @__PURE__ */ defineComposite({
    name: 'rot90',
    inputs: ['x'],
    options: { k: true, axes: true },
    compose: ([x], { k = 1, axes = [0, 1] }) => {
      requireInteger('rot90', 'k', k, Number.MIN_SAFE_INTEGER);
      const [first, second, ...more] = axesInOrder('rot90', axes, x.shape.length, 'axes');
      if (first === undefined || second === undefined || more.length > 0) throw noPlane(axes);
      const turns = ((k % 4) + 4) % 4;
      if (turns === 0) return identity(x);
      if (turns === 2) return flip(x, { axis: [first, second] });
      const swapped = (y: Tensor) => swapAxes(y, { axis1: first, axis2: second });
      return turns === 1 ? swapped(flip(x, { axis: second })) : flip(swapped(x), { axis: second });
    },
  });

const noPlane = (axes: unknown) =>
  new ValueError({
    op: 'rot90',
    rule: '`axes` are two different axes.',
    received: `axes: ${describe(axes)}`,
    hint: 'pass [0, 1].',
  });

export interface AppendOptions {
  /** The axis along which they are joined. Default null: both are flattened. */
  axis?: number | null;
}

/** x followed by y along `axis`. Dtypes are those of `concat`. Errors: ShapeError. */
export const append: CompositeOp<[x: Tensor, y: Tensor], AppendOptions, Tensor, ['axis']> =
  /* @__PURE__ */ composeOneDType({
    name: 'append',
    inputs: ['x', 'y'],
    options: { axis: true },
    compose: ([x, y], { axis = null }) =>
      axis === null ? concat([flat(x), flat(y)], { axis: 0 }) : concat([x, y], { axis }),
  });

type OfMany = CompositeOp<[tensors: Tensor[]]>;

/* @__NO_SIDE_EFFECTS__ */
function joining(name: string, join: (tensors: readonly Tensor[]) => Tensor): OfMany {
  return composeOneDType({
    name,
    inputs: ['...tensors'],
    options: {},
    compose: ([...tensors]) => join(tensors),
  });
}

const isVector = (x: Tensor) => x.shape.length <= 1;
const rowOf = (x: Tensor) => (isVector(x) ? reshape(x, { shape: [1, -1] }) : x);
const deep = (x: Tensor) => {
  if (isVector(x)) return reshape(x, { shape: [1, -1, 1] });
  return x.shape.length === 2 ? expandDims(x, { axis: 2 }) : x;
};

/** Tensors stacked horizontally: along axis 1, vectors along axis 0. Dtypes are those of `concat`. Errors: ShapeError. */
export const hstack: OfMany = /* @__PURE__ */ joining('hstack', (tensors) => {
  const filled = tensors.map((x) => (x.shape.length === 0 ? flat(x) : x));
  return concat(filled, { axis: filled.every(isVector) ? 0 : 1 });
});

/** Tensors stacked vertically: along axis 0, vectors as rows. Dtypes are those of `concat`. Errors: ShapeError. */
export const vstack: OfMany = /* @__PURE__ */ joining('vstack', (tensors) =>
  concat(tensors.map(rowOf), { axis: 0 }),
);

/** Tensors stacked in depth: along axis 2. Dtypes are those of `concat`. Errors: ShapeError. */
export const dstack: OfMany = /* @__PURE__ */ joining('dstack', (tensors) =>
  concat(tensors.map(deep), { axis: 2 }),
);

export interface ArraySplitOptions {
  /** Number of parts, or the indices at which all parts but the first begin. */
  indicesOrSections: number | readonly number[];
  /** The axis that is split. Default 0. */
  axis?: number;
}

type Splitting<O extends object, P extends readonly string[]> = CompositeOp<[x: Tensor], O, Tensor[], P>;

/**
 * The parts of x along `axis`; if they can't be equal, the first ones are longer by one. Any dtype. Errors: ShapeError,
 * ValueError.
 */
export const arraySplit: Splitting<ArraySplitOptions, ['indicesOrSections', 'axis']> =
  /* @__PURE__ */ defineComposite({
    name: 'arraySplit',
    inputs: ['x'],
    options: { indicesOrSections: true, axis: true },
    compose: ([x], { indicesOrSections, axis = 0 }) => parts('arraySplit', x, indicesOrSections, axis),
  });

/** Options of `hsplit`, `vsplit` and `dsplit`. */
export interface PartsOptions {
  /** Number of parts, or the indices at which all parts but the first begin. */
  indicesOrSections: number | readonly number[];
}

/* @__NO_SIDE_EFFECTS__ */
function splitting(
  name: string,
  axisOf: (rank: number) => number,
): Splitting<PartsOptions, ['indicesOrSections']> {
  return defineComposite({
    name,
    inputs: ['x'],
    options: { indicesOrSections: true },
    compose: ([x], { indicesOrSections }) => equalParts(name, x, indicesOrSections, axisOf(x.shape.length)),
  });
}

/** Equal parts of x along `axis`, or parts split at indices. Any dtype. Errors: ShapeError, ValueError. */
export const split: Splitting<ArraySplitOptions, ['indicesOrSections', 'axis']> =
  /* @__PURE__ */ defineComposite({
    name: 'split',
    inputs: ['x'],
    options: { indicesOrSections: true, axis: true },
    compose: ([x], { indicesOrSections, axis = 0 }) => equalParts('split', x, indicesOrSections, axis),
  });

/** Equal parts of x, or parts split at indices, along axis 1; vectors along axis 0. Any dtype. Errors: ShapeError, ValueError. */
export const hsplit: Splitting<PartsOptions, ['indicesOrSections']> = /* @__PURE__ */ splitting(
  'hsplit',
  (rank) => (rank === 1 ? 0 : 1),
);
/** Equal parts of x, or parts split at indices, along axis 0. Any dtype. Errors: ShapeError, ValueError. */
export const vsplit: Splitting<PartsOptions, ['indicesOrSections']> = /* @__PURE__ */ splitting(
  'vsplit',
  () => 0,
);
/** Equal parts of x, or parts split at indices, along axis 2. Any dtype. Errors: ShapeError, ValueError. */
export const dsplit: Splitting<PartsOptions, ['indicesOrSections']> = /* @__PURE__ */ splitting(
  'dsplit',
  () => 2,
);

function equalParts(op: string, x: Tensor, wanted: number | readonly number[], axis: number): Tensor[] {
  if (typeof wanted !== 'number') return parts(op, x, wanted, axis);
  return [...splitSizes(x, { numOrSizeSplits: wanted, axis })];
}

function parts(op: string, x: Tensor, wanted: number | readonly number[], axis: number): Tensor[] {
  const size = x.shape[normalizeAxis(op, axis, x.shape.length)] as number;
  return [...splitSizes(x, { numOrSizeSplits: sizesOf(op, size, wanted), axis })];
}

function sizesOf(op: string, size: number, wanted: number | readonly number[]): number[] {
  if (!Array.isArray(wanted)) {
    requireInteger(op, 'indicesOrSections', wanted, 1);
    const count = wanted as number;
    return Array.from({ length: count }, (_, i) => Math.floor(size / count) + (i < size % count ? 1 : 0));
  }
  for (const index of wanted) requireInteger(op, 'indicesOrSections', index, 0);
  const places = [0, ...wanted.map((n: number) => Math.min(n, size)), size];
  return places.slice(1).map((end, i) => Math.max(0, end - (places[i] as number)));
}

export interface UnravelIndexOptions {
  /** The shape that the flat indices refer to. */
  shape: readonly number[];
}

/**
 * The coordinates of flat indices: a tensor for each axis of `shape`, of the shape of the indices. int32. Errors:
 * ValueError.
 */
export const unravelIndex: CompositeOp<[indices: Tensor], UnravelIndexOptions, Tensor[], ['shape']> =
  /* @__PURE__ */ defineComposite({
    name: 'unravelIndex',
    inputs: ['indices:int32'],
    options: { shape: true },
    backward: null,
    compose: ([indices], { shape }) => {
      if (!Array.isArray(shape)) throw noShape(shape);
      for (const n of shape) requireInteger('unravelIndex', 'shape', n, 1);
      let rest = indices;
      const coordinates = shape.toReversed().map((n: number) => {
        const coordinate = mod(rest, n);
        rest = floorDiv(rest, n);
        return coordinate;
      });
      return coordinates.toReversed();
    },
  });

const noShape = (shape: unknown) =>
  new ValueError({
    op: 'unravelIndex',
    rule: '`shape` is a list of sizes.',
    received: `shape: ${describe(shape)}`,
    hint: 'pass the shape of the tensor that the indices are of.',
  });

export interface IsInOptions {
  /** Whether to test for elements that are not in y. Default false. */
  invert?: boolean;
  /** Whether no element occurs twice in x or in y; of no effect here. Default false. */
  assumeUnique?: boolean;
}

/** Whether each element of x is among those of y. Bool, shape: that of x. Dtypes promote. Ranks up to 5. Errors: DTypeError. */
export const isIn: CompositeOp<[x: Tensor, y: Tensor], IsInOptions, Tensor, ['assumeUnique', 'invert']> =
  /* @__PURE__ */ defineComposite({
    name: 'isIn',
    inputs: ['x', 'y'],
    options: { assumeUnique: true, invert: true },
    backward: null,
    compose: ([x, y], { invert = false }) => {
      const found = any(equal(expandDims(x, { axis: -1 }), flat(y)), { axis: -1 });
      return invert ? equal(cast(found, 'int32'), 0) : found;
    },
  });

export interface TakeOptions {
  /** The axis to index. Default null: x is flattened. */
  axis?: number | null;
}

/** Slices of x at `indices` along `axis`; negative indices count from the last. Any dtype. Errors: as of `gather`. */
export const take: CompositeOp<[x: Tensor, indices: Tensor], TakeOptions, Tensor, ['axis']> =
  /* @__PURE__ */ defineComposite({
    name: 'take',
    inputs: ['x', 'indices:int32'],
    options: { axis: true },
    compose: ([x, indices], { axis = null }) => {
      const table = axis === null ? flat(x) : x;
      const along = normalizeAxis('take', axis ?? 0, table.shape.length);
      return gather(table, fromTheEnd(indices, table.shape[along] as number), { axis: along });
    },
  });

/**
 * The bin of each element of x: the number of ascending `bins` that aren't above it. int32, shape: that of x. float32.
 * Errors: ShapeError, DTypeError.
 */
export const digitize: CompositeOp<[x: Tensor, bins: Tensor]> = /* @__PURE__ */ composeFloats({
  name: 'digitize',
  inputs: ['x', 'bins'],
  options: {},
  backward: null,
  compose: ([x, bins]) => searchSorted(bins, x, { side: 'right' }),
});
