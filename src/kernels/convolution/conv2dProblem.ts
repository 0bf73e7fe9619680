/** @file A convolution, or one of its gradients, as algorithms are selected for it. */
import type { Direction } from '../../../shaders/convolution.ts';
import { type ConvolutionGeometry, imageShape, kernelShape, resultShape } from '../../core/convolution.ts';
import type { DType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';

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
