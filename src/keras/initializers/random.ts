/** @file Initializers with a given distribution: randomNormal, randomUniform, truncatedNormal. */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { requireFinite } from '../../core/shape.ts';
import * as random from '../../ops/random.ts';
import { checkSeed } from '../../ops/seeds.ts';
import type { Initializer, SeedOptions } from './initializer.ts';

/** Options of `randomNormal` and `truncatedNormal`. */
export interface NormalInitializerOptions extends SeedOptions {
  /** Mean of the values. Default 0. */
  mean?: number;
  /** Standard deviation of the values. Default 0.05. */
  stddev?: number;
}

/** Options of `randomUniform`. */
export interface UniformInitializerOptions extends SeedOptions {
  /** The smallest value that may be drawn. Default -0.05. */
  minval?: number;
  /** Upper bound, not included. Default 0.05. */
  maxval?: number;
}

const normalOptionNames: OptionNames<NormalInitializerOptions> = { mean: true, stddev: true, seed: true };
const uniformOptionNames: OptionNames<UniformInitializerOptions> = { minval: true, maxval: true, seed: true };

/** Normal values. Errors: ValueError for options out of range. */
export function randomNormal(options?: NormalInitializerOptions): Initializer;
export function randomNormal(
  ...settings: Positions<NormalInitializerOptions, ['mean', 'stddev', 'seed']>
): Initializer;
export function randomNormal(...args: unknown[]): Initializer {
  return normal('RandomNormal', random.randomNormal, args);
}

/** Normal values within two standard deviations of the mean. Errors: ValueError for options out of range. */
export function truncatedNormal(options?: NormalInitializerOptions): Initializer;
export function truncatedNormal(
  ...settings: Positions<NormalInitializerOptions, ['mean', 'stddev', 'seed']>
): Initializer;
export function truncatedNormal(...args: unknown[]): Initializer {
  return normal('TruncatedNormal', random.truncatedNormal, args);
}

/** Uniform values in [minval, maxval). Errors: ValueError for options out of range. */
export function randomUniform(options?: UniformInitializerOptions): Initializer;
export function randomUniform(
  ...settings: Positions<UniformInitializerOptions, ['minval', 'maxval', 'seed']>
): Initializer;
export function randomUniform(...args: unknown[]): Initializer {
  const options: UniformInitializerOptions = optionsOf('RandomUniform', args, uniformOptionNames);
  const { minval = -0.05, maxval = 0.05, seed = null } = options;
  requireFinite('RandomUniform', 'minval', minval);
  requireFinite('RandomUniform', 'maxval', maxval);
  requireSeed('RandomUniform', seed);
  if (minval >= maxval) {
    throw new ValueError({
      op: 'RandomUniform',
      rule: '`minval` is below `maxval`.',
      received: `minval: ${minval}, maxval: ${maxval}`,
      hint: 'swap them, or use constant for a single value.',
    });
  }
  return {
    className: 'RandomUniform',
    call: (shape, dtype) =>
      random.randomUniform(shape, { min: minval, max: maxval, dtype, seed: seed ?? undefined }),
    getConfig: () => ({ minval, maxval, seed }),
  };
}

/** Throws unless `seed` is null or a valid seed of random ops. */
export function requireSeed(op: string, seed: unknown): void {
  if (seed !== null) checkSeed(op, seed);
}

function normal(className: string, draw: typeof random.randomNormal, args: readonly unknown[]): Initializer {
  const options: NormalInitializerOptions = optionsOf(className, args, normalOptionNames);
  const { mean = 0, stddev = 0.05, seed = null } = options;
  requireFinite(className, 'mean', mean);
  requireFinite(className, 'stddev', stddev, 0);
  requireSeed(className, seed);
  return {
    className,
    call: (shape, dtype) => draw(shape, { mean, stddev, dtype, seed: seed ?? undefined }),
    getConfig: () => ({ mean, stddev, seed }),
  };
}
