/** @file cast */
import { type DType, isFloating } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import { elementwiseKernel } from '../kernels/elementwise.ts';
import { view } from '../kernels/output.ts';
import { checkDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';

/** Floats are truncated towards zero; anything but 0 becomes true. */
const expressions: Record<DType, Record<DType, string>> = {
  float32: { float32: 'a', int32: 'f32(a)', uint32: 'f32(a)', bool: 'f32(a)' },
  int32: { float32: 'i32(a)', int32: 'a', uint32: 'i32(a)', bool: 'i32(a)' },
  uint32: { float32: 'u32(a)', int32: 'u32(a)', uint32: 'a', bool: 'a' },
  bool: { float32: 'u32(a != 0.0)', int32: 'u32(a != 0)', uint32: 'u32(a != 0u)', bool: 'a' },
};

const castOp: Op<[x: Tensor], { dtype: DType }, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  { dtype: DType }
>({
  name: 'cast',
  inputs: ['x'],
  infer: ([x], { dtype }) => {
    checkDType('cast', dtype);
    return { shape: (x as TensorSpec).shape, dtype };
  },
  forward: ([x], { dtype }, { outputs: [spec] }) => {
    const input = x as Tensor;
    if (input.dtype === dtype) return view(input, input, 'cast');
    return elementwiseKernel('cast', expressions[dtype][input.dtype], [input], spec as TensorSpec);
  },
  backward: ([dy], { inputSpecs: [x] }) => [isFloating((x as TensorSpec).dtype) ? (dy as Tensor) : null],
  save: { inputs: [] },
});

/**
 * `x` as another dtype. Shape: that of x. Floats are truncated towards zero; NaN casts to an unspecified integer.
 * The gradient passes between floats and is cut by integers and bools.
 * Errors: DTypeError for an unknown dtype.
 */
export const cast = /* @__PURE__ */ Object.assign(
  ((x: Tensor, dtype: DType | { dtype: DType }) =>
    castOp(x, typeof dtype === 'string' ? { dtype } : dtype)) as (
    x: Tensor,
    dtype: DType | { dtype: DType },
  ) => Tensor,
  { definition: castOp.definition },
);
