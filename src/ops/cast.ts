/** @file cast */
import { type DType, isFloating } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import { elementwiseKernel } from '../kernels/elementwise.ts';
import { view } from '../kernels/output.ts';
import { checkDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op, type OpDefinition } from './define.ts';
import type { TensorLike } from './operands.ts';
import type { SymbolicTensor } from './recording.ts';

export interface CastOptions<D extends DType = DType> {
  dtype: D;
}

/** A cast as users call it: the dtype by itself, or as an option. */
export interface Cast {
  <D extends DType>(x: TensorLike, dtype: D | CastOptions<D>): Tensor<D>;
  (x: TensorLike | SymbolicTensor, dtype: DType | CastOptions): SymbolicTensor;
  readonly definition: OpDefinition<CastOptions>;
}

/** By target, then source. Conversions of floats saturate, and NaN has no integer; WGSL leaves both open. */
const expressions: Record<DType, Record<DType, string>> = {
  float32: { float32: 'a', int32: 'f32(a)', uint32: 'f32(a)', bool: 'f32(a)' },
  int32: { float32: 'saturated_i32(a)', int32: 'a', uint32: 'i32(a)', bool: 'i32(a)' },
  uint32: { float32: 'saturated_u32(a)', int32: 'u32(a)', uint32: 'a', bool: 'a' },
  bool: { float32: 'u32(a != 0.0 || is_nan(a))', int32: 'u32(a != 0)', uint32: 'u32(a != 0u)', bool: 'a' },
};

const castOp: Op<[x: Tensor], CastOptions, Tensor> = /* @__PURE__ */ defineOp<[x: Tensor], CastOptions>({
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
 * `x` as another dtype: `cast(x, 'int32')` or `cast(x, { dtype: 'int32' })`. Shape: that of x. To integers, floats are
 * truncated towards zero, those out of range become the nearest integer of the dtype, and NaN becomes 0. To bool, anything
 * but 0 is true. Between int32 and uint32 the bits stay.
 * The gradient passes between floats, and is cut by integers and bools.
 * Errors: DTypeError for an unknown dtype.
 */
export const cast: Cast = /* @__PURE__ */ Object.assign(
  ((x: TensorLike, dtype: DType | CastOptions) =>
    castOp(x, isOptions(dtype) ? dtype : { dtype })) as unknown as Cast,
  { definition: castOp.definition },
);

function isOptions(dtype: DType | CastOptions): dtype is CastOptions {
  return typeof dtype === 'object' && dtype !== null;
}
