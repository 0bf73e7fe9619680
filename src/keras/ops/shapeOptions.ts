/** @file Ops on shapes with Keras's arguments: numbers and shorter lists for tile, several new axes, widths of padding. */
import { ShapeError } from '../../core/errors.ts';
import { describe, maxRank, normalizeAxes, requireInteger } from '../../core/shape.ts';
import { meshgrid as libraryMeshgrid, type MeshgridOptions } from '../../ops/arrangement/meshgrid.ts';
import { transpose as libraryTranspose } from '../../ops/arrangement/transpose.ts';
import { isPlainObject } from '../../core/options.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { pad as libraryPad, type PadOptions } from '../../ops/arrangement/pad.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { tile as libraryTile } from '../../ops/arrangement/tile.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { einsum as libraryEinsum } from '../../ops/products/einsum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { isTensor, ofValues } from './promotion.ts';

export interface TileOptions {
  /** How often x is repeated: a number for the last axis, or counts for the last axes; more of them than x has add axes. */
  repeats: number | readonly number[];
}

/** x repeated along its axes. Any dtype. Shape: sizes times `repeats`. Errors: ValueError for counts below 0, ShapeError. */
export const tile: CompositeOp<[x: Tensor], TileOptions, Tensor, ['repeats']> =
  /* @__PURE__ */ defineComposite({
    name: 'tile',
    inputs: ['x'],
    options: { repeats: true },
    compose: ([x], { repeats }) => {
      const counts: readonly number[] = Array.isArray(repeats) ? repeats : [repeats];
      for (const count of counts) requireInteger('tile', 'repeats', count, 0);
      const rank = Math.max(counts.length, x.shape.length);
      const whole = rank === x.shape.length ? x : reshape(x, { shape: aligned(x.shape, rank) });
      return libraryTile(whole, { reps: aligned(counts, rank) });
    },
  });

/** The numbers with ones before them. */
const aligned = (numbers: readonly number[], count: number) => [
  ...new Array<number>(count - numbers.length).fill(1),
  ...numbers,
];

export interface ExpandDimsOptions {
  /** Where new axes go in the result; negative ones count from its last. Default 0. */
  axis?: number | readonly number[];
}

/** x with new axes of size 1, without a copy. Any dtype. Errors: ShapeError for an axis that the result lacks, or given twice. */
export const expandDims: CompositeOp<[x: Tensor], ExpandDimsOptions, Tensor, ['axis']> =
  /* @__PURE__ */ defineComposite({
    name: 'expandDims',
    inputs: ['x'],
    options: { axis: true },
    compose: ([x], { axis = 0 }) => {
      const count = Array.isArray(axis) ? axis.length : 1;
      const rank = x.shape.length + count;
      const added = normalizeAxes('expandDims', axis, rank);
      if (added.length !== count || rank > maxRank) throw badAxes(axis, x.shape.length);
      const sizes = [...x.shape];
      const shape = Array.from({ length: rank }, (_, i) =>
        added.includes(i) ? 1 : (sizes.shift() as number),
      );
      return reshape(x, { shape });
    },
  });

const badAxes = (axis: unknown, rank: number) =>
  new ShapeError({
    op: 'expandDims',
    rule: `new axes are different, and the result has at most ${maxRank}.`,
    received: `axis: ${describe(axis)} for rank ${rank}`,
    hint: 'reshape x first.',
  });

/** Options of `pad`. */
export interface PadWidthOptions extends Pick<PadOptions, 'mode'> {
  /** Elements added on every side, [before, after] of every axis, or a pair for each axis. */
  padWidth?: number | readonly number[] | readonly (readonly number[])[];
  /** As `padWidth`: the library's name. */
  paddings?: PadOptions['paddings'];
  /** What is added in mode 'constant'. Default 0. */
  constantValues?: number | null;
  /** As `constantValues`: the library's name. */
  constantValue?: number;
}

