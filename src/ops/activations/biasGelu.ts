/** @file biasGelu: a bias and the activation that follows it. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireBoolean } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { gelu, geluDerivative, type GeluOptions } from './activations.ts';
import { add } from '../elementwise/arithmetic.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { sumToShape } from '../reductions/sum.ts';

/** dy · gelu'(x + bias). */
const derivative: Op<[dy: Tensor, x: Tensor, bias: Tensor], GeluOptions> = /* @__PURE__ */ defineOp({
  name: 'biasGeluDerivative',
  inputs: ['dy', 'x', 'bias'],
  infer: ([dy]) => ({ shape: dy.shape, dtype: dy.dtype }),
  forward: (operands, plan, { options: { approximate } }) => {
    const factor = approximate ? math.geluTanhDerivative('b + c') : math.geluDerivative('b + c');
    return kernels().elementwiseKernel('biasGelu', `a * ${factor}`, operands, plan);
  },
  elementwise: true,
  backward: ([u], { inputs: [dy, x, bias], options }) => {
    const { backward } = geluDerivative.definition;
    const z = add(x, bias);
    const saved = { inputs: [dy, z], needs: [false, true], options };
    const dz = (backward as (...args: unknown[]) => readonly Tensor[])([u], saved)[1] as Tensor;
    return [derivative(u, x, bias, options), dz, sumToShape(dz, bias.shape)];
  },
  cost: perResult,
});

/**
 * gelu(x + bias) in one launch, and one for the gradient of x; that of the bias is its sum. float32. Shapes: x [..., n], bias [n] → that
 * of x. Errors: ShapeError for a bias of another size, DTypeError, ValueError for an `approximate` that isn't a boolean.
 */
export const biasGelu: Op<
  [x: Tensor, bias: Tensor],
  GeluOptions,
  Tensor<'float32'>,
  'unknown',
  ['approximate']
> = /* @__PURE__ */ defineOp({
  name: 'biasGelu',
  inputs: ['x', 'bias'],
  options: { approximate: true },
  infer: ([x, bias], { approximate = false }) => {
    requireBoolean('biasGelu', 'approximate', approximate);
    requireDType('biasGelu', 'x', x.dtype, ['float32']);
    requireDType('biasGelu', 'bias', bias.dtype, ['float32']);
    if (bias.shape.length !== 1 || bias.shape[0] !== x.shape.at(-1)) {
      throw new ShapeError({
        op: 'biasGelu',
        rule: '`bias` is a vector of one value for each element of the last axis of `x`.',
        received: `x ${formatSpec(x)}, bias ${formatSpec(bias)}`,
        hint: 'reshape the bias, or add it first.',
      });
    }
    return { shape: x.shape, dtype: x.dtype, approximate };
  },
  forward: (operands, plan) => {
    const expression = plan.approximate ? math.geluTanh('a + b') : math.gelu('a + b');
    return kernels().elementwiseKernel('biasGelu', expression, operands, plan);
  },
  formula: ([x, bias], { approximate }) => gelu(add(x, bias), { approximate }),
  backward: ([dy], { inputs: [x, bias], inputSpecs, needs, plan: { approximate } }) => {
    const dz = derivative(dy, x, bias, { approximate });
    return [dz, needs[1] ? sumToShape(dz, inputSpecs[1].shape) : null];
  },
  cost: perResult,
});
