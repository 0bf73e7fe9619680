/**
 * @file What is known of a tensor without its values: shape and dtype. `infer` functions map specs to specs.
 */
import type { DType } from './dtype.ts';
import { formatShape, type OpenShape, type Shape } from './shape.ts';

/** Shape and dtype of a tensor. */
export interface TensorSpec {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** The same of a symbolic tensor: sizes may be open. */
export interface OpenSpec {
  readonly shape: OpenShape;
  readonly dtype: DType;
}

/** The spec of `x` without what else it holds. */
export function specOf({ shape, dtype }: TensorSpec): TensorSpec {
  return { shape, dtype };
}

/** `float32[10, 64]`, as error messages and histories show it. */
export function formatSpec(spec: OpenSpec): string {
  return `${spec.dtype}${formatShape(spec.shape)}`;
}
