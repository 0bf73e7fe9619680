/** @file Reductions and sorting of the library with the dtypes of Keras. */
import * as library from '../../ops/index.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats } from './composites.ts';
import { ofFlags, ofFloats, ofNumbers, ofValues } from './promotion.ts';

/** The library's `logSumExp`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const logSumExp: typeof library.logSumExp = /* @__PURE__ */ ofFloats(library.logSumExp);

/** The library's `mean`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const mean: typeof library.mean = /* @__PURE__ */ ofFloats(library.mean);

/** The library's `median`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const median: typeof library.median = /* @__PURE__ */ ofFloats(library.median);

export interface MomentsOptions {
  /** The axes to reduce. Default: all. */
  axes?: number | readonly number[] | null;
  /** Whether reduced axes stay, with size 1. Default false. */
  keepDims?: boolean;
  /** The same as `axes`. */
  axis?: number | readonly number[] | null;
}

/** The library's `moments`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const moments: CompositeOp<
  [x: Tensor],
  MomentsOptions,
  [mean: Tensor, variance: Tensor],
  ['axes', 'keepDims']
> = /* @__PURE__ */ composeFloats({
  name: 'moments',
  inputs: ['x'],
  options: { axes: true, keepDims: true, axis: false },
  compose: ([x], { axes = null, axis = axes, keepDims = false }) =>
    library.moments(x, { axis, keepDims }) as [Tensor, Tensor],
});

/** The library's `normalize`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const normalize: typeof library.normalize = /* @__PURE__ */ ofFloats(library.normalize);

/** The library's `searchSorted`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const searchSorted: typeof library.searchSorted = /* @__PURE__ */ ofFloats(library.searchSorted);

/** The library's `std`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const std: typeof library.std = /* @__PURE__ */ ofFloats(library.std);

/** The library's `variance`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const variance: typeof library.variance = /* @__PURE__ */ ofFloats(library.variance);

/** The library's `argMax`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const argMax: typeof library.argMax = /* @__PURE__ */ ofNumbers(library.argMax);

/** The library's `argMin`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const argMin: typeof library.argMin = /* @__PURE__ */ ofNumbers(library.argMin);

/** The library's `argsort`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const argsort: typeof library.argsort = /* @__PURE__ */ ofNumbers(library.argsort);

/** The library's `sum`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const sum: typeof library.sum = /* @__PURE__ */ ofNumbers(library.sum);

/** The library's `topK`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const topK: typeof library.topK = /* @__PURE__ */ ofNumbers(library.topK);

/** The library's `sort`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const sort: typeof library.sort = /* @__PURE__ */ ofValues(library.sort);

/** The library's `all`, of any dtype: numbers count as true unless they are 0. Shapes and errors: as there. */
export const all: typeof library.all = /* @__PURE__ */ ofFlags(library.all);

/** The library's `any`, of any dtype: numbers count as true unless they are 0. Shapes and errors: as there. */
export const any: typeof library.any = /* @__PURE__ */ ofFlags(library.any);
