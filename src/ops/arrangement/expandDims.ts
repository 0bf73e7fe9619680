/** @file expandDims */
import { checkShape, normalizeAxis } from '../../core/shape.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { reshape } from './reshape.ts';

export interface ExpandDimsOptions {
  /** Where the new axis goes; negative axes count from the last of the result. Default 0. */
  axis?: number;
}

/**
 * `x` with a new axis of size 1 at `axis`, without a copy.
 * Errors: ShapeError for an axis that the result lacks, and if the rank would exceed 6.
 * Any dtype.
 */
export const expandDims: Op<[x: Tensor], ExpandDimsOptions, Tensor, 'first', ['axis']> =
  /* @__PURE__ */ defineOp({
    name: 'expandDims',
    inputs: ['x'],
    options: { axis: true },
    acceptsFloat16: true,
    save: { inputs: [] },
    infer: ([{ shape, dtype }], { axis = 0 }) => {
      const at = normalizeAxis('expandDims', axis, shape.length + 1);
      const expanded = [...shape.slice(0, at), 1, ...shape.slice(at)];
      checkShape('expandDims', expanded);
      return { shape: expanded, dtype };
    },
    forward: ([x], plan) => view(x, plan, 'expandDims'),
    backward: ([dy], { inputSpecs: [x] }) => [reshape(dy, { shape: x.shape })],
  });
