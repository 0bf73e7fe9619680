/**
 * @file Specs: shape and dtype of a tensor, without its values. `infer` functions map specs to specs.
 */
import type { DType } from './dtype.ts';
import { formatShape, type OpenShape, type Shape } from './shape.ts';

/** Shape and dtype of a tensor. */
export interface TensorSpec {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** The spec of a symbolic tensor: sizes may be open. */
export interface OpenSpec {
  readonly shape: OpenShape;
  readonly dtype: DType;
}

/** Returns the spec of `x`, without its other properties. */
export function specOf({ shape, dtype }: TensorSpec): TensorSpec {
  return { shape, dtype };
}

/** Returns the spec as text, as error messages and histories show it: `float32[10, 64]`. */
export function formatSpec(spec: OpenSpec): string {
  return `${spec.dtype}${formatShape(spec.shape)}`;
}
