/**
 * @file Matrices of 16-bit floats: the variables that hold them, as words of two, and what the words stand for. Loaders and savers of
 * checkpoints find them here, without the layers that multiply by them.
 */
import type { NarrowFloat } from '../../../core/packedWeights.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';

/** A frozen matrix in 16 bits. Its variable is uint32 [channels, words]. */
export interface NarrowMatrix {
  readonly format: NarrowFloat;
  /** Lines of weights: one for each unit of a dense layer, and for each row of an embedding. */
  readonly channels: number;
  /** Weights of a line. */
  readonly length: number;
  /** The weights as float32 [channels, length]. */
  widened(): Tensor;
}

const matrices = new WeakMap<object, NarrowMatrix>();

export function noteNarrowMatrix(variable: Variable, matrix: NarrowMatrix): void {
  matrices.set(variable, matrix);
}

/** The number of weights that `variable` has: twice that of its words, without padding, if they are in 16 bits. */
export function weightsIn(variable: { readonly size: number }): number {
  const matrix = matrices.get(variable);
  return matrix ? matrix.channels * matrix.length : variable.size;
}

/** The matrix whose words `variable` has; null if it has none. */
export function narrowMatrixIn(variable: Variable): NarrowMatrix | null {
  return matrices.get(variable) ?? null;
}
