/**
 * @file Initializers whose variance depends on the shape of the weight, so that signals neither grow nor vanish from layer to
 * layer. Sources: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, AISTATS 2010;
 * He et al., Delving deep into rectifiers, ICCV 2015; LeCun et al., Efficient BackProp, 1998.
 */
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, requireOneOf, type Shape } from '../../core/shape.ts';
import { randomNormal, randomUniform, truncatedNormal } from '../../ops/random.ts';
import type { Initializer, SeedOptions } from './initializer.ts';
import { requireSeed } from './random.ts';

/** Which axes of a weight are inputs and outputs, if not the last two. */
export interface FanOptions extends SeedOptions {
  /** Input axes. Default null: the second to last. */
  inputAxes?: number | readonly number[] | null;
  /** Output axes. Default null: the last. */
  outputAxes?: number | readonly number[] | null;
}

const modes = ['fanIn', 'fanOut', 'fanAvg'] as const;
const distributions = ['truncatedNormal', 'untruncatedNormal', 'uniform'] as const;

type Mode = (typeof modes)[number];
type Distribution = (typeof distributions)[number];

/** Options of `varianceScaling`. */
export interface VarianceScalingOptions extends FanOptions {
  /** Factor of the variance. Default 1. */
  scale?: number;
  /**
   * Divisor of the variance: the inputs of a unit ('fanIn'), its outputs ('fanOut') or their mean ('fanAvg'). Default
   * 'fanIn'.
   */
  mode?: Mode;
  /** 'truncatedNormal' (also 'normal'), 'untruncatedNormal' or 'uniform'. Default 'truncatedNormal'. */
  distribution?: Distribution | 'normal';
}

const fanOptionNames: OptionNames<FanOptions> = { seed: true, inputAxes: false, outputAxes: false };

const scalingOptionNames: OptionNames<VarianceScalingOptions> = {
  scale: true,
  mode: true,
  distribution: true,
  seed: true,
  inputAxes: false,
  outputAxes: false,
};

/** Standard deviation of a standard normal distribution truncated at ±2. */
const truncatedDeviation = 0.87962566103423978;

/** Variance `scale / fan`: the fan of the inputs, of the outputs, or the mean of both. Errors: ValueError for options. */
export function varianceScaling(options?: VarianceScalingOptions): Initializer;
export function varianceScaling(
  ...settings: Positions<VarianceScalingOptions, ['scale', 'mode', 'distribution', 'seed']>
): Initializer;
export function varianceScaling(...args: unknown[]): Initializer {
  return scaled('VarianceScaling', optionsOf('VarianceScaling', args, scalingOptionNames));
}

/** Uniform, variance 2 / (fanIn + fanOut). */
export function glorotUniform(options?: FanOptions): Initializer;
export function glorotUniform(...settings: Positions<FanOptions, ['seed']>): Initializer;
export function glorotUniform(...args: unknown[]): Initializer {
  return scaled('GlorotUniform', {
    ...optionsOf('GlorotUniform', args, fanOptionNames),
    scale: 1,
    mode: 'fanAvg',
    distribution: 'uniform',
  });
}

/** Truncated normal, variance 2 / (fanIn + fanOut). */
export function glorotNormal(options?: FanOptions): Initializer;
export function glorotNormal(...settings: Positions<FanOptions, ['seed']>): Initializer;
export function glorotNormal(...args: unknown[]): Initializer {
  return scaled('GlorotNormal', {
    ...optionsOf('GlorotNormal', args, fanOptionNames),
    scale: 1,
    mode: 'fanAvg',
    distribution: 'normal',
  });
}

/** Uniform, variance 2 / fanIn: keeps the variance through layers with ReLU. */
export function heUniform(options?: FanOptions): Initializer;
export function heUniform(...settings: Positions<FanOptions, ['seed']>): Initializer;
export function heUniform(...args: unknown[]): Initializer {
  return scaled('HeUniform', {
    ...optionsOf('HeUniform', args, fanOptionNames),
    scale: 2,
    mode: 'fanIn',
    distribution: 'uniform',
  });
}

/** Truncated normal, variance 2 / fanIn: keeps the variance through layers with ReLU. */
export function heNormal(options?: FanOptions): Initializer;
export function heNormal(...settings: Positions<FanOptions, ['seed']>): Initializer;
export function heNormal(...args: unknown[]): Initializer {
  return scaled('HeNormal', {
    ...optionsOf('HeNormal', args, fanOptionNames),
    scale: 2,
    mode: 'fanIn',
    distribution: 'normal',
  });
}

