/** @file simplexSupport, from which sparsemax is built. */
import { requireDType } from '../../core/dtype.ts';
import { normalizeAxis } from '../../core/shape.ts';
import { simplexSupportKernel } from '../../kernels/normalization/simplexSupport.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';

/**
 * 1 for the elements of `x` that stay positive when its slices along `axis` are projected onto the simplex, 0 for others.
 * Shape: that of x. It has no gradient. Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const simplexSupport: Op<[x: Tensor], { axis: number }, Tensor<'float32'>> = /* @__PURE__ */ defineOp({
  name: 'simplexSupport',
  inputs: ['x'],
  infer: ([{ shape, dtype }], { axis }) => {
    requireDType('simplexSupport', 'x', dtype, ['float32']);
    return { shape, dtype, axis: normalizeAxis('simplexSupport', axis, shape.length) };
  },
  forward: ([x], { axis }) => simplexSupportKernel(x, axis),
  backward: null,
});
