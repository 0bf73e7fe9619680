/** @file Projective maps from pairs of points. */
import { mul, neg } from '../../ops/elementwise/arithmetic.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { split } from '../../ops/arrangement/split.ts';
import { fill } from '../../ops/creation/creation.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { solve } from '../../ops/linalg/solve.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Returns the projective maps [batch, 8] that take four points (x, y) to four others, each [batch, 4, 2]. */
export function homography(from: Tensor, to: Tensor): Tensor {
  const [x, y] = split(from, { numOrSizeSplits: 2, axis: -1 }) as [Tensor, Tensor];
  const [ones, zeros] = [fill(x.shape, 1), fill(x.shape, 0)];
  const [toX, toY] = split(to, { numOrSizeSplits: 2, axis: -1 }) as [Tensor, Tensor];
  const scaled = (target: Tensor) => [neg(mul(target, x)), neg(mul(target, y))];
  const across = concat([x, y, ones, zeros, zeros, zeros, ...scaled(toX)], { axis: -1 });
  const down = concat([zeros, zeros, zeros, x, y, ones, ...scaled(toY)], { axis: -1 });
  const matrix = concat([across, down], { axis: 1 });
  return reshape(solve(matrix, concat([toX, toY], { axis: 1 })), { shape: [-1, 8] });
}
