/** @file addN */
import { type DType, requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { sameShape } from '../../core/shape.ts';
import { formatSpec, specOf } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { perResult } from '../define/cost.ts';
import { defineOp, type Op, requireSameDType } from '../define/define.ts';

const numbers: readonly DType[] = ['float32', 'int32', 'uint32'];
const sums = ['', 'a', 'a + b', 'a + b + c', 'a + b + c + d'];
/** The maximum number of operands of one launch. */
const widest = 4;

/**
 * The sum of a list of tensors of one shape and dtype, from the first to the last, up to four at a time.
 * Errors: ValueError for an empty list, ShapeError and DTypeError if the tensors differ.
 */
export const addN: Op<[tensors: Tensor[]], object, Tensor, 'listed'> = /* @__PURE__ */ defineOp({
  name: 'addN',
  inputs: ['...tensors'],
  options: {},
  save: { inputs: [] },
  infer: (specs) => {
    const [first] = specs;
    if (!first) {
      throw new ValueError({
        op: 'addN',
        rule: 'a sum needs at least one tensor.',
        received: 'an empty list',
        hint: 'pass zeros(shape) where there is nothing to add.',
      });
    }
    requireDType('addN', 'the tensors', first.dtype, numbers);
    for (const spec of specs) {
      requireSameDType('addN', first, spec);
      if (sameShape(first.shape, spec.shape)) continue;
      throw new ShapeError({
        op: 'addN',
        rule: 'all tensors must have the same shape.',
        received: `${formatSpec(first)} and ${formatSpec(spec)}`,
        hint: 'use add, which broadcasts.',
      });
    }
    return specOf(first);
  },
  forward: (tensors, plan) => {
    const [only] = tensors;
    if (only && tensors.length === 1) return view(only, plan, 'addN');
    const add = (operands: readonly Tensor[]) =>
      kernels().elementwiseKernel('addN', sums[operands.length] as string, operands, plan);
    let total = add(tensors.slice(0, widest));
    for (let next = widest; next < tensors.length; next += widest - 1)
      total = add([total, ...tensors.slice(next, next + widest - 1)]);
    return total;
  },
  backward: ([dy], { inputSpecs }) => inputSpecs.map(() => dy),
  cost: (inputs, outputs) => ({ flops: (inputs.length - 1) * perResult(inputs, outputs).flops }),
});
