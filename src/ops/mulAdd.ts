/** @file mulAdd */
import { requireDType } from '../core/dtype.ts';
import { broadcastShapes } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { mul } from './arithmetic.ts';
import { perResult } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { sumToShape } from './elementwise.ts';

/** a · b + c, elementwise with broadcasting, in one pass. For gradients, which are chains of such; float32 alone. */
export const mulAdd: Op<[a: Tensor, b: Tensor, c: Tensor], object, Tensor> = /* @__PURE__ */ defineOp<
  [a: Tensor, b: Tensor, c: Tensor]
>({
  name: 'mulAdd',
  inputs: ['a', 'b', 'c'],
  infer: (specs) => {
    const [a, b, c] = specs as [TensorSpec, TensorSpec, TensorSpec];
    for (const { dtype } of specs) requireDType('mulAdd', 'the operands', dtype, ['float32']);
    const product = broadcastShapes('mulAdd', a.shape, b.shape);
    return { shape: broadcastShapes('mulAdd', product, c.shape), dtype: 'float32' };
  },
  forward: (operands, _, { outputs: [spec] }) =>
    core().elementwiseKernel('mulAdd', 'fma(a, b, c)', operands, spec as TensorSpec),
  backward: ([cotangent], { inputs: [a, b], inputSpecs, needs }) => {
    const dy = cotangent as Tensor;
    const toShape = (gradient: Tensor, i: number) =>
      sumToShape(gradient, (inputSpecs[i] as TensorSpec).shape);
    return [
      needs[0] ? toShape(mul(dy, b as Tensor), 0) : null,
      needs[1] ? toShape(mul(dy, a as Tensor), 1) : null,
      needs[2] ? toShape(dy, 2) : null,
    ];
  },
  save: { inputs: [0, 1] },
  cost: (inputs, outputs) => ({ flops: 2 * perResult(inputs, outputs).flops }),
});
