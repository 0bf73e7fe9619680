/** @file randomGamma, randomPoisson: drawn from uniform and normal values. */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { checkShape, describe, type Shape } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { greater, less } from '../elementwise/comparison.ts';
import { fill } from '../creation/creation.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { maximum } from '../elementwise/maximum.ts';
import { pow } from '../elementwise/pow.ts';
import { randomNormal, randomUniform } from './random.ts';
import { searchSorted } from '../sorting/searchSorted.ts';
import { checkSeed, derivedSeed } from '../define/seeds.ts';
import { log, square } from '../elementwise/unary.ts';
import { where } from '../elementwise/where.ts';
import { sigmoid } from '../activations/activations.ts';

/** Options of `randomGamma`. */
export interface GammaOptions {
  /** The shape parameter, above 0. */
  alpha: number;
  /** The rate, or inverse scale, above 0. Default 1. */
  beta?: number;
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: number | undefined;
}

/** Options of `randomPoisson`. */
export interface PoissonOptions {
  /** The mean, in [0, 10^6]. */
  rate: number;
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: number | undefined;
}

const gammaOptionNames: OptionNames<GammaOptions> = { alpha: true, beta: true, seed: true };
const poissonOptionNames: OptionNames<PoissonOptions> = { rate: true, seed: true };

/** Rounds of rejection sampling. Each accepts at least 95% of the candidates, so about one value in 10^13 is never accepted. */
const rounds = 10;

/** Index of the derived seed for the correction of small parameters; the rounds use those below. */
const boostSeed = 2 * rounds;

/**
 * Gamma values of density ∝ x^(alpha - 1) e^(-beta x). float32; mean alpha / beta, variance alpha / beta². Shape: `shape`.
 * Numbers are parameters, so there is no gradient.
 * Source: G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", 2000.
 * Errors: ValueError for parameters that aren't above 0, or a seed that isn't one; ShapeError.
 */
export function randomGamma(shape: Shape, options: GammaOptions): Tensor;
export function randomGamma(
  shape: Shape,
  ...settings: Positions<GammaOptions, ['alpha', 'beta', 'seed']>
): Tensor;
export function randomGamma(shape: Shape, ...settings: unknown[]): Tensor {
  const {
    alpha,
    beta = 1,
    seed,
  }: Partial<GammaOptions> = optionsOf('randomGamma', settings, gammaOptionNames, ['shape']);
  checkShape('randomGamma', shape);
  requireParameter('randomGamma', 'alpha', alpha, Number.MAX_VALUE);
  requireParameter('randomGamma', 'beta', beta, Number.MAX_VALUE);
  checkSeed('randomGamma', seed);
  return tidy(() => {
    // The method needs alpha ≥ 1: below, use alpha + 1 and multiply by a power of a uniform value.
    const gamma = gammaAboveOne(shape, alpha < 1 ? alpha + 1 : alpha, seed);
    if (alpha >= 1) return mul(gamma, 1 / beta);
    const boost = pow(randomUniform(shape, { seed: derivedSeed(seed, boostSeed) }), 1 / alpha);
    return mul(mul(gamma, boost), 1 / beta);
  });
}

/** Gamma values of a parameter of at least 1. */
function gammaAboveOne(shape: Shape, alpha: number, seed: number | undefined): Tensor {
  const d = alpha - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  let accepted: Tensor = fill(shape, d);
  for (let i = 0; i < rounds; i++) {
    const x = randomNormal(shape, { seed: derivedSeed(seed, 2 * i) });
    const u = randomUniform(shape, { seed: derivedSeed(seed, 2 * i + 1) });
    const root = add(mul(x, c), 1);
    const v = mul(root, square(root));
    const bound = add(mul(square(x), 0.5), mul(add(sub(1, v), log(maximum(v, 1e-30))), d));
    accepted = where(logicalAnd(greater(v, 0), less(log(u), bound)), mul(v, d), accepted);
  }
  return accepted;
}

/**
 * Poisson values: counts of events that occur `rate` times on average. float32, integers. Shape: `shape`. It has no
 * gradient. Probabilities are accurate to 2^-24.
 * Source: inversion of the distribution, which is tabulated to 10 standard deviations.
 * Errors: ValueError for a rate outside [0, 10^6], or a seed that isn't one; ShapeError.
 */
export function randomPoisson(shape: Shape, options: PoissonOptions): Tensor;
export function randomPoisson(shape: Shape, ...settings: Positions<PoissonOptions, ['rate', 'seed']>): Tensor;
export function randomPoisson(shape: Shape, ...settings: unknown[]): Tensor {
  const { rate, seed }: Partial<PoissonOptions> = optionsOf('randomPoisson', settings, poissonOptionNames, [
    'shape',
  ]);
  checkShape('randomPoisson', shape);
  if (rate !== 0) requireParameter('randomPoisson', 'rate', rate, 1e6);
  checkSeed('randomPoisson', seed);
  const { first, cumulative } = poissonTable(rate);
  return tidy(() => {
    const place = searchSorted(tensor(cumulative), randomUniform(shape, { seed }), { side: 'right' });
    return cast(add(place, first), 'float32');
  });
}

/** Returns the cumulative probabilities from `first` on, to 10 standard deviations and 20 more on each side. */
function poissonTable(rate: number): { first: number; cumulative: Float32Array } {
  const reach = 10 * Math.sqrt(rate) + 20;
  const first = Math.max(0, Math.floor(rate - reach));
  const count = Math.ceil(rate + reach) - first;
  const mode = Math.floor(rate);
  // From the mode outwards, relative to it, so that nothing underflows; normalized at the end.
  const relative = new Float64Array(count);
  relative[mode - first] = 1;
  for (let k = mode + 1; k < first + count; k++)
    relative[k - first] = ((relative[k - first - 1] as number) * rate) / k;
  for (let k = mode - 1; k >= first; k--)
    relative[k - first] = ((relative[k - first + 1] as number) * (k + 1)) / rate;
  const total = relative.reduce((sum, p) => sum + p, 0);
  let sum = 0;
  const cumulative = Float32Array.from(relative, (p) => {
    sum += p;
    return sum / total;
  });
  return { first, cumulative };
}

/** Throws unless `value` is a number above 0, and at most `max`. */
function requireParameter(op: string, name: string, value: unknown, max: number): asserts value is number {
  if (typeof value === 'number' && value > 0 && value <= max) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` must be a number above 0${max < 1e9 ? `, at most ${max}` : ''}.`,
    received: `${name}: ${describe(value)}`,
    hint: 'pass a positive number.',
  });
}

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
