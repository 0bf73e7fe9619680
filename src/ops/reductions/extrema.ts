/** @file max and min along axes. */
import type { DType } from '../../core/dtype.ts';
import * as math from '../../kernels/elementwise/math.ts';
import type { Reduction } from '../../kernels/reduce/reduce.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div, mul } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { equal } from '../elementwise/comparison.ts';
import { defineReduction, numbers, type ReductionOp, type ReductionPlan, restoreAxes } from './reduction.ts';
import { sum } from './sum.ts';

const lowest: Partial<Record<DType, number>> = {
  float32: Number.NEGATIVE_INFINITY,
  int32: -(2 ** 31),
  uint32: 0,
};
const highest: Partial<Record<DType, number>> = {
  float32: Number.POSITIVE_INFINITY,
  int32: 2 ** 31 - 1,
  uint32: 2 ** 32 - 1,
};

function extremum(name: 'max' | 'min', dtype: DType): Reduction {
  if (dtype === 'float32') return floatExtremum(name);
  return { identity: (name === 'max' ? lowest : highest)[dtype] as number, combine: `${name}(a, b)` };
}

/**
 * Returns the extremum of the comparable values, with a word whose top bit says that there was a NaN: WGSL's own max and min may
 * drop NaN, and functions that propagate it cost many instructions per value. Infinity's bits plus 0x7fffff are the largest
 * word without that bit.
 */
function floatExtremum(name: 'max' | 'min'): Reduction {
  const [sign, bits] = name === 'max' ? ['>', 0xff800000] : ['<', 0x7f800000];
  return {
    accumulator: 'vec2<u32>',
    initial: 'vec2<u32>(params.initial, 0u)',
    identity: bits,
    prepare: 'vec2<u32>(bitcast<u32>(value), (bitcast<u32>(value) & 0x7fffffffu) + 0x7fffffu)',
    combine: `vec2<u32>(select(a.x, b.x, bitcast<f32>(b.x) ${sign} bitcast<f32>(a.x)), a.y | b.y)`,
    finish: [`select(bitcast<f32>(a.x), ${math.nanValue()}, a.y >= 0x80000000u)`],
    empty: [(name === 'max' ? lowest : highest).float32 as number],
  };
}

/** Returns the cotangent of an extremum `y` of `x`. Tied extrema share it equally. */
function share(dy: Tensor, x: Tensor, y: Tensor, plan: ReductionPlan): Tensor {
  const chosen = cast(equal(x, restoreAxes(y, plan)), 'float32');
  const ties = sum(chosen, { axis: plan.axes, keepDims: true });
  return mul(chosen, div(restoreAxes(dy, plan), ties));
}

/**
 * The largest element along `axis`; NaN if any is NaN. Shape: x without the reduced axes, or with size 1 where
 * `keepDims`. An empty maximum is -Infinity, or the lowest integer.
 * Gradient: tied maxima share it equally.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const max: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'max',
  dtypes: numbers,
  reduction: (dtype) => extremum('max', dtype),
  save: { inputs: [0], outputs: [0] },
  gradient: (dy, { inputs: [x], outputs: [y], plan }) => share(dy, x, y, plan),
});

/**
 * The smallest element along `axis`; NaN if any is NaN. Shape: x without the reduced axes, or with size 1 where
 * `keepDims`. An empty minimum is Infinity, or the highest integer.
 * Gradient: tied minima share it equally.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const min: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'min',
  dtypes: numbers,
  reduction: (dtype) => extremum('min', dtype),
  save: { inputs: [0], outputs: [0] },
  gradient: (dy, { inputs: [x], outputs: [y], plan }) => share(dy, x, y, plan),
});
