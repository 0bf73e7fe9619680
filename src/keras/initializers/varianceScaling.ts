/**
 * @file Initializers that scale the variance of a weight by the number of its inputs and outputs.
 *
 * Sources: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, AISTATS 2010;
 * He, Zhang, Ren and Sun, Delving deep into rectifiers, ICCV 2015; LeCun et al., Efficient BackProp, 1998.
 */
import { ValueError } from '../../core/errors.ts';
import { describe, type Shape } from '../../core/shape.ts';
import { randomUniform, truncatedNormal } from '../../ops/random.ts';
import type { Initializer } from './initializer.ts';

export interface SeedOptions {
  /** Whole number; the same seed gives the same values. Default: drawn at every call. */
  seed?: number | undefined;
}

export interface VarianceScalingOptions extends SeedOptions {
  /** Factor of the variance. Default 1. */
  scale?: number;
  mode?: 'fanIn' | 'fanOut' | 'fanAvg';
  distribution?: 'truncatedNormal' | 'uniform';
}

/** Standard deviation of a standard normal that is cut off at two. */
const truncatedDeviation = 0.87962566103423978;

/** Inputs and outputs that one value of a weight connects: kernels are [...window, in, out]. */
export function fansOf(shape: Shape): { fanIn: number; fanOut: number } {
  if (shape.length < 2) return { fanIn: shape[0] ?? 1, fanOut: shape[0] ?? 1 };
  const window = shape.slice(0, -2).reduce((product, n) => product * n, 1);
  return { fanIn: window * (shape.at(-2) as number), fanOut: window * (shape.at(-1) as number) };
}

/** Variance `scale / fan`: the fan of the inputs, of the outputs, or the mean of both. */
export function varianceScaling(options: VarianceScalingOptions = {}): Initializer {
  return scaled('VarianceScaling', options);
}

/** Uniform, variance 2 / (fanIn + fanOut). */
export function glorotUniform({ seed }: SeedOptions = {}): Initializer {
  return scaled('GlorotUniform', { mode: 'fanAvg', distribution: 'uniform', seed });
}

/** Truncated normal, variance 2 / (fanIn + fanOut). */
export function glorotNormal({ seed }: SeedOptions = {}): Initializer {
  return scaled('GlorotNormal', { mode: 'fanAvg', seed });
}

/** Uniform, variance 2 / fanIn: keeps the variance through layers with ReLU. */
export function heUniform({ seed }: SeedOptions = {}): Initializer {
  return scaled('HeUniform', { scale: 2, distribution: 'uniform', seed });
}

/** Truncated normal, variance 2 / fanIn: keeps the variance through layers with ReLU. */
export function heNormal({ seed }: SeedOptions = {}): Initializer {
  return scaled('HeNormal', { scale: 2, seed });
}

function scaled(
  className: string,
  { scale = 1, mode = 'fanIn', distribution = 'truncatedNormal', seed }: VarianceScalingOptions,
): Initializer {
  if (!(scale > 0)) {
    throw new ValueError({
      op: className,
      rule: '`scale` is a positive number.',
      received: `scale: ${describe(scale)}`,
      mend: 'pass 1, or 2 before a ReLU.',
    });
  }
  return {
    className,
    call: (shape, dtype) => {
      const { fanIn, fanOut } = fansOf(shape);
      const fan = { fanIn, fanOut, fanAvg: (fanIn + fanOut) / 2 }[mode];
      const variance = scale / Math.max(1, fan);
      if (distribution === 'uniform') {
        const limit = Math.sqrt(3 * variance);
        return randomUniform(shape, { min: -limit, max: limit, dtype, seed });
      }
      return truncatedNormal(shape, { stddev: Math.sqrt(variance) / truncatedDeviation, dtype, seed });
    },
    getConfig: () => (className === 'VarianceScaling' ? { scale, mode, distribution, seed } : { seed }),
  };
}
