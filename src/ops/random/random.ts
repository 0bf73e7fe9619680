/**
 * @file Random tensors, made on the device from a seed by Philox4x32-10: randomUniform, randomNormal, truncatedNormal.
 * The same seed gives the same values on every adapter, up to the rounding of float arithmetic; without a seed, each call
 * uses a new one. Adjacent seeds give independent values.
 */
import { type ComputeDType, type DType, isFloating, requireDType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { describe, type Shape } from '../../core/shape.ts';
import { type Distribution, type RandomParams, randomKernel } from '../../kernels/random.ts';
import { checkDType } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { create, type CreationOptions } from '../creation/creation.ts';
import { checkSeed, drawSeed, type Seed } from '../define/seeds.ts';

/** Options of random tensors. */
export interface RandomTensorOptions<D extends DType = DType> extends CreationOptions<D> {
  /** An integer in [0, 2^53). Default: a new seed for each call. */
  seed?: Seed | undefined;
}

/** Options of `randomUniform`. */
export interface UniformOptions<D extends DType = DType> extends RandomTensorOptions<D> {
  /** The smallest value that may be drawn. Default 0. */
  min?: number;
  /** Upper bound, exclusive. Default 1; required for integers. */
  max?: number;
}

/** Options of `randomNormal` and `truncatedNormal`. */
export interface NormalOptions<D extends DType = DType> extends RandomTensorOptions<D> {
  /** The mean of the distribution. Default 0. */
  mean?: number;
  /** Standard deviation, before any truncation; at least 0. Default 1. */
  stddev?: number;
}

const uniformOptionNames: OptionNames<UniformOptions> = {
  min: true,
  max: true,
  dtype: true,
  seed: true,
  name: false,
};

const normalOptionNames: OptionNames<NormalOptions> = {
  mean: true,
  stddev: true,
  dtype: true,
  seed: true,
  name: false,
};

function draw<D extends DType>(
  op: string,
  shape: Shape,
  distribution: Distribution,
  options: RandomTensorOptions<D>,
  params: RandomParams,
): Tensor<D> {
  const { seed = drawSeed() } = options;
  return create(op, shape, options, (device, spec) =>
    randomKernel(device, spec, distribution, seed, params, op),
  );
}

const word = new DataView(new ArrayBuffer(4));

/** Returns the largest float below `value`. */
function floatBelow(value: number): number {
  const rounded = Math.fround(value);
  if (rounded < value) return rounded;
  if (rounded === 0) return -(2 ** -149);
  word.setFloat32(0, rounded);
  word.setUint32(0, word.getUint32(0) + (rounded > 0 ? -1 : 1));
  return word.getFloat32(0);
}

/** Distribution and parameters of uniform values in [min, max). */
function uniformParams(dtype: DType, min: number, max: number): [Distribution, RandomParams] {
  if (isFloating(dtype))
    return ['uniform', { low: min, high: max - min, below: Math.max(Math.fround(min), floatBelow(max)) }];
  if (dtype === 'bool') return ['coin', {}];
  return ['integers', { offset: min < 0 ? min + 2 ** 32 : min, range: (max - min) % 2 ** 32 }];
}

/** The range of bounds for each dtype; upper bounds are exclusive. */
const domains: Record<ComputeDType, readonly [number, number]> = {
  float32: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  int32: [-(2 ** 31), 2 ** 31],
  uint32: [0, 2 ** 32],
  bool: [0, 1],
};

function requireBounds(dtype: DType, min: unknown, max: unknown): void {
  const [lowest, highest] = domains[dtype as ComputeDType];
  const isBound = (value: unknown) =>
    isFloating(dtype)
      ? typeof value === 'number' && Number.isFinite(Math.fround(value))
      : Number.isInteger(value);
  const fits =
    isBound(min) &&
    isBound(max) &&
    isBound((max as number) - (min as number)) &&
    (min as number) < (max as number);
  if (fits && (min as number) >= lowest && (max as number) <= highest) return;
  throw new ValueError({
    op: 'randomUniform',
    rule: isFloating(dtype)
      ? '`min` and `max` must be finite numbers, as must their difference, min below max.'
      : `\`min\` and \`max\` must be integers in [${lowest}, ${highest}] for dtype ${dtype}, min below max.`,
    received: `min: ${describe(min)}, max: ${describe(max)}`,
    hint: 'pass both bounds; the upper one is not included.',
  });
}

/**
 * Uniform values in [min, max). Dtypes: float32, with 24 random bits; int32 and uint32, where `max` is required and a
 * value's probability is off by at most 2^-32; bool, a fair coin without bounds.
 * Errors: ValueError for bounds out of order or of range, or a seed that isn't one.
 * Shape: `shape`.
 */
export function randomUniform<D extends DType = 'float32'>(
  shape: Shape,
  ...settings: Settings<UniformOptions<D>, ['min', 'max', 'dtype', 'seed']>
): Tensor<D>;
export function randomUniform(shape: Shape, ...settings: unknown[]): Tensor {
  const options: UniformOptions = optionsOf('randomUniform', settings, uniformOptionNames, ['shape']);
  const { dtype = 'float32', seed, min = 0 } = options;
  checkDType('randomUniform', dtype);
  checkSeed('randomUniform', seed);
  const max = options.max ?? (dtype === 'int32' || dtype === 'uint32' ? undefined : 1);
  requireBounds(dtype, min, max);
  const [distribution, params] = uniformParams(dtype, min, max as number);
  return draw('randomUniform', shape, distribution, options, params);
}

function normal(op: string, shape: Shape, distribution: Distribution, settings: readonly unknown[]): Tensor {
  const options: NormalOptions = optionsOf(op, settings, normalOptionNames, ['shape']);
  const { dtype = 'float32', seed, mean = 0, stddev = 1 } = options;
  checkDType(op, dtype);
  requireDType(op, 'dtype', dtype, ['float32', 'int32']);
  checkSeed(op, seed);
  if (!Number.isFinite(mean) || !Number.isFinite(stddev) || stddev < 0) {
    throw new ValueError({
      op,
      rule: '`mean` must be finite, and `stddev` finite and at least 0.',
      received: `mean: ${describe(mean)}, stddev: ${describe(stddev)}`,
      hint: 'pass finite numbers; stddev 0 gives the mean everywhere.',
    });
  }
  return draw(op, shape, distribution, options, { low: mean, high: stddev });
}

/**
 * Normal values. Dtypes: float32; int32 rounds them.
 * Errors: ValueError for a negative stddev, numbers that aren't finite, or a seed that isn't one.
 * Source: the Box–Muller transform.
 * Shape: `shape`.
 */
export function randomNormal<D extends DType = 'float32'>(
  shape: Shape,
  ...settings: Settings<NormalOptions<D>, ['mean', 'stddev', 'dtype', 'seed']>
): Tensor<D>;
export function randomNormal(shape: Shape, ...settings: unknown[]): Tensor {
  return normal('randomNormal', shape, 'normal', settings);
}

/**
 * Normal values within two standard deviations of the mean. Their own standard deviation is 0.8796 `stddev`. Dtypes:
 * float32; int32 rounds them.
 * Errors: ValueError for a negative stddev, numbers that aren't finite, or a seed that isn't one.
 * Source: inversion of the normal distribution.
 * Shape: `shape`.
 */
export function truncatedNormal<D extends DType = 'float32'>(
  shape: Shape,
  ...settings: Settings<NormalOptions<D>, ['mean', 'stddev', 'dtype', 'seed']>
): Tensor<D>;
export function truncatedNormal(shape: Shape, ...settings: unknown[]): Tensor {
  return normal('truncatedNormal', shape, 'truncatedNormal', settings);
}