/** The library's `pad`, also with one width for all sides. Any dtype. Errors: as there. */
export const pad: CompositeOp<[x: Tensor], PadWidthOptions, Tensor, ['padWidth', 'mode', 'constantValues']> =
  /* @__PURE__ */ defineComposite({
    name: 'pad',
    inputs: ['x'],
    options: { padWidth: true, mode: true, constantValues: true, paddings: false, constantValue: false },
    compose: ([x], { padWidth, paddings, mode, constantValues, constantValue }) =>
      libraryPad(x, {
        paddings: paddings ?? pairsOf(padWidth, x.shape.length),
        ...(mode === undefined ? {} : { mode }),
        constantValue: constantValues ?? constantValue ?? 0,
      }),
  });

/** Other values are left for `pad` to reject. */
function pairsOf(width: unknown, rank: number): PadOptions['paddings'] {
  const given = [width].flat();
  const isOfAll = given.every((one) => typeof one === 'number') && given.length <= 2;
  const pairs = isOfAll ? [given] : given;
  const listed = pairs.length === 1 ? new Array<unknown>(rank).fill(pairs[0]) : pairs;
  return listed.map((pair) =>
    Array.isArray(pair) && pair.length === 1 ? [pair[0], pair[0]] : pair,
  ) as never;
}

/** The library's `einsum` of any dtypes: the result has the highest. Shapes and errors: as there. */
export const einsum: typeof libraryEinsum = /* @__PURE__ */ withEquationFirst(
  /* @__PURE__ */ ofValues(libraryEinsum),
);

/* @__NO_SIDE_EFFECTS__ */
function withEquationFirst(op: typeof libraryEinsum): typeof libraryEinsum {
  const call = (...args: unknown[]) => {
    const [equation, ...tensors] = args;
    return typeof equation === 'string'
      ? op(tensors as readonly Tensor[], { equation })
      : op(...(args as Parameters<typeof op>));
  };
  // As the library's, which distinguishes both forms at run time.
  return Object.assign(call, { definition: op.definition }) as unknown as typeof libraryEinsum;
}

/** Options of `transpose`. */
export interface AxesOptions {
  /** For each axis of the result, the axis of x. Default: the axes in reverse order. */
  axes?: readonly number[];
  /** As `axes`: the library's name. */
  perm?: readonly number[];
}

/** The library's `transpose`. Any dtype. Shapes and errors: as there. */
export const transpose: CompositeOp<[x: Tensor], AxesOptions, Tensor, ['axes']> =
  /* @__PURE__ */ defineComposite({
    name: 'transpose',
    inputs: ['x'],
    options: { axes: true, perm: false },
    compose: ([x], { axes, perm = axes }) => libraryTranspose(x, perm ? { perm } : {}),
  });

/** `meshgrid` of keras.ops: the vectors one by one, or in a list. */
export interface Meshgrid extends CompositeOp<[vectors: Tensor[]], MeshgridOptions, Tensor[], ['indexing']> {
  (...vectors: readonly TensorLike[]): Tensor[];
  (one: TensorLike, other: TensorLike, options: MeshgridOptions): Tensor[];
}

/** The library's `meshgrid`, also of vectors one by one: `meshgrid(x, y)`. Any dtypes. Shapes and errors: as there. */
export const meshgrid: Meshgrid = /* @__PURE__ */ ofSeparate(libraryMeshgrid);

/* @__NO_SIDE_EFFECTS__ */
function ofSeparate(op: typeof libraryMeshgrid): Meshgrid {
  const run = op as unknown as (...args: unknown[]) => Tensor[];
  const call = (...args: unknown[]) => {
    if (!isTensor(args[0])) return run(...args);
    const last = args.at(-1);
    return isPlainObject(last) ? run(args.slice(0, -1), last) : run(args);
  };
  return Object.assign(call, { definition: op.definition }) as unknown as Meshgrid;
}
