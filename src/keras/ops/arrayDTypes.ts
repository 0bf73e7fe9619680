/** @file Products, arrangement and linear algebra of the library with the dtypes of Keras. */
import { requireBoolean } from '../../core/shape.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import * as library from '../../ops/index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeNumbers } from './composites.ts';
import { ofFloats, ofNumbers, ofOneDType, ofValues } from './promotion.ts';

/** The library's `matMul`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const matMul: typeof library.matMul = /* @__PURE__ */ ofValues(library.matMul);

/** The library's `outer`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const outer: typeof library.outer = /* @__PURE__ */ ofValues(library.outer);

/** The library's `tensordot`, of any dtype, which the result has, too; of several, the highest. Shapes and errors: as there. */
export const tensordot: typeof library.tensordot = /* @__PURE__ */ ofValues(library.tensordot);

/** Options of segment ops. */
export interface KerasSegmentOptions extends library.SegmentSumOptions {
  /** Whether ids ascend; the result is the same. Default false. */
  sorted?: boolean;
}

type SegmentOp = CompositeOp<[x: Tensor, segmentIds: Tensor], KerasSegmentOptions, Tensor, ['numSegments']>;

/* @__NO_SIDE_EFFECTS__ */
function ofSegments(
  name: string,
  op: (x: Tensor, ids: Tensor, options: library.SegmentSumOptions) => Tensor,
): SegmentOp {
  return composeNumbers({
    name,
    inputs: ['x', 'segmentIds:int32'],
    options: { numSegments: true, sorted: false, validateIndices: false },
    compose: ([x, ids], { sorted = false, ...options }) => {
      requireBoolean(name, 'sorted', sorted);
      return op(x, ids, options);
    },
  });
}

/** The library's `segmentMax`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const segmentMax: SegmentOp = /* @__PURE__ */ ofSegments('segmentMax', library.segmentMax);

/** The library's `segmentMin`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const segmentMin: SegmentOp = /* @__PURE__ */ ofSegments('segmentMin', library.segmentMin);

/** The library's `segmentProd`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const segmentProd: SegmentOp = /* @__PURE__ */ ofSegments('segmentProd', library.segmentProd);

/** The library's `segmentSum`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const segmentSum: SegmentOp = /* @__PURE__ */ ofSegments('segmentSum', library.segmentSum);

/** The library's `trace`, of any dtype: booleans become int32. Shapes and errors: as there. */
export const trace: typeof library.trace = /* @__PURE__ */ ofNumbers(library.trace);

/** The library's `concat`, of dtypes that may differ: the result has the highest. Shapes and errors: as there. */
export const concat: typeof library.concat = /* @__PURE__ */ ofOneDType(library.concat);

/** The library's `stack`, of dtypes that may differ: the result has the highest. Shapes and errors: as there. */
export const stack: typeof library.stack = /* @__PURE__ */ ofOneDType(library.stack);

/** The library's `det`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const det: typeof library.det = /* @__PURE__ */ ofFloats(library.det);

/** The library's `eigh`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const eigh: typeof library.eigh = /* @__PURE__ */ ofFloats(library.eigh);

/** The library's `inv`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const inv: typeof library.inv = /* @__PURE__ */ ofFloats(library.inv);

/** The library's `luFactor`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const luFactor: typeof library.luFactor = /* @__PURE__ */ ofFloats(library.luFactor);

/** The library's `qr`, of any dtype: integers and booleans become floats. Shapes and errors: as there. */
export const qr: typeof library.qr = /* @__PURE__ */ ofFloats(library.qr);
