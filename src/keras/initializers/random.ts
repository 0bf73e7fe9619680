/** @file Initializers with a given distribution: randomNormal, randomUniform, truncatedNormal. */
import { ValueError } from '../../core/errors.ts';
import * as random from '../../ops/random/random.ts';
import { number, seeded } from '../options/kinds.ts';
import type { Table } from '../options/maker.ts';
import { initializer, type SeedOptions } from './initializer.ts';

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

const normalTable: Table<NormalInitializerOptions> = () => ({
  mean: number({ default: 0 }),
  stddev: number({ min: 0, default: 0.05 }),
  seed: seeded(),
});

const uniformTable: Table<UniformInitializerOptions> = () => ({
  minval: number({ default: -0.05 }),
  maxval: number({ default: 0.05 }),
  seed: seeded(),
});

const normal = (className: string, draw: typeof random.randomNormal) =>
  initializer(
    className,
    normalTable,
    ({ seed, ...moments }) =>
      (shape, dtype) =>
        draw(shape, { ...moments, dtype, seed: seed ?? undefined }),
    ['mean', 'stddev', 'seed'],
  );

/** Normal values. Errors: ValueError for options out of range. */
export const randomNormal = /* @__PURE__ */ normal('RandomNormal', random.randomNormal);

/** Normal values within two standard deviations of the mean. Errors: ValueError for options out of range. */
export const truncatedNormal = /* @__PURE__ */ normal('TruncatedNormal', random.truncatedNormal);

/** Uniform values in [minval, maxval). Errors: ValueError for options out of range. */
export const randomUniform = /* @__PURE__ */ initializer(
  'RandomUniform',
  uniformTable,
  ({ minval, maxval, seed }) => {
    requireOrder(minval, maxval);
    return (shape, dtype) =>
      random.randomUniform(shape, { min: minval, max: maxval, dtype, seed: seed ?? undefined });
  },
  ['minval', 'maxval', 'seed'],
);

function requireOrder(minval: number, maxval: number): void {
  if (minval < maxval) return;
  throw new ValueError({
    op: 'RandomUniform',
    rule: '`minval` is below `maxval`.',
    received: `minval: ${minval}, maxval: ${maxval}`,
    hint: 'swap them, or use constant for a single value.',
  });
}
