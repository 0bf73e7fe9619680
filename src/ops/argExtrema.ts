/** @file argMax and argMin. */
import type { DType } from '../core/dtype.ts';
import { ShapeError } from '../core/errors.ts';
import { normalizeAxes, normalizeAxis } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { ascendingKey, descendingKey } from '../kernels/keys.ts';
import type { Reduction } from '../kernels/reduce.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { reducedSpec } from './reduction.ts';

export interface ArgOptions {
  /** The axis to search; null or left out: all elements, by their flat position. */
  axis?: number | null;
  /** Keeps the searched axis with size 1. Default false. */
  keepDims?: boolean;
}

type ArgOp = Op<[x: Tensor], ArgOptions, Tensor>;

/** Finds the largest key, and of equal ones the lowest position. */
function search(name: 'argMax' | 'argMin', dtype: DType): Reduction {
  return {
    accumulator: 'vec2<u32>',
    initial: 'vec2<u32>(0u, 0xffffffffu)',
    prepare: `vec2<u32>(${(name === 'argMax' ? ascendingKey : descendingKey)(dtype)}, k)`,
    combine: 'select(b, a, a.x > b.x || (a.x == b.x && a.y < b.y))',
    finish: ['a.y'],
  };
}

function defineArg(name: 'argMax' | 'argMin'): ArgOp {
  return defineOp<[x: Tensor], ArgOptions>({
    name,
    inputs: ['x'],
    infer: ([input], options) => {
      const x = input as TensorSpec;
      const axis = options.axis ?? null;
      const searched = axis === null ? x.shape : [x.shape[normalizeAxis(name, axis, x.shape.length)]];
      if (searched.includes(0)) {
        throw new ShapeError({
          op: name,
          rule: 'there must be an element to find along the axis.',
          received: `${formatSpec(x)}, axis: ${axis}`,
          hint: 'search an axis of at least one element.',
        });
      }
      return reducedSpec(name, x, options, 'int32');
    },
    forward: ([input], { axis }, { outputs }) => {
      const x = input as Tensor;
      return core().reduceKernel(
        name,
        x,
        normalizeAxes(name, axis, x.rank),
        outputs,
        search(name, x.dtype),
      )[0] as Tensor;
    },
    backward: null,
    save: { inputs: [] },
  });
}

/**
 * Position of the largest element along `axis`, int32; of equal ones the first. A NaN counts as the largest.
 * Shape: x without the axis, or with size 1 where `keepDims`. Any dtype. No gradient.
 * Errors: ShapeError for an axis that x lacks, or that has no elements.
 */
export const argMax: ArgOp = /* @__PURE__ */ defineArg('argMax');

/**
 * Position of the smallest element along `axis`, int32; of equal ones the first. A NaN counts as the smallest.
 * Shape: x without the axis, or with size 1 where `keepDims`. Any dtype. No gradient.
 * Errors: ShapeError for an axis that x lacks, or that has no elements.
 */
export const argMin: ArgOp = /* @__PURE__ */ defineArg('argMin');
