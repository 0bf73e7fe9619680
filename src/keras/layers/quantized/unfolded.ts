/** @file unfolded: packed lines as the kernel that they stand for. */
import { gather } from '../../../ops/indexing/gather.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { transpose } from '../../../ops/arrangement/transpose.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Places } from './fileForm.ts';
import type { Sizes } from './weights.ts';

/** Lines of weights as the shape of the kernel, where rows come first. */
export function unfolded(lines: Tensor, { kernel: shape, places, rows, columns }: Sizes): Tensor {
  const inOrder = transpose(lines, { perm: [1, 0] });
  const { columns: at } = places as Places;
  const isFirst = at.every((place, c) => place === c);
  if (isFirst) return reshape(inOrder, { shape });
  // The position of each weight of the kernel among the lines.
  const from = new Int32Array(rows * columns);
  (places as Places).rows.forEach((row, i) => {
    at.forEach((column, c) => {
      from[row + column] = i * columns + c;
    });
  });
  const flat = reshape(inOrder, { shape: [rows * columns] });
  return reshape(gather(flat, from, { axis: 0 }), { shape });
}
