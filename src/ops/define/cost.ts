/** @file Costs of calls, for profiles: floating-point operations derived from the shapes, as textbooks count them. */
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';

/** The cost of a call. */
export interface Cost {
  /** Operations on floats or integers. A multiply-add counts as two. */
  readonly flops: number;
}

type Specs = readonly (TensorSpec | null)[];

const elements = (spec: TensorSpec | null | undefined) => (spec ? sizeOf(spec.shape) : 0);

/** One operation for each element of the result. */
export function perResult(_inputs: Specs, [result]: Specs): Cost {
  return { flops: elements(result) };
}

/** One operation for each element of the first input. */
export function perInput([input]: Specs): Cost {
  return { flops: elements(input) };
}

/** One operation for each element of the last input: the updates of a scatter. */
export function perUpdate(inputs: Specs): Cost {
  return { flops: elements(inputs.at(-1)) };
}

/** A maximum, an exponential, a sum and a quotient for each element of the result; its gradient takes as many. */
export function perSoftmax(_inputs: Specs, [result]: Specs): Cost {
  return { flops: 4 * elements(result) };
}

/** For ops that only move values. */
export function noFlops(): Cost {
  return { flops: 0 };
}

/** The cost of a convolution in any of its three directions. `result` is that of the forward convolution. */
export function convolutionCost(result: TensorSpec | undefined, kernel: TensorSpec | undefined): Cost {
  return { flops: 2 * elements(result) * sizeOf(kernel?.shape.slice(0, 3) ?? []) };
}

/** The same for a depthwise convolution. */
export function depthwiseCost(result: TensorSpec | undefined, kernel: TensorSpec | undefined): Cost {
  return { flops: 2 * elements(result) * sizeOf(kernel?.shape.slice(0, 2) ?? []) };
}

/** The matmuls of all steps of a recurrent layer, nearly all of its operations. */
export function stepsCost([gates, recurrentKernel]: Specs): Cost {
  return { flops: 2 * elements(gates) * (recurrentKernel?.shape[0] ?? 0) };
}

/** The epilogue of a matmul or convolution: bias and activation, if present. */
export function epilogueCost(bias: TensorSpec | null, result: TensorSpec, isActivated: boolean): number {
  return elements(result) * (Number(bias !== null) + Number(isActivated));
}
