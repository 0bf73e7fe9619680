/** @file cast */
import { type DType, isFloating } from '../../core/dtype.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import * as math from '../../kernels/elementwise/math.ts';
import { view } from '../../kernels/launch/output.ts';
import { checkStoredDType } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op, type OpDefinition } from '../define/define.ts';
import type { TensorLike } from '../define/operands.ts';
import type { SymbolicTensor } from '../define/recorders.ts';

export interface CastOptions<D extends DType = DType> {
  /** Dtype of the result. */
  dtype: D;
}

/** The public signature of `cast`: the dtype as an argument, or as an option. */
export interface Cast {
  <D extends DType>(x: TensorLike, dtype: D | CastOptions<D>): Tensor<D>;
  (x: TensorLike | SymbolicTensor, dtype: DType | CastOptions): SymbolicTensor;
  readonly definition: OpDefinition<[x: Tensor], CastOptions, Tensor>;
}

/** Conversions of floats saturate, and NaN becomes 0: both are undefined in WGSL. */
function expressionOf(from: DType, to: DType): string {
  const isFloat = isFloating(from);
  if (to === 'float32') return 'f32(a)';
  if (to === 'int32') return isFloat ? math.saturatedI32('a') : 'i32(a)';
  if (to === 'uint32') return isFloat ? math.saturatedU32('a') : 'u32(a)';
  return isFloat ? `u32((a != 0.0) | ${math.isNan('a')})` : 'u32(a != 0)';
}

// The type of `cast` expresses how the dtype of the result follows from the options.
const castOp: Op<[x: Tensor], CastOptions, Tensor, 'unknown', ['dtype']> = /* @__PURE__ */ defineOp({
  name: 'cast',
  inputs: ['x'],
  options: { dtype: true },
  acceptsFloat16: true,
  save: { inputs: [] },
  elementwise: true,
  infer: ([{ shape }], { dtype }) => {
    checkStoredDType('cast', dtype);
    return { shape, dtype };
  },
  forward: ([x], plan) => {
    const { dtype } = plan;
    if (x.dtype === dtype) return view(x, plan, 'cast');
    if (dtype === 'float16') return kernels().packFloat16('cast', cast(x, 'float32'));
    if (x.dtype === 'float16') return cast(kernels().unpackFloat16('cast', x), dtype);
    return kernels().elementwiseKernel('cast', expressionOf(x.dtype, dtype), [x], plan);
  },
  backward: ([dy], { inputSpecs: [x] }) => [isFloating(x.dtype) ? dy : null],
  cost: noFlops,
});

/**
 * `x` as another dtype: `cast(x, 'int32')` or `cast(x, { dtype: 'int32' })`. Shape: that of x. To integers, floats are
 * truncated towards zero, those out of range become the nearest integer of the dtype, and NaN becomes 0. To bool, anything
 * but 0 is true. Between int32 and uint32 the bits are kept. To float16, values round to the nearest (ties to even; infinity
 * from 65520 on). The gradient passes between floats; integers and bools disconnect it.
 * Errors: DTypeError for an unknown dtype.
 */
export const cast: Cast = castOp as unknown as Cast;
