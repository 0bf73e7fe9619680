/** @file GaussianNoise, GaussianDropout: normal noise in training, added or multiplied. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { ValueError } from '../../../core/errors.ts';
import type { OpenShape } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/arithmetic.ts';
import { randomNormal } from '../../../ops/random.ts';
import { SeedSequence } from '../../../ops/seeds.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type CallOptions, Layer, type LayerOptions } from '../base/layer.ts';
import { requireFraction, seedOf } from '../base/randomOptions.ts';

interface NoiseOptions extends LayerOptions {
  /** An integer in [0, 2^53): the calls of the layer draw from its sequence. Default null: drawn at every call. */
  seed?: number | null;
}

/** Options of `gaussianNoise`. */
export interface GaussianNoiseOptions extends NoiseOptions {
  /** Standard deviation of the noise, from 0 to 1. */
  stddev: number;
}

/** Options of `gaussianDropout`. */
export interface GaussianDropoutOptions extends NoiseOptions {
  /** At least 0 and below 1: the noise has the standard deviation √(rate / (1 - rate)). */
  rate: number;
}

abstract class Noise extends Layer {
  override readonly supportsMasking: boolean = true;
  readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  readonly seeds: SeedSequence | null;

  constructor(options: NoiseOptions) {
    super(options);
    this.seed = seedOf(this.name, options.seed);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
  }

  protected noise(x: Tensor, mean: number, stddev: number): Tensor {
    return randomNormal(x.shape, { mean, stddev, seed: this.seeds?.draw() });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }
}

/** The class of layers created by `gaussianNoise`, which documents shapes, weights and errors. */
export class GaussianNoise extends Noise {
  static override readonly className: string = 'GaussianNoise';

  static override get optionNames(): OptionNames<GaussianNoiseOptions> {
    return { stddev: true, seed: true, ...layerOptionNames };
  }

  readonly stddev: number;

  constructor(options: GaussianNoiseOptions) {
    super(options);
    requireFraction(this.name, 'stddev', options.stddev);
    this.stddev = options.stddev;
  }

  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    return training && this.stddev > 0 ? add(x, this.noise(x, 0, this.stddev)) : x;
  }

  override getConfig(): Record<string, unknown> {
    const { stddev, seed } = this;
    return { ...super.getConfig(), stddev, seed };
  }
}

/** The class of layers created by `gaussianDropout`, which documents shapes, weights and errors. */
export class GaussianDropout extends Noise {
  static override readonly className: string = 'GaussianDropout';

  static override get optionNames(): OptionNames<GaussianDropoutOptions> {
    return { rate: true, seed: true, ...layerOptionNames };
  }

  readonly rate: number;

  constructor(options: GaussianDropoutOptions) {
    super(options);
    const { rate } = options;
    requireFraction(this.name, 'rate', rate);
    if (rate === 1) {
      throw new ValueError({
        op: this.name,
        rule: '`rate` is below 1: the noise would have no bounds.',
        received: 'rate: 1',
        hint: 'pass a fraction such as 0.5.',
      });
    }
    this.rate = rate;
  }

  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    const { rate } = this;
    return training && rate > 0 ? mul(x, this.noise(x, 1, Math.sqrt(rate / (1 - rate)))) : x;
  }

  override getConfig(): Record<string, unknown> {
    const { rate, seed } = this;
    return { ...super.getConfig(), rate, seed };
  }
}

/**
 * Adds normal noise with mean 0 in training; otherwise returns its input. Shape: that of the input. float32.
 * Errors: ValueError for bad options.
 */
export function gaussianNoise(options: GaussianNoiseOptions): GaussianNoise;
export function gaussianNoise(
  ...settings: Positions<GaussianNoiseOptions, ['stddev', 'seed']>
): GaussianNoise;
export function gaussianNoise(...args: unknown[]): GaussianNoise {
  return make(GaussianNoise, args);
}

/**
 * Multiplies by normal noise with mean 1 in training; otherwise returns its input. Shape: that of the input. float32.
 * Srivastava et al., Dropout, JMLR 2014, section 10. Errors: ValueError for bad options.
 */
export function gaussianDropout(options: GaussianDropoutOptions): GaussianDropout;
export function gaussianDropout(
  ...settings: Positions<GaussianDropoutOptions, ['rate', 'seed']>
): GaussianDropout;
export function gaussianDropout(...args: unknown[]): GaussianDropout {
  return make(GaussianDropout, args);
}
