/** @file mulAdd */
import { requireDType } from '../../core/dtype.ts';
import { broadcastShapes } from '../../core/shape.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from './arithmetic.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { sumToShape } from '../reductions/sum.ts';

/** a · b + c, elementwise with broadcasting, in one pass. For gradients, which are chains of these; only float32. */
export const mulAdd: Op<
  [a: Tensor, b: Tensor, c: Tensor],
  object,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: 'mulAdd',
  inputs: ['a', 'b', 'c'],
  save: { inputs: [0, 1] },
  readsInputs: ([a, b]) => [b, a, false],
  elementwise: true,
  infer: (specs) => {
    for (const { dtype } of specs) requireDType('mulAdd', 'the operands', dtype, ['float32']);
    const [a, b, c] = specs;
    const product = broadcastShapes('mulAdd', a.shape, b.shape);
    return { shape: broadcastShapes('mulAdd', product, c.shape), dtype: 'float32' };
  },
  forward: (operands, plan) => kernels().elementwiseKernel('mulAdd', 'fma(a, b, c)', operands, plan),
  backward: ([dy], { inputs: [a, b], inputSpecs, needs }) => [
    needs[0] ? sumToShape(mul(dy, b), inputSpecs[0].shape) : null,
    needs[1] ? sumToShape(mul(dy, a), inputSpecs[1].shape) : null,
    needs[2] ? sumToShape(dy, inputSpecs[2].shape) : null,
  ],
  cost: (inputs, outputs) => ({ flops: 2 * perResult(inputs, outputs).flops }),
});
