/**
 * @file Weights of CuDNNLSTM and CuDNNGRU, layers of Keras 2 for Nvidia's library, in the layout of LSTM and GRU. They are
 * recognized by their bias, which has a part for the inputs and one for the states. The layout is that of
 * `preprocess_weights_for_loading` in Keras 2.
 */
import { sizeOf } from '../../core/shape.ts';
import type { HostArray } from '../../formats/numbers.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { Variable } from '../../tensor/variable.ts';

type Given = ReadonlyMap<string, StoredTensor>;

/** Returns `given`, the tensors of a file by the paths of weights, with those of cuDNN's layers in the layout of the weights. */
export function withoutCuDNN(weights: ReadonlyMap<string, Variable>, given: Given): Given {
  const converted = new Map(given);
  for (const [path, { shape }] of weights) {
    const bias = given.get(path);
    if (!path.endsWith('bias') || !bias || !isOfCuDNN(shape, bias)) continue;
    const cell = path.slice(0, -'bias'.length);
    const [kernel, recurrent] = [given.get(`${cell}kernel`), given.get(`${cell}recurrent_kernel`)];
    if (!kernel || !recurrent) continue;
    const isLSTM = shape.length === 1;
    const gates = isLSTM ? 4 : 3;
    converted.set(path, isLSTM ? summed(bias, shape) : { ...bias, shape });
    converted.set(`${cell}kernel`, reordered(kernel, gates));
    converted.set(`${cell}recurrent_kernel`, reordered(recurrent, gates));
  }
  return converted;
}

/** The bias of an LSTM has half the values; that of a GRU has as many, in two rows. */
function isOfCuDNN(shape: readonly number[], bias: StoredTensor): boolean {
  if (bias.shape.length !== 1) return false;
  const size = sizeOf(shape);
  return shape.length === 1 ? bias.shape[0] === 2 * size : shape[0] === 2 && bias.shape[0] === size;
}

function summed(bias: StoredTensor, shape: readonly number[]): StoredTensor {
  const size = sizeOf(shape);
  const read = async (begin: number, end: number): Promise<HostArray> => {
    const [first, second] = await Promise.all([bias.read(begin, end), bias.read(size + begin, size + end)]);
    return Float32Array.from(first, (value, i) => value + (second[i] as number));
  };
  return { ...bias, shape, read };
}

/** A matrix [rows, gates · units]: the elements of each gate, in their order, are columns rather than rows. */
function reordered(matrix: StoredTensor, gates: number): StoredTensor {
  const [rows = 0, columns = 0] = matrix.shape;
  const units = columns / gates;
  let whole: Promise<HostArray> | null = null;
  const read = async (begin: number, end: number): Promise<HostArray> => {
    whole ??= matrix.read(0, rows * columns);
    const values = await whole;
    return Float32Array.from({ length: end - begin }, (_, i) => {
      const [row, column] = [Math.floor((begin + i) / columns), (begin + i) % columns];
      const place = (column % units) * rows + row;
      const first = column - (column % units);
      return values[Math.floor(place / units) * columns + first + (place % units)] as number;
    });
  };
  return { ...matrix, read };
}
