/** @file A convolution to be launched, and the interface of what launches it. */
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Conv2dProblem } from './conv2dProblem.ts';
import { unpackFloat16 } from '../copies/float16.ts';
import type { Epilogue } from '../launch/epilogue.ts';

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
