/** @file argMax and argMin. */
import type { DType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { normalizeAxis } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { ascendingKey, descendingKey } from '../../kernels/sorting/keys.ts';
import type { Reduction } from '../../kernels/reduce/reduce.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { planReduction, reduceOptionNames } from './reduction.ts';

/** Options of `argMax` and `argMin`. */
export interface ArgOptions {
  /** The axis to search; if null or omitted, all elements by their flat position. */
  axis?: number | null;
  /** Keeps the searched axis with size 1. Default false. */
  keepDims?: boolean;
}

type ArgOp = Op<[x: Tensor], ArgOptions, Tensor<'int32'>, 'unknown', ['axis', 'keepDims']>;

/** Finds the largest key; among equal ones, the lowest position. */
function search(name: 'argMax' | 'argMin', dtype: DType): Reduction {
  return {
    accumulator: 'vec2<u32>',
    initial: 'vec2<u32>(0u, 0xffffffffu)',
    prepare: `vec2<u32>(${(name === 'argMax' ? ascendingKey : descendingKey)(dtype)}, k)`,
    combine: 'select(b, a, (a.x > b.x) | ((a.x == b.x) & (a.y < b.y)))',
    combineOrdered: 'select(a, b, b.x > a.x)',
    finish: ['a.y'],
  };
}

function defineArg(name: 'argMax' | 'argMin'): ArgOp {
  return defineOp({
    name,
    inputs: ['x'],
    options: reduceOptionNames,
    infer: ([x], options) => {
      const { axis = null, keepDims } = options;
      const single = axis === null ? null : normalizeAxis(name, axis, x.shape.length);
      const plan = planReduction(name, x, { axis: single, keepDims }, 'int32');
      const searched = plan.axes.map((i) => x.shape[i]);
      if (searched.includes(0)) {
        throw new ShapeError({
          op: name,
          rule: 'there must be an element to find along the axis.',
          received: `${formatSpec(x)}, axis: ${axis}`,
          hint: 'search an axis of at least one element.',
        });
      }
      return plan;
    },
    forward: ([x], plan) => {
      const [position] = kernels().reduceKernel(name, x, plan.axes, [plan], search(name, x.dtype));
      return position;
    },
    backward: null,
  });
}

/**
 * Position of the largest element along `axis`, int32; the first among equal ones. A NaN counts as the largest.
 * Shape: x without the axis, or with size 1 where `keepDims`. Any dtype. No gradient.
 * Errors: ShapeError for an axis that x lacks, or that has no elements.
 */
export const argMax: ArgOp = /* @__PURE__ */ defineArg('argMax');

/**
 * Position of the smallest element along `axis`, int32; the first among equal ones. A NaN counts as the smallest.
 * Shape: x without the axis, or with size 1 where `keepDims`. Any dtype. No gradient.
 * Errors: ShapeError for an axis that x lacks, or that has no elements.
 */
export const argMin: ArgOp = /* @__PURE__ */ defineArg('argMin');
