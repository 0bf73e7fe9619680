/** @file The magnitudes of DoRA for a kernel that is read from a file of Keras: it has what an adapter added. */
import { FormatError } from '../../core/errors.ts';
import { sizeOf } from '../../core/shape.ts';
import { readWhole, type StoredTensor } from '../../formats/storedTensor.ts';
import type { Variable } from '../../tensor/variable.ts';

/** The lengths of the columns of a kernel, in the shape of `magnitude`. Errors: FormatError for one in integers. */
export function columnLengths(kernel: StoredTensor, { shape }: Variable): StoredTensor {
  const { place, dtype } = kernel;
  if (dtype !== 'float32') {
    throw new FormatError({
      op: place,
      rule: 'a layer with an adapter of DoRA reads a kernel of floats, whose columns have the lengths that it trains.',
      received: dtype,
      hint: 'call removeLora first, and loadAdapter afterwards.',
    });
  }
  const measured = async () => {
    const lengths = new Float32Array(sizeOf(shape));
    const values = (await readWhole(kernel)).data as Float32Array;
    for (const [i, value] of values.entries()) {
      const column = i % lengths.length;
      lengths[column] = Math.hypot(lengths[column] as number, value);
    }
    return lengths;
  };
  let all: Promise<Float32Array<ArrayBuffer>> | null = null;
  const read = async (begin: number, end: number) => {
    all ??= measured();
    return (await all).subarray(begin, end);
  };
  return { place, shape, dtype, read };
}
