/** @file What calls cost, for profiles: floating-point operations by the shapes, as textbooks count them. */
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';

/** What a call costs. */
export interface Cost {
  /** Floating-point operations, or those on integers. A multiplication with its addition counts as two. */
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

/** Values are moved, not computed. */
export function noFlops(): Cost {
  return { flops: 0 };
}

/** What a convolution costs in each of its three directions. `result` is that of the convolution itself. */
export function convolutionCost(result: TensorSpec | undefined, kernel: TensorSpec | undefined): Cost {
  return { flops: 2 * elements(result) * sizeOf(kernel?.shape.slice(0, 3) ?? []) };
}

/** The same for a kernel that convolves each channel on its own. */
export function depthwiseCost(result: TensorSpec | undefined, kernel: TensorSpec | undefined): Cost {
  return { flops: 2 * elements(result) * sizeOf(kernel?.shape.slice(0, 2) ?? []) };
}

/** The products of all steps of a recurrent layer, which hold nearly all of its operations. */
export function stepsCost([gates, recurrentKernel]: Specs): Cost {
  return { flops: 2 * elements(gates) * (recurrentKernel?.shape[0] ?? 0) };
}

/** What follows a matmul or a convolution: a bias and an activation, where there are such. */
export function epilogueCost(bias: TensorSpec | null, result: TensorSpec, isActivated: boolean): number {
  return elements(result) * (Number(bias !== null) + Number(isActivated));
}
