/** @file Tensors of a checkpoint as the words of a matrix in 16 bits, with the bits that the file has if it has such floats. */
import { floatBits, packWeights, wordsPerLine } from '../../core/packedWeights.ts';
import { sizeOf } from '../../core/shape.ts';
import type { ReadMemory } from '../../formats/readMemory.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { NarrowMatrix } from '../../keras/layers/quantized/narrowMatrix.ts';

/** The words of `matrix`, from a tensor [channels, length], or [length, channels] if `isTransposed`. */
export function narrowStored(
  stored: StoredTensor,
  matrix: NarrowMatrix,
  isTransposed: boolean,
): StoredTensor {
  const { format, channels, length } = matrix;
  const words = wordsPerLine(format, length);
  return {
    place: stored.place,
    shape: [channels, words],
    dtype: 'uint32',
    pairsOf: format,
    read: isTransposed ? ofColumns(stored, matrix) : ofLines(stored, matrix, words),
  };
}

/** Reads lines, which are padded to whole words of the matrix. */
function ofLines(
  stored: StoredTensor,
  { format, length }: NarrowMatrix,
  words: number,
): StoredTensor['read'] {
  return async (begin, end, memory) => {
    if (length === 2 * words) return inWords(await bitsOf(stored, format, 2 * begin, 2 * end, memory));
    const [first, last] = [Math.floor(begin / words), Math.ceil(end / words)];
    const bits = await bitsOf(stored, format, first * length, last * length, memory);
    const packed = packWeights(format, bits, { channels: last - first, length, transposed: false });
    return packed.subarray(begin - first * words, end - first * words);
  };
}

/** Reads a whole matrix: its lines are the columns of the file. */
function ofColumns(stored: StoredTensor, { format, channels, length }: NarrowMatrix): StoredTensor['read'] {
  const count = channels * wordsPerLine(format, length);
  let packed: Uint32Array<ArrayBuffer> | null = null;
  return async (begin, end) => {
    const whole =
      packed ??
      packWeights(format, await bitsOf(stored, format, 0, sizeOf(stored.shape)), {
        channels,
        length,
        transposed: true,
      });
    // The last piece is the end of it.
    packed = end < count ? whole : null;
    return whole.subarray(begin, end);
  };
}

/** Numbers as floats of 16 bits: as they are in the file, or rounded. */
async function bitsOf(
  { bits, read }: StoredTensor,
  format: NarrowMatrix['format'],
  begin: number,
  end: number,
  memory?: ReadMemory,
): Promise<Uint16Array<ArrayBuffer>> {
  if (bits?.format === format) return bits.read(begin, end, memory);
  return floatBits(format, await read(begin, end, memory));
}

/** Pairs of floats, the first in the lower bits; if possible, as a view. */
function inWords({ buffer, byteOffset, length }: Uint16Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, length / 2);
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + 2 * length));
}
