/** @file A convolution, or one of its gradients, as algorithms are selected for it. */
import type { Direction } from '../../shaders/convolution.ts';
import { type ConvolutionGeometry, imageShape, kernelShape, resultShape } from '../core/convolution.ts';
import { deepFrozen } from '../core/deepFrozen.ts';
import type { DType } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';

export interface Conv2dProblem {
  readonly direction: Direction;
  readonly geometry: ConvolutionGeometry;
  /** Dtypes of the two operands: image and kernel, cotangent and kernel, or image and cotangent. */
  readonly dtypes: readonly [DType, DType];
}

const problems = new WeakMap<ConvolutionGeometry, Conv2dProblem[]>();

/** Returns the problem, the same object for the same geometry: what is selected for it is known by its identity. */
export function conv2dProblem(
  direction: Direction,
  geometry: ConvolutionGeometry,
  a: DType,
  b: DType,
): Conv2dProblem {
  // One that isn't frozen might change.
  if (!Object.isFrozen(geometry)) return { direction, geometry, dtypes: [a, b] };
  const known = problems.get(geometry) ?? [];
  if (known.length === 0) problems.set(geometry, known);
  const found = known.find(
    (problem) => problem.direction === direction && problem.dtypes[0] === a && problem.dtypes[1] === b,
  );
  if (found) return found;
  const problem: Conv2dProblem = deepFrozen({ direction, geometry, dtypes: [a, b] });
  known.push(problem);
  return problem;
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
