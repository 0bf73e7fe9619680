/** @file cosineSimilarity */
import { normalizeAxis } from '../../core/shape.ts';
import { mul, neg } from '../../ops/arithmetic.ts';
import { maximum } from '../../ops/maximum.ts';
import { sum } from '../../ops/sum.ts';
import { rsqrt, square } from '../../ops/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

export interface CosineSimilarityOptions {
  /** Axis of the features. Default -1. */
  axis?: number;
}

/**
 * Minus the cosine of the angle between yTrue and yPred along `axis`: -1 where they point the same way, 0 where one is a
 * zero vector. Shapes broadcast; the result has them without `axis`.
 * Errors: ShapeError for an axis that they lack.
 */
export const cosineSimilarity: LossMaker<CosineSimilarityOptions> =
  /* @__PURE__ */ defineLoss<CosineSimilarityOptions>({
    className: 'CosineSimilarity',
    defaults: { axis: -1 },
    shapes: 'broadcast',
    values: (yTrue, yPred, { axis }, op) => {
      normalizeAxis(op, axis, yPred.shape.length);
      return neg(sum(mul(unit(yTrue, axis), unit(yPred, axis)), { axis }));
    },
  });

/** `x` over its length, which counts as 1e-7 at least. The bound lies under the root, where its gradient is finite. */
function unit(x: Tensor, axis: number): Tensor {
  const squares = sum(square(x), { axis, keepDims: true });
  return mul(x, rsqrt(maximum(squares, epsilon ** 2)));
}
