/** @file Ops that Keras has under the same name as the library, but with more arguments: `ops` has Keras's. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean, requireInteger } from '../../core/shape.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { div, mul } from '../../ops/elementwise/arithmetic.ts';
import { avgPool, avgPool1d } from '../../ops/pooling/avgPool.ts';
import { cholesky as libraryCholesky } from '../../ops/linalg/cholesky.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { max as libraryMax, min as libraryMin } from '../../ops/reductions/extrema.ts';
import { transposed } from '../../ops/linalg/matrices.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import { maxPool as libraryMaxPool, maxPool1d } from '../../ops/pooling/maxPool.ts';
import { avgPool3d, maxPool3d } from '../../ops/pooling/pool3d.ts';
import { poolOptionNames, type PoolOptions, type PoolPositions } from '../../ops/pooling/pooling.ts';
import { range, type RangeOptions } from '../../ops/creation/range.ts';
import type { ReduceOptions } from '../../ops/reductions/reduction.ts';
import { round as libraryRound } from '../../ops/elementwise/rounding.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { identity } from '../../ops/arrangement/identity.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { isFloating } from '../../core/dtype.ts';
import { type DataFormatOption, inEitherFormat } from './channels.ts';
import { composeFloats, composeThroughFloats, composeValues } from './composites.ts';

/** Options of `max` and `min`. */
export interface ExtremumOptions extends ReduceOptions {
  /** A bound of the result, which a reduction over no elements has, too. Default null: none. */
  initial?: number | null;
}

type Extremum = CompositeOp<[x: Tensor], ExtremumOptions, Tensor, ['axis', 'keepDims', 'initial']>;

/* @__NO_SIDE_EFFECTS__ */
function defineExtremum(
  name: string,
  reduce: (x: Tensor, options: ReduceOptions) => Tensor,
  bound: (x: Tensor, y: number) => Tensor,
): Extremum {
  return composeValues({
    name,
    inputs: ['x'],
    options: { axis: true, keepDims: true, initial: true },
    compose: ([x], { initial = null, ...options }) => {
      const found = reduce(x, options);
      return initial === null ? found : bound(found, initial);
    },
  });
}

/** The largest element along `axis`, and `initial`. float32, int32, uint32. Shapes and errors: as of the library's `max`. */
export const max: Extremum = /* @__PURE__ */ defineExtremum('max', libraryMax, maximum);

/** The smallest element along `axis`, and `initial`. float32, int32, uint32. Shapes and errors: as of the library's `min`. */
export const min: Extremum = /* @__PURE__ */ defineExtremum('min', libraryMin, minimum);

export interface RoundOptions {
  /** Number of decimal places; negative ones round to tens, hundreds, … Default 0. */
  decimals?: number;
}

/** The nearest number with `decimals` places; ties to even. Any dtype. Shape: that of x. Errors: ValueError, DTypeError. */
export const round: CompositeOp<[x: Tensor], RoundOptions, Tensor, ['decimals']> =
  /* @__PURE__ */ defineComposite({
    name: 'round',
    inputs: ['x'],
    options: { decimals: true },
    compose: ([x], { decimals = 0 }) => {
      requireInteger('round', 'decimals', decimals, Number.MIN_SAFE_INTEGER);
      if (!isFloating(x.dtype)) return decimals < 0 ? roundedTo(x, 10 ** -decimals) : identity(x);
      if (decimals === 0) return libraryRound(x);
      const power = 10 ** Math.abs(decimals);
      return decimals > 0 ? div(libraryRound(mul(x, power)), power) : mul(libraryRound(div(x, power)), power);
    },
  });

/** Integers rounded to multiples of `step`, as floats: up to 2²⁴ they are exact. */
function roundedTo(x: Tensor, step: number): Tensor {
  return cast(mul(libraryRound(div(x, step)), step), { dtype: x.dtype });
}

export interface CholeskyOptions {
  /** Whether the factor is the upper triangular U with Uᵀ U = x. Default false: the lower one. */
  upper?: boolean;
}

/** The library's `cholesky`, or its transpose. float32. Shape: that of x. Errors: as of the library's `cholesky`, ValueError. */
export const cholesky: CompositeOp<[x: Tensor], CholeskyOptions, Tensor, ['upper']> =
  /* @__PURE__ */ composeFloats({
    name: 'cholesky',
    inputs: ['x'],
    options: { upper: true },
    compose: ([x], { upper = false }) => {
      requireBoolean('cholesky', 'upper', upper);
      const lower = libraryCholesky(x);
      return upper ? transposed(lower) : lower;
    },
  });

type Pool = CompositeOp<[x: Tensor], PoolOptions & DataFormatOption, Tensor, PoolPositions>;

/* @__NO_SIDE_EFFECTS__ */
function definePool(
  name: string,
  pools: readonly ((x: Tensor, options: PoolOptions) => Tensor)[],
  define: typeof composeFloats,
): Pool {
  return define(
    inEitherFormat({
      name,
      inputs: ['x'],
      options: { ...poolOptionNames, dataFormat: false },
      compose: ([x], options) => {
        const pool = pools[x.shape.length - 3];
        if (!pool) throw noRank(name, x);
        return pool(x, options);
      },
    }),
  );
}

const noRank = (op: string, { shape }: Tensor) =>
  new ShapeError({
    op,
    rule: '`x` must have rank 3, 4 or 5: sequences, images or volumes.',
    received: `x ${formatShape(shape)}`,
    hint: 'add an axis for the batch and one for channels.',
  });

/** The means of windows of sequences, images or volumes, by the rank of x. float32. Shapes and errors: as of `avgPool`. */
export const averagePool: Pool = /* @__PURE__ */ definePool(
  'averagePool',
  [avgPool1d, avgPool, avgPool3d],
  composeFloats,
);

/** The maxima of windows of sequences, images or volumes, by the rank of x. Shapes, dtypes and errors: as of the library's `maxPool`. */
export const maxPool: Pool = /* @__PURE__ */ definePool(
  'maxPool',
  [maxPool1d, libraryMaxPool, maxPool3d],
  composeThroughFloats,
);

const rangeOptionNames: OptionNames<RangeOptions> = { step: true, dtype: true, name: false };

/**
 * The library's `range`, int32 if all numbers are whole; a single number is where it stops: `arange(3)` is [0, 1, 2]. The step is 1
 * by default. Shape, dtypes and errors: as of `range`.
 */
export function arange(stop: number, options?: RangeOptions): Tensor;
export function arange(
  start: number,
  stop: number,
  ...settings: Settings<RangeOptions, ['step', 'dtype']>
): Tensor;
export function arange(first: number, ...rest: unknown[]): Tensor {
  const [stop, ...settings] = typeof rest[0] === 'number' ? rest : [first, ...rest];
  const start = typeof rest[0] === 'number' ? first : 0;
  const options: RangeOptions = optionsOf('arange', settings, rangeOptionNames, ['start', 'stop']);
  const { step = 1, ...others } = options;
  const isWhole = [start, stop, step].every(Number.isInteger);
  return range(start, stop as number, { step, dtype: isWhole ? 'int32' : 'float32', ...others });
}
