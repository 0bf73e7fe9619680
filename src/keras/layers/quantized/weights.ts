/** @file What the weights of a quantized layer are made of, and what they give the layer. */
import type { Shape } from '../../../core/shape.ts';
import type { QuantizedTensor } from '../../../tensor/quantizedTensor.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { FileForm, Places } from './fileForm.ts';

/** Element types of weights in files. */
type FileType = 'int8' | 'float32';

/** Creates frozen weights of a layer. */
export interface Add {
  readonly layer: string;
  plain(name: string, shape: Shape, type: FileType): Variable;
  /** A weight in another layout than in files. */
  formed(name: string, shape: Shape, dtype: 'uint32' | 'float32', form: FileForm): Variable;
}

/** A matrix that is quantized: [rows, columns], where rows are summed. */
export interface Sizes {
  readonly rows: number;
  readonly columns: number;
  /** Shape of the kernel. */
  readonly kernel: Shape;
  /** Shape of one scale for each column, and how the kernel is divided by it. */
  readonly scale: Shape;
  readonly divide: (kernel: Tensor, scale: Tensor) => Tensor;
  /** Where the kernel's weights are in files; null if its axes aren't those of a matrix. */
  readonly places: Places | null;
}

/** The weights of a quantized kernel. */
export interface Weights {
  /** In the order of files, the bias among them as null. */
  readonly saved: readonly (Variable | null)[];
  /** What the kernel stands for. */
  kernel(): Tensor;
  /** A line of weights for each column, in their bits; null if there is none. */
  readonly packed: QuantizedTensor | null;
  /** The inputs as they are multiplied. */
  inputs(x: Tensor, axes: readonly number[]): Tensor;
}
