/**
 * @file Batch renormalization, an option of BatchNormalization: corrects the moments of a batch by moving averages, so that
 * training and inference normalize alike. Source: S. Ioffe, "Batch renormalization", 2017.
 */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { add, div, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { clip } from '../../../ops/elementwise/clip.ts';
import { maximum } from '../../../ops/elementwise/maximum.ts';
import { stopGradient } from '../../../ops/arrangement/stopGradient.ts';
import { sqrt } from '../../../ops/elementwise/unary.ts';
import type { Tensor } from '../../../tensor/tensor.ts';

/** Limits of the correction x · r + d of a normalized x: r stays in [rmin, rmax], d in [-dmax, dmax]. Default: no limits. */
export interface RenormClipping {
  rmin?: number | null;
  rmax?: number | null;
  dmax?: number | null;
}

/** The moments that a correction is computed from, all [channels]. */
interface Statistics {
  readonly mean: Tensor;
  readonly variance: Tensor;
  /** Moving averages of the mean and of the standard deviation. */
  readonly renormMean: Tensor;
  readonly renormStddev: Tensor;
  readonly epsilon: number;
}

/** Scale and offset of a normalized batch; null for 1 and 0. */
interface Scale {
  readonly gamma: Tensor | null;
  readonly beta: Tensor | null;
}

/** The standard deviation that batches are divided by. */
export const stddevOf = (variance: Tensor, epsilon: number): Tensor => sqrt(add(variance, epsilon));

/** Returns `scale`, preceded by the correction: (x · r + d) · gamma + beta. No gradient flows through r and d. */
export function corrected(
  { gamma, beta }: Scale,
  { mean, variance, renormMean, renormStddev, epsilon }: Statistics,
  { rmin, rmax, dmax }: RenormClipping,
): Scale {
  const stddev = maximum(renormStddev, Math.sqrt(epsilon));
  const ratio = div(stddevOf(variance, epsilon), stddev);
  const shift = div(sub(mean, renormMean), stddev);
  const largest = dmax ?? Number.POSITIVE_INFINITY;
  const r = stopGradient(
    clip(ratio, { min: rmin ?? Number.NEGATIVE_INFINITY, max: rmax ?? Number.POSITIVE_INFINITY }),
  );
  const d = stopGradient(clip(shift, { min: -largest, max: largest }));
  const offset = gamma ? mul(d, gamma) : d;
  return { gamma: gamma ? mul(r, gamma) : r, beta: beta ? add(offset, beta) : offset };
}

/** Throws unless `clipping` has limits that allow some correction. */
export function requireClipping(op: string, clipping: unknown): asserts clipping is RenormClipping {
  const limits = ['rmin', 'rmax', 'dmax'];
  const isRecord = typeof clipping === 'object' && clipping !== null && !Array.isArray(clipping);
  const given = isRecord ? (clipping as RenormClipping) : null;
  const isValid =
    given !== null &&
    Object.entries(given).every(
      ([name, limit]) =>
        limits.includes(name) && (limit === null || (typeof limit === 'number' && limit >= 0)),
    ) &&
    (given.rmin ?? 0) <= (given.rmax ?? Number.POSITIVE_INFINITY);
  if (isValid) return;
  throw new ValueError({
    op,
    rule: '`renormClipping` has numbers from 0 on named rmin, rmax and dmax, with rmin up to rmax.',
    received: `renormClipping: ${describe(clipping)}`,
    hint: 'pass for example { rmin: 1 / 3, rmax: 3, dmax: 5 }; what is left out has no limit.',
  });
}
