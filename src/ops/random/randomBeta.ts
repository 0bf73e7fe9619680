/** @file randomBeta: from the logarithms of two gamma values, which for small parameters would underflow. */
import { type OptionNames, optionsOf } from '../../core/options.ts';
import { checkShape, type Shape } from '../../core/shape.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sigmoid } from '../activations/activations.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { maximum } from '../elementwise/maximum.ts';
import { randomUniform } from './random.ts';
import { boostSeed, gammaAboveOne, requireParameter } from './randomGamma.ts';
import { checkSeed, derivedSeed } from '../define/seeds.ts';
import { log } from '../elementwise/unary.ts';

/** Options of `randomBeta`. */
export interface BetaOptions {
  /** The first shape parameter, above 0. */
  alpha: number;
  /** The second shape parameter, above 0. */
  beta: number;
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: number | undefined;
}

const optionNames: OptionNames<BetaOptions> = { alpha: true, beta: true, seed: true };

/**
 * Beta values of density ∝ x^(alpha - 1) (1 - x)^(beta - 1) on [0, 1]. float32; mean alpha / (alpha + beta). Shape: `shape`.
 * Numbers are parameters, so there is no gradient.
 * Source: L. Devroye, "Non-uniform random variate generation", 1986, IX.3.1.
 * Errors: ValueError for parameters that aren't above 0, or a seed that isn't one; ShapeError.
 */
export function randomBeta(shape: Shape, options: BetaOptions): Tensor;
export function randomBeta(shape: Shape, ...settings: unknown[]): Tensor {
  const { alpha, beta, seed }: Partial<BetaOptions> = optionsOf('randomBeta', settings, optionNames, [
    'shape',
  ]);
  checkShape('randomBeta', shape);
  requireParameter('randomBeta', 'alpha', alpha, Number.MAX_VALUE);
  requireParameter('randomBeta', 'beta', beta, Number.MAX_VALUE);
  checkSeed('randomBeta', seed);
  return tidy(() => {
    const first = logGamma(shape, alpha, derivedSeed(seed, 0));
    return sigmoid(sub(first, logGamma(shape, beta, derivedSeed(seed, 1))));
  });
}

/** Returns the logarithms of gamma values; for alpha below 1 scaled by a power of a uniform value, as in randomGamma. */
function logGamma(shape: Shape, alpha: number, seed: number | undefined): Tensor {
  if (alpha >= 1) return log(gammaAboveOne(shape, alpha, seed));
  const uniform = maximum(randomUniform(shape, { seed: derivedSeed(seed, boostSeed) }), 2 ** -25);
  return add(log(gammaAboveOne(shape, alpha + 1, seed)), mul(log(uniform), 1 / alpha));
}
