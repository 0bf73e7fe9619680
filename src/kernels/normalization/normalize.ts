/**
 * @file Launches normalizations by moments that broadcast over x: the scale is computed in the shape of the moments and
 * parameters, and one elementwise launch applies it.
 */
import { broadcastShapes, type Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { kernels } from '../loading/loadKernels.ts';
import { meanOf, momentsReduction, varianceOf } from '../reduce/moments.ts';
import { view } from '../launch/output.ts';

/** The moments and parameters. All tensors broadcast over x. */
export interface Scaling {
  mean: Tensor;
  variance: Tensor;
  gamma: Tensor | null;
  beta: Tensor | null;
  epsilon: number;
}

/** (x - mean) / √(variance + epsilon) · gamma + beta. */
export function normalizeKernel(op: string, x: Tensor, scaling: Scaling): Tensor {
  const { mean, variance, gamma, beta, epsilon } = scaling;
  const shape = gamma ? broadcastShapes(op, variance.shape, gamma.shape) : variance.shape;
  const scale = kernels().elementwiseKernel(
    op,
    gamma ? 'inverseSqrt(a + params.alpha) * b' : 'inverseSqrt(a + params.alpha)',
    gamma ? [variance, gamma] : [variance],
    { shape, dtype: 'float32' },
    { alpha: epsilon },
  );
  // Not x · scale + (beta - mean · scale): if the mean is large, that would subtract large numbers.
  return beta
    ? kernels().elementwiseKernel(op, '(a - b) * c + d', [x, mean, scale, beta], x)
    : kernels().elementwiseKernel(op, '(a - b) * c', [x, mean, scale], x);
}

export interface Groups {
  /** The shape of x with groups as separate axes. */
  shape: Shape;
  /** The shape of gamma and beta that broadcasts over `shape`. */
  parameterShape: Shape;
  /** The axes of `shape` over which moments are taken. */
  axes: readonly number[];
  epsilon: number;
}

/** Normalizes x by the moments of its groups. */
export function normalizeGroups(
  x: Tensor,
  gamma: Tensor | null,
  beta: Tensor | null,
  { shape, parameterShape, axes, epsilon }: Groups,
): Tensor {
  const as = (t: Tensor, to: Shape) => view(t, { shape: to, dtype: t.dtype }, 'groupNorm');
  const grouped = as(x, shape);
  const one = { shape: shape.map((n, i) => (axes.includes(i) ? 1 : n)), dtype: x.dtype };
  const finish = momentsReduction([meanOf, varianceOf]);
  const [mean, variance] = kernels().reduceKernel('groupNorm', grouped, axes, [one, one], finish) as [
    Tensor,
    Tensor,
  ];
  const normalized = normalizeKernel('groupNorm', grouped, {
    mean,
    variance,
    gamma: gamma && as(gamma, parameterShape),
    beta: beta && as(beta, parameterShape),
    epsilon,
  });
  return as(normalized, x.shape);
}
