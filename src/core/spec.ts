/**
 * @file What is known of a tensor without its values: shape and dtype. `infer` functions map specs to specs.
 */
import type { DType } from './dtype.ts';
import { formatShape, type Shape } from './shape.ts';

export interface TensorSpec {
  readonly shape: Shape;
  readonly dtype: DType;
}

/** `float32[10, 64]`, as error messages and histories show it. */
export function formatSpec(spec: TensorSpec): string {
  return `${spec.dtype}${formatShape(spec.shape)}`;
}
