/** @file What an initializer is: a rule from a shape to the first values of a weight. */
import type { DType } from '../../core/dtype.ts';
import type { Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';

export interface Initializer {
  /** The class by its Keras name. */
  readonly className: string;
  /** Values for a weight of `shape`. A seeded initializer gives the same ones at every call. */
  call(shape: Shape, dtype: DType): Tensor;
  getConfig(): Record<string, unknown>;
}
