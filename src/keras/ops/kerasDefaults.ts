/** @file Ops that Keras has under the same name as the library, but with other arguments or defaults: `ops` has Keras's. */
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import type { DType } from '../../core/dtype.ts';
import { normalizeAxis, requireInteger } from '../../core/shape.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { gelu as libraryGelu, type GeluOptions } from '../../ops/activations/activations.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import type { CreationOptions } from '../../ops/creation/creation.ts';
import { eye } from '../../ops/creation/eye.ts';
import { cumprod as libraryCumprod } from '../../ops/reductions/cumulative.ts';
import { cumsum as libraryCumsum, type CumsumOptions } from '../../ops/reductions/cumsum.ts';
import { prod as libraryProd } from '../../ops/reductions/prod.ts';
import type { ReduceOptions } from '../../ops/reductions/reduction.ts';
import { norm as libraryNorm, type NormOptions } from '../../ops/reductions/norm.ts';
import {
  takeAlongAxis as libraryTakeAlongAxis,
  type TakeAlongAxisOptions,
} from '../../ops/indexing/takeAlongAxis.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { flat, fromTheEnd } from './flat.ts';
import { composeFloats, composeNumbers } from './composites.ts';

/** Options of `cumsum` and `cumprod`. */
export interface ScanOptions extends Omit<CumsumOptions, 'axis'> {
  /** The axis along which values accumulate. Default null: all elements, flat. */
  axis?: number | null;
  /** The dtype in which they accumulate. Default: that of x, int32 for booleans. */
  dtype?: DType | null;
}

type Scan = CompositeOp<[x: Tensor], ScanOptions, Tensor, ['axis', 'dtype']>;

/* @__NO_SIDE_EFFECTS__ */
function defineScan(name: string, scan: (x: Tensor, options: CumsumOptions) => Tensor): Scan {
  return composeNumbers({
    name,
    inputs: ['x'],
    options: { axis: true, dtype: true, exclusive: false, reverse: false },
    compose: ([x], { axis = null, dtype = null, ...options }) => {
      const summed = dtype === null ? x : cast(x, { dtype });
      return axis === null ? scan(flat(summed), { ...options, axis: 0 }) : scan(summed, { ...options, axis });
    },
  });
}

/** Running sums. Any dtype; booleans as int32. Shape: that of x; flat without an axis. Errors: as of the library's `cumsum`. */
export const cumsum: Scan = /* @__PURE__ */ defineScan('cumsum', libraryCumsum);

/** Running products. Any dtype; booleans as int32. Shape: that of x; flat without an axis. Errors: as of the library's `cumprod`. */
export const cumprod: Scan = /* @__PURE__ */ defineScan('cumprod', libraryCumprod);

export interface ProdOptions extends ReduceOptions {
  /** The dtype in which elements are multiplied. Default: that of x, int32 for booleans. */
  dtype?: DType | null;
}

/** The library's `prod`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const prod: CompositeOp<[x: Tensor], ProdOptions, Tensor, ['axis', 'keepDims', 'dtype']> =
  /* @__PURE__ */ composeNumbers({
    name: 'prod',
    inputs: ['x'],
    options: { axis: true, keepDims: true, dtype: true },
    compose: ([x], { dtype = null, ...options }) =>
      libraryProd(dtype === null ? x : cast(x, { dtype }), options),
  });

/** The library's `gelu`; the tanh approximation unless `approximate` is false. float32. Shape: that of x. */
export const gelu: CompositeOp<[x: Tensor], GeluOptions, Tensor, ['approximate']> =
  /* @__PURE__ */ composeFloats({
    name: 'gelu',
    inputs: ['x'],
    options: { approximate: true },
    compose: ([x], { approximate = true }) => libraryGelu(x, { approximate }),
  });

/** Options of `norm`. */
export interface KerasNormOptions extends Omit<NormOptions, 'ord'> {
  /** As of the library's `norm`. Default null: 'euclidean'. */
  ord?: NormOptions['ord'] | null;
}

/**
 * The library's `norm`, but a matrix without an `axis` has a matrix norm: `norm(x, { ord: 1 })` is the largest sum of a column.
 * float32. Shapes and errors: as of the library's `norm`.
 */
export const norm: CompositeOp<[x: Tensor], KerasNormOptions, Tensor, ['ord', 'axis', 'keepDims']> =
  /* @__PURE__ */ composeFloats({
    name: 'norm',
    inputs: ['x'],
    options: { ord: true, axis: true, keepDims: true },
    compose: ([x], { axis = null, ord, ...options }) =>
      libraryNorm(x, {
        ...options,
        ord: ord ?? undefined,
        axis: axis === null && x.shape.length === 2 ? [0, 1] : axis,
      }),
  });

/** Options of `takeAlongAxis`. */
export interface KerasTakeAlongAxisOptions extends Omit<TakeAlongAxisOptions, 'axis'> {
  /** The axis along which elements are taken. Default null: x and the indices are flattened. */
  axis?: number | null;
}

/** The library's `takeAlongAxis`; without an `axis`, of flat tensors. Negative indices count from the last. Shapes and errors: as of the library's `takeAlongAxis`. */
export const takeAlongAxis: CompositeOp<
  [x: Tensor, indices: Tensor],
  KerasTakeAlongAxisOptions,
  Tensor,
  ['axis']
> = /* @__PURE__ */ defineComposite({
  name: 'takeAlongAxis',
  inputs: ['x', 'indices:int32'],
  options: { axis: true, fillValue: false, validateIndices: false, mode: false },
  compose: ([x, indices], { axis = null, ...options }) => {
    const [table, places] = axis === null ? [flat(x), flat(indices)] : [x, indices];
    const along = normalizeAxis('takeAlongAxis', axis ?? 0, table.shape.length);
    return libraryTakeAlongAxis(table, fromTheEnd(places, table.shape[along] as number), {
      ...options,
      axis: along,
    });
  },
});

const identityOptionNames: OptionNames<CreationOptions> = { dtype: true, name: false };

/** The identity matrix of `n` rows, like `eye(n)`. Any dtype. Shape [n, n]. Errors: ValueError. `copy` copies a tensor. */
export function identity(n: number, ...settings: Settings<CreationOptions, ['dtype']>): Tensor;
export function identity(n: number, ...settings: unknown[]): Tensor {
  const options: CreationOptions = optionsOf('identity', settings, identityOptionNames, ['n']);
  requireInteger('identity', 'n', n, 0);
  return eye(n, options);
}
