/** @file stopGradient */
import type { TensorSpec } from '../core/spec.ts';
import { callSite } from '../history/callSite.ts';
import { view } from '../kernels/output.ts';
import { originOf, type Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';

/**
 * The values of `x` as a constant: no gradient passes, and the history ends here and says so. Nothing is copied.
 */
export const stopGradient: Op<[x: Tensor], object, Tensor> = /* @__PURE__ */ defineOp<[x: Tensor]>({
  name: 'stopGradient',
  inputs: ['x'],
  acceptsFloat16: true,
  infer: ([x]) => ({ shape: (x as TensorSpec).shape, dtype: (x as TensorSpec).dtype }),
  forward: ([input]) => {
    const x = input as Tensor;
    const provenance = {
      cause: 'detached',
      by: 'stopGradient',
      from: originOf(x),
      callSite: callSite(),
    } as const;
    return view(x, x, 'stopGradient', provenance);
  },
  backward: null,
});
