/** @file GaussianNoise, GaussianDropout: normal noise in training, added or multiplied. */
import { type DType, isFloating } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { randomNormal } from '../../../ops/random/random.ts';
import { SeedSequence } from '../../../ops/define/seeds.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { fraction, requireFraction, seeded } from '../base/randomOptions.ts';
import { checked, factoryOf, layer, Layer, type CallOptions, type LayerOptions } from '../base/declare.ts';

interface NoiseOptions extends LayerOptions {
  /** An integer in [0, 2^53): the calls of the layer draw from its sequence. Default null: drawn at every call. */
  seed?: number | null;
}

export interface GaussianNoiseOptions extends NoiseOptions {
  /** Standard deviation of the noise, from 0 to 1. */
  stddev: number;
}

export interface GaussianDropoutOptions extends NoiseOptions {
  /** At least 0 and below 1: the noise has the standard deviation √(rate / (1 - rate)). */
  rate: number;
}

abstract class Noise extends Layer {
  override readonly supportsMasking: boolean = true;
  declare readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  readonly seeds: SeedSequence | null;

  constructor(options: NoiseOptions) {
    super(options);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
  }

  /** In the float dtype of `x`: a tape keeps what multiplies. */
  protected noise(x: Tensor, mean: number, stddev: number): Tensor {
    const drawn = randomNormal(x.shape, { mean, stddev, seed: this.seeds?.draw() });
    return isFloating(x.dtype) ? cast(drawn, x.dtype) : drawn;
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }
}

export class GaussianNoise extends /* @__PURE__ */ layer<GaussianNoiseOptions, Noise>(
  'GaussianNoise',
  () => ({
    stddev: fraction(),
    seed: seeded(),
  }),
  Noise,
) {
  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    return training && this.stddev > 0 ? add(x, this.noise(x, 0, this.stddev)) : x;
  }
}

export class GaussianDropout extends /* @__PURE__ */ layer<GaussianDropoutOptions, Noise>(
  'GaussianDropout',
  () => ({
    rate: checked(boundedRate),
    seed: seeded(),
  }),
  Noise,
) {
  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    const { rate } = this;
    return training && rate > 0 ? mul(x, this.noise(x, 1, Math.sqrt(rate / (1 - rate)))) : x;
  }
}

function boundedRate(op: string, what: string, rate: unknown): number {
  requireFraction(op, what, rate);
  if (rate < 1) return rate;
  throw new ValueError({
    op,
    rule: `\`${what}\` is below 1: the noise would have no bounds.`,
    received: `${what}: 1`,
    hint: 'pass a fraction such as 0.5.',
  });
}

/**
 * Adds normal noise with mean 0 in training; otherwise returns its input. Shape: that of the input. float32.
 * Errors: ValueError for bad options.
 */
export const gaussianNoise = /* @__PURE__ */ factoryOf(GaussianNoise, ['stddev', 'seed']);

/**
 * Multiplies by normal noise with mean 1 in training; otherwise returns its input. Shape: that of the input. float32.
 * Srivastava et al., Dropout, JMLR 2014, section 10. Errors: ValueError for bad options.
 */
export const gaussianDropout = /* @__PURE__ */ factoryOf(GaussianDropout, ['rate', 'seed']);
