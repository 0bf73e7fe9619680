/** @file Weights of layers in floats of 16 bits: kernels widen them as they read them. */
import { type NarrowFloat, wordsPerLine } from '../../../core/packedWeights.ts';
import { type Shape, sizeOf } from '../../../core/shape.ts';
import { dequantize } from '../../../ops/products/quantized.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { QuantizedTensor } from '../../../tensor/quantizedTensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { floatsForm, type Places } from './fileForm.ts';
import { noteNarrowMatrix } from './narrowMatrix.ts';
import type { Add, Sizes, Weights } from './weights.ts';
import { unfolded } from './unfolded.ts';
import { upTo } from './upTo.ts';

/** A matrix of 16-bit floats that a layer has. */
export interface NarrowPlan {
  readonly name: string;
  readonly format: NarrowFloat;
  /** Its shape in files. */
  readonly file: Shape;
  readonly places: Places;
}

/** Makes the variable of a matrix in 16 bits. */
export function narrowMatrix(
  { name, format, file, places }: NarrowPlan,
  add: Add,
): { readonly packed: QuantizedTensor; readonly variable: Variable } {
  const [channels, length] = [places.columns.length, places.rows.length];
  const words = [channels, wordsPerLine(format, length)];
  const variable = add.formed(name, words, 'uint32', floatsForm(format, file, places));
  const layout = { format, channels, length, groupSize: length, scaling: 'multiply' } as const;
  const packed = new QuantizedTensor(layout, variable as never, null, null);
  noteNarrowMatrix(variable, { format, channels, length, widened: () => dequantize(packed) });
  return { packed, variable };
}

/** The kernel of a dense or einsum layer in 16 bits. One whose axes aren't those of a matrix is widened for each call. */
export function narrowKernel(format: NarrowFloat, sizes: Sizes, add: Add): Weights {
  const { places, kernel: shape } = sizes;
  const { packed, variable } = narrowMatrix(
    { name: 'kernel', format, file: shape, places: places ?? inOrder(shape) },
    add,
  );
  const kernel = () => {
    const lines = dequantize(packed);
    return places ? unfolded(lines, sizes) : reshape(lines, { shape });
  };
  return { saved: [variable, null], packed: places && packed, kernel, inputs: (x) => x };
}

/** The rows of an embedding in 16 bits. */
export function narrowTable(
  format: NarrowFloat,
  rows: number,
  length: number,
  add: Add,
): ReturnType<typeof narrowMatrix> {
  const file = [rows, length];
  return narrowMatrix({ name: 'embeddings', format, file, places: inOrder(file) }, add);
}

/** A line for each position of all axes but the last. */
function inOrder(shape: Shape): Places {
  const length = shape.at(-1) ?? 1;
  return { rows: upTo(length), columns: upTo(sizeOf(shape) / Math.max(1, length), length) };
}
