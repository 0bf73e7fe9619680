/** @file The features of one position of each text. */
import { reshape } from '../../ops/arrangement/reshape.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { broadcastTo } from '../../ops/reductions/sum.ts';
import { takeAlongAxis } from '../../ops/indexing/takeAlongAxis.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** [batch, length, features] → [batch, features], those at `position`: a number for all texts, or int32 [batch]. */
export function featuresAt(x: Tensor, position: number | Tensor): Tensor {
  const [batch, , features] = x.shape as [number, number, number];
  const row = [batch, 1, features];
  const found =
    typeof position === 'number'
      ? slice(x, { begin: [0, position, 0], size: row })
      : takeAlongAxis(x, broadcastTo(reshape(position, { shape: [batch, 1, 1] }), { shape: row }), {
          axis: 1,
        });
  return reshape(found, { shape: [batch, features] });
}
