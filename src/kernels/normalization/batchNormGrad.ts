/**
 * @file Launches the gradient of a normalization by the moments of channels: one reduction for both sums, factors of size
 * [channels], and one elementwise launch.
 */
import type { Tensor } from '../../tensor/tensor.ts';
import { kernels } from '../loading/loadKernels.ts';
import { view } from '../launch/output.ts';

/** Moments of channels, each [channels]. */
export interface ChannelMoments {
  gamma: Tensor | null;
  mean: Tensor;
  variance: Tensor;
}

/**
 * Returns [dx, dGamma, dBeta] of γ (x - mean) r + β, r = 1 / √(variance + epsilon), with moments of x over the neighbouring
 * `axes`:
 * with c = x - mean and n elements a channel, dx = γ r (dy - Σ dy / n - c r² Σ(dy c) / n). Ioffe and Szegedy, "Batch
 * normalization", 2015, section 3.
 */
export function batchNormGradKernel(
  dy: Tensor,
  x: Tensor,
  { gamma, mean, variance }: ChannelMoments,
  axes: readonly number[],
  epsilon: number,
): [dx: Tensor, dGamma: Tensor, dBeta: Tensor] {
  const op = 'batchNormGrad';
  const { elementwiseKernel, reduceKernel } = kernels();
  const perElement = mean.size / x.size;
  const [sum, productSum] = reduceKernel(
    op,
    dy,
    axes,
    [mean, mean],
    {
      accumulator: 'vec2<f32>',
      initial: 'vec2<f32>()',
      prepare: 'vec2<f32>(value, value * (b - c))',
      combine: 'a + b',
      finish: ['a.x', 'a.y'],
    },
    [
      { values: x, along: 'elements' },
      { values: mean, along: 'lines' },
    ],
  );
  const map = (expression: string, operands: readonly Tensor[], alpha: number) =>
    elementwiseKernel(op, expression, operands, mean, { alpha });
  const r = map('inverseSqrt(a + params.alpha)', [variance], epsilon);
  const scale = gamma ? map('a * b', [r, gamma], 0) : r;
  const weight = map('a * b * b * c * params.alpha', [scale, r, productSum], -perElement);
  const shift = map('a * b * params.alpha', [scale, sum], -perElement);
  const along = (t: Tensor) =>
    view(t, { shape: x.shape.map((n, axis) => (axes.includes(axis) ? 1 : n)), dtype: t.dtype }, op);
  const dx = elementwiseKernel(
    op,
    'a * d + ((b - c) * e + f)',
    [dy, x, along(mean), along(scale), along(weight), along(shift)],
    x,
  );
  return [dx, map('a * b', [productSum, r], 0), sum];
}
