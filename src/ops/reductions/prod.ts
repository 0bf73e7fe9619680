/** @file prod */
import { type Shape, sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { flip } from '../arrangement/flip.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';
import { defineReduction, numbers, type ReductionOp, type ReductionPlan, reducedSize } from './reduction.ts';
import { reshape } from '../arrangement/reshape.ts';
import { transpose } from '../arrangement/transpose.ts';

/**
 * The product of elements along `axis`. Shape: x without the reduced axes, or with size 1 where `keepDims`. An empty
 * product is 1.
 * Gradient: the product of the other elements, correct with any number of zeros among them.
 * Errors: ShapeError for an axis that x lacks, DTypeError for bools.
 */
export const prod: ReductionOp = /* @__PURE__ */ defineReduction({
  name: 'prod',
  dtypes: numbers,
  reduction: () => ({ identity: 1, combine: 'a * b' }),
  save: { inputs: [0] },
  gradient: (dy, { inputs: [x], plan }) => spreadProduct(dy, x, plan),
});

/** dy times, for each element, the product of all others in its reduction. */
function spreadProduct(dy: Tensor, x: Tensor, plan: ReductionPlan): Tensor {
  const { axes } = plan;
  const kept = x.shape.map((_, i) => i).filter((i) => !axes.includes(i));
  const perm = [...kept, ...axes];
  const reordered = transpose(x, { perm });
  const lines = reshape(reordered, { shape: [sizeOf(plan.shape), reducedSize(plan)] });
  const spread = othersTimes(reshape(dy, { shape: [lines.shape[0] as number, 1] }), lines);
  return transpose(reshape(spread, { shape: reordered.shape }), { perm: inverse(perm) });
}

/**
 * dy [m, 1] times the products of the other elements of lines [m, n]. Goes down a binary tree of products, where the
 * gradient of each half of a pair is the cotangent times the other half. No division, and each step is differentiable.
 */
function othersTimes(dy: Tensor, lines: Tensor): Tensor {
  const [m, n] = lines.shape as readonly [number, number];
  if (n === 0) return lines;
  if (n === 1) return dy;
  const half = Math.ceil(n / 2);
  const even =
    half * 2 === n
      ? lines
      : pad(lines, {
          paddings: [
            [0, 0],
            [0, 1],
          ],
          constantValue: 1,
        });
  const pairs = reshape(even, { shape: [m, 2, half] });
  const above = half === 1 ? dy : othersTimes(dy, prod(pairs, { axis: 1 }));
  const spread = mul(flip(pairs, { axis: 1 }), reshape(above, { shape: [m, 1, half] }));
  const flat = reshape(spread, { shape: [m, 2 * half] });
  return half * 2 === n ? flat : slice(flat, { begin: [0, 0], size: [m, n] });
}

function inverse(perm: Shape): number[] {
  const back = new Array<number>(perm.length);
  perm.forEach((axis, i) => {
    back[axis] = i;
  });
  return back;
}
