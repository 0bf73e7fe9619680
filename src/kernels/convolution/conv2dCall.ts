/** @file A convolution to be launched, and the interface of what launches it. */
import type { Direction } from '../../../shaders/convolution.ts';
import { type ConvolutionGeometry, imageShape, kernelShape, resultShape } from '../../core/convolution.ts';
import type { DType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { unpackFloat16 } from '../copies/float16.ts';
import type { Epilogue } from '../launch/epilogue.ts';

/** A convolution, or one of its gradients, as algorithms are selected for it. */
export interface Conv2dProblem {
  readonly direction: Direction;
  readonly geometry: ConvolutionGeometry;
  /** Dtypes of the two operands: image and kernel, cotangent and kernel, or image and cotangent. */
  readonly dtypes: readonly [DType, DType];
}

/** The result. Sums are float32, regardless of the dtypes of the operands. */
export function conv2dResult({ direction, geometry }: Conv2dProblem): TensorSpec {
  const shapeOf = { forward: resultShape, inputGrad: imageShape, filterGrad: kernelShape }[direction];
  return { shape: shapeOf(geometry), dtype: 'float32' };
}

export function conv2dOperands({ direction, geometry, dtypes }: Conv2dProblem): [TensorSpec, TensorSpec] {
  const a = direction === 'inputGrad' ? resultShape(geometry) : imageShape(geometry);
  const b = direction === 'filterGrad' ? resultShape(geometry) : kernelShape(geometry);
  return [
    { shape: a, dtype: dtypes[0] },
    { shape: b, dtype: dtypes[1] },
  ];
}

/** The convolution or gradient of `problem`, to be computed for `op` by `algorithm`. */
export interface Conv2dCall<A = unknown> {
  readonly op: string;
  readonly problem: Conv2dProblem;
  readonly algorithm: A;
  /** The operands: image and kernel, cotangent and kernel, or image and cotangent. */
  readonly a: Tensor;
  readonly b: Tensor;
  /** The result. */
  readonly spec: TensorSpec;
  readonly epilogue: Epilogue;
}

/** An algorithm as it is launched. */
export interface Conv2dLauncher<A = unknown> {
  launch(call: Conv2dCall<A>): Tensor;
}

/** With operands in float32, for algorithms that transform them. */
export function widened<A>(call: Conv2dCall<A>): Conv2dCall<A> {
  const float32 = (x: Tensor) => (x.dtype === 'float16' ? unpackFloat16(call.op, x) : x);
  return { ...call, a: float32(call.a), b: float32(call.b) };
}