/** Uniform, variance 1 / fanIn. */
export function lecunUniform(options?: FanOptions): Initializer;
export function lecunUniform(...settings: Positions<FanOptions, ['seed']>): Initializer;
export function lecunUniform(...args: unknown[]): Initializer {
  return scaled('LecunUniform', {
    ...optionsOf('LecunUniform', args, fanOptionNames),
    scale: 1,
    mode: 'fanIn',
    distribution: 'uniform',
  });
}

/** Truncated normal, variance 1 / fanIn. */
export function lecunNormal(options?: FanOptions): Initializer;
export function lecunNormal(...settings: Positions<FanOptions, ['seed']>): Initializer;
export function lecunNormal(...args: unknown[]): Initializer {
  return scaled('LecunNormal', {
    ...optionsOf('LecunNormal', args, fanOptionNames),
    scale: 1,
    mode: 'fanIn',
    distribution: 'normal',
  });
}

function scaled(className: string, options: VarianceScalingOptions): Initializer {
  const { scale = 1, mode = 'fanIn', seed = null } = options;
  const { inputAxes = null, outputAxes = null } = options;
  const distribution = options.distribution === 'normal' ? 'truncatedNormal' : options.distribution;
  checkOptions(className, { ...options, seed, distribution: distribution ?? 'truncatedNormal' });
  const fans = { inputAxes, outputAxes, seed };
  return {
    className,
    call: (shape, dtype) => {
      const { fanIn, fanOut } = fansOf(shape, fans);
      const fan = { fanIn, fanOut, fanAvg: (fanIn + fanOut) / 2 }[mode];
      const variance = scale / Math.max(1, fan);
      const drawn = { dtype, seed: seed ?? undefined };
      if (distribution === 'uniform') {
        const limit = Math.sqrt(3 * variance);
        return randomUniform(shape, { min: -limit, max: limit, ...drawn });
      }
      if (distribution === 'untruncatedNormal')
        return randomNormal(shape, { stddev: Math.sqrt(variance), ...drawn });
      return truncatedNormal(shape, { stddev: Math.sqrt(variance) / truncatedDeviation, ...drawn });
    },
    getConfig: () =>
      className === 'VarianceScaling'
        ? { scale, mode, distribution: distribution ?? 'truncatedNormal', ...fans }
        : fans,
  };
}

/** Numbers of inputs and outputs of a unit (fan-in, fan-out). Kernels are [...window, in, out], unless axes are given. */
function fansOf(shape: Shape, { inputAxes, outputAxes }: FanOptions): Fans {
  if (inputAxes != null || outputAxes != null) return fansOfAxes(shape, inputAxes ?? -2, outputAxes ?? -1);
  if (shape.length < 2) return { fanIn: shape[0] ?? 1, fanOut: shape[0] ?? 1 };
  const window = productOf(shape.slice(0, -2));
  return { fanIn: window * (shape.at(-2) as number), fanOut: window * (shape.at(-1) as number) };
}

interface Fans {
  fanIn: number;
  fanOut: number;
}

/** Axes that are neither inputs nor outputs form the window. */
function fansOfAxes(shape: Shape, inputAxes: Axes, outputAxes: Axes): Fans {
  const place = (axes: Axes) => [axes].flat().map((axis) => (axis < 0 ? axis + shape.length : axis));
  const [inputs, outputs] = [place(inputAxes), place(outputAxes)];
  const sizes = (axes: readonly number[]) => axes.map((axis) => shape[axis] ?? 1);
  const window = productOf(shape.filter((_, axis) => !inputs.includes(axis) && !outputs.includes(axis)));
  return { fanIn: window * productOf(sizes(inputs)), fanOut: window * productOf(sizes(outputs)) };
}

type Axes = number | readonly number[];

function productOf(sizes: readonly number[]): number {
  return sizes.reduce((product, n) => product * n, 1);
}

function checkOptions(op: string, options: VarianceScalingOptions): void {
  const { scale = 1, mode = 'fanIn', distribution, seed, inputAxes, outputAxes } = options;
  if (typeof scale !== 'number' || !(scale > 0 && scale < Number.POSITIVE_INFINITY)) {
    throw new ValueError({
      op,
      rule: '`scale` is a positive number.',
      received: `scale: ${describe(scale)}`,
      hint: 'pass 1, or 2 before a ReLU.',
    });
  }
  requireOneOf(op, 'mode', mode, modes);
  requireOneOf(op, 'distribution', distribution, distributions);
  requireSeed(op, seed);
  for (const [what, axes] of Object.entries({ inputAxes, outputAxes })) {
    if (axes == null || [axes].flat().every((axis) => Number.isInteger(axis))) continue;
    throw new ValueError({
      op,
      rule: `\`${what}\` is an axis, a list of axes, or null.`,
      received: `${what}: ${describe(axes)}`,
      hint: 'leave it out: kernels end in an axis of inputs and an axis of outputs.',
    });
  }
}
