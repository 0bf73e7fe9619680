/** @file cast */
import { type DType, isFloating } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import * as math from '../kernels/math.ts';
import { view } from '../kernels/output.ts';
import { checkStoredDType } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op, type OpDefinition } from './define.ts';
import type { TensorLike } from './operands.ts';
import type { SymbolicTensor } from './recorders.ts';

export interface CastOptions<D extends DType = DType> {
  dtype: D;
}

/** A cast as users call it: the dtype by itself, or as an option. */
export interface Cast {
  <D extends DType>(x: TensorLike, dtype: D | CastOptions<D>): Tensor<D>;
  (x: TensorLike | SymbolicTensor, dtype: DType | CastOptions): SymbolicTensor;
  readonly definition: OpDefinition<CastOptions>;
}

/** Conversions of floats saturate, and NaN has no integer; WGSL leaves both open. */
function expressionOf(from: DType, to: DType): string {
  const isFloat = isFloating(from);
  if (to === 'float32') return 'f32(a)';
  if (to === 'int32') return isFloat ? math.saturatedI32('a') : 'i32(a)';
  if (to === 'uint32') return isFloat ? math.saturatedU32('a') : 'u32(a)';
  return isFloat ? `u32(a != 0.0 || ${math.isNan('a')})` : 'u32(a != 0)';
}

const castOp: Op<[x: Tensor], CastOptions, Tensor> = /* @__PURE__ */ defineOp<[x: Tensor], CastOptions>({
  name: 'cast',
  inputs: ['x'],
  acceptsFloat16: true,
  infer: ([x], { dtype }) => {
    checkStoredDType('cast', dtype);
    return { shape: (x as TensorSpec).shape, dtype };
  },
  forward: ([x], { dtype }, { outputs: [spec] }) => {
    const input = x as Tensor;
    if (input.dtype === dtype) return view(input, input, 'cast');
    if (dtype === 'float16') return core().packFloat16('cast', cast(input, 'float32'));
    if (input.dtype === 'float16') return cast(core().unpackFloat16('cast', input), dtype);
    return core().elementwiseKernel('cast', expressionOf(input.dtype, dtype), [input], spec as TensorSpec);
  },
  backward: ([dy], { inputSpecs: [x] }) => [isFloating((x as TensorSpec).dtype) ? (dy as Tensor) : null],
  save: { inputs: [] },
  cost: noFlops,
});

/**
 * `x` as another dtype: `cast(x, 'int32')` or `cast(x, { dtype: 'int32' })`. Shape: that of x. To integers, floats are
 * truncated towards zero, those out of range become the nearest integer of the dtype, and NaN becomes 0. To bool, anything
 * but 0 is true. Between int32 and uint32 the bits stay. To float16, the nearest half (ties to even; infinity from 65520 on).
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
