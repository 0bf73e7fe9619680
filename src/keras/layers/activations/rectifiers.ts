/** @file ReLU, LeakyReLU, ELU: rectifiers with options, as layers. */
import { elu as exponentialLinear, leakyRelu, relu6 } from '../../../ops/activations/rectifiers.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { reluWith } from '../../activationFunctions.ts';
import { factoryOf, type Layer, layer, type LayerOptions, number } from '../base/declare.ts';
import { underPresentNames } from '../../options/formerNames.ts';

export interface ReLUOptions extends LayerOptions {
  /** The largest value of the result. Default null: no bound. */
  maxValue?: number | null;
  /** Slope below the threshold. Default 0. */
  negativeSlope?: number;
  /** Only values above the threshold are passed through. Default 0. */
  threshold?: number;
}

export class ReLU extends /* @__PURE__ */ layer<ReLUOptions>('ReLU', () => ({
  maxValue: number({ min: 0, default: null }),
  negativeSlope: number({ min: 0, default: 0 }),
  threshold: number({ min: 0, default: 0 }),
})) {
  override readonly supportsMasking: boolean = true;

  protected override get roundsResults(): boolean {
    return false;
  }

  override call(x: Tensor): Tensor {
    const { maxValue, negativeSlope, threshold } = this;
    if (threshold === 0 && negativeSlope === 0 && maxValue === 6) return relu6(x);
    if (threshold === 0 && negativeSlope > 0 && maxValue === null) return leakyRelu(x, { negativeSlope });
    return reluWith(x, { maxValue, negativeSlope, threshold });
  }
}

export interface LeakyReLUOptions extends LayerOptions {
  /** The factor of negative values. Default 0.3. */
  negativeSlope?: number;
  /** @deprecated The name of `negativeSlope` in TF.js and Keras 2. */
  alpha?: number;
}

export class LeakyReLU extends /* @__PURE__ */ layer<LeakyReLUOptions, Layer, 'alpha'>('LeakyReLU', () => ({
  negativeSlope: number({ default: 0.3 }),
})) {
  override readonly supportsMasking: boolean = true;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  constructor(options?: LeakyReLUOptions) {
    super(underPresentNames('LeakyReLU', options, { alpha: 'negativeSlope' }));
  }

  override call(x: Tensor): Tensor {
    return leakyRelu(x, { negativeSlope: this.negativeSlope });
  }
}

export interface ELUOptions extends LayerOptions {
  /** Large negative inputs approach -alpha. Default 1. */
  alpha?: number;
}

export class ELU extends /* @__PURE__ */ layer<ELUOptions>('ELU', () => ({
  alpha: number({ default: 1 }),
})) {
  override readonly supportsMasking: boolean = true;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override call(x: Tensor): Tensor {
    return exponentialLinear(x, { alpha: this.alpha });
  }
}

/**
 * x above `threshold` and up to `maxValue`, negativeSlope · (x - threshold) elsewhere. Shape: that of the input. float32.
 * Errors: ValueError for options that are negative or not numbers.
 */
export const reLU = /* @__PURE__ */ factoryOf(ReLU, ['maxValue', 'negativeSlope', 'threshold']);

/** x above 0, negativeSlope · x below. Shape: that of the input. float32. Errors: ValueError for the slope. */
export const leakyReLU = /* @__PURE__ */ factoryOf(LeakyReLU, ['negativeSlope']);

/** x above 0, alpha · (exp(x) - 1) below. Shape: that of the input. float32. Errors: ValueError for `alpha`. */
export const elu = /* @__PURE__ */ factoryOf(ELU, ['alpha']);
