/** @file stopGradient */
import { specOf } from '../../core/spec.ts';
import { callSite } from '../../history/callSite.ts';
import { view } from '../../kernels/launch/output.ts';
import { sourceOf, type Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';

/**
 * The values of `x` as a constant: no gradient passes, and the history ends here and says why. Nothing is copied.
 * Shape and dtype: those of x, which may be any. Errors: DisposedError.
 */
export const stopGradient: Op<[x: Tensor], object, Tensor, 'first'> = /* @__PURE__ */ defineOp({
  name: 'stopGradient',
  inputs: ['x'],
  options: {},
  acceptsFloat16: true,
  elementwise: true,
  infer: ([x]) => specOf(x),
  forward: ([x], plan) =>
    view(x, plan, 'stopGradient', {
      kind: 'detached',
      by: 'stopGradient',
      from: sourceOf(x),
      callSite: callSite(),
    }),
  backward: null,
});
