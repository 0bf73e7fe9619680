/** @file ReLU, LeakyReLU, ELU: rectifiers with options, as layers. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { requireFinite } from '../../../core/shape.ts';
import { elu as exponentialLinear, leakyRelu, relu6 } from '../../../ops/rectifiers.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { reluWith } from '../../activationFunctions.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';

/** Options of `reLU`. */
export interface ReLUOptions extends LayerOptions {
  /** The largest value of the result. Default null: no bound. */
  maxValue?: number | null;
  /** Slope below the threshold. Default 0. */
  negativeSlope?: number;
  /** Only values above the threshold are passed through. Default 0. */
  threshold?: number;
}

/** The class of layers created by `reLU`, which documents shapes, weights and errors. */
export class ReLU extends Layer {
  static override readonly className: string = 'ReLU';

  static override get optionNames(): OptionNames<ReLUOptions> {
    return { maxValue: true, negativeSlope: true, threshold: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  readonly maxValue: number | null;
  readonly negativeSlope: number;
  readonly threshold: number;

  constructor(options: ReLUOptions = {}) {
    super(options);
    const { maxValue = null, negativeSlope = 0, threshold = 0 } = options;
    if (maxValue !== null) requireFinite(this.name, 'maxValue', maxValue, 0);
    requireFinite(this.name, 'negativeSlope', negativeSlope, 0);
    requireFinite(this.name, 'threshold', threshold, 0);
    this.maxValue = maxValue;
    this.negativeSlope = negativeSlope;
    this.threshold = threshold;
  }

  override call(x: Tensor): Tensor {
    const { maxValue, negativeSlope, threshold } = this;
    if (threshold === 0 && negativeSlope === 0 && maxValue === 6) return relu6(x);
    if (threshold === 0 && negativeSlope > 0 && maxValue === null) return leakyRelu(x, { negativeSlope });
    return reluWith(x, { maxValue, negativeSlope, threshold });
  }

  override getConfig(): Record<string, unknown> {
    const { maxValue, negativeSlope, threshold } = this;
    return { ...super.getConfig(), maxValue, negativeSlope, threshold };
  }
}

/** Options of `leakyReLU`. */
export interface LeakyReLUOptions extends LayerOptions {
  /** The factor of negative values. Default 0.3. */
  negativeSlope?: number;
}

/** The class of layers created by `leakyReLU`, which documents shapes, weights and errors. */
export class LeakyReLU extends Layer {
  static override readonly className: string = 'LeakyReLU';

  static override get optionNames(): OptionNames<LeakyReLUOptions> {
    return { negativeSlope: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  readonly negativeSlope: number;

  constructor(options: LeakyReLUOptions = {}) {
    super(options);
    const { negativeSlope = 0.3 } = options;
    requireFinite(this.name, 'negativeSlope', negativeSlope);
    this.negativeSlope = negativeSlope;
  }

  override call(x: Tensor): Tensor {
    return leakyRelu(x, { negativeSlope: this.negativeSlope });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), negativeSlope: this.negativeSlope };
  }
}

/** Options of `elu`. */
export interface ELUOptions extends LayerOptions {
  /** Large negative inputs approach -alpha. Default 1. */
  alpha?: number;
}

/** The class of layers created by `elu`, which documents shapes, weights and errors. */
export class ELU extends Layer {
  static override readonly className: string = 'ELU';

  static override get optionNames(): OptionNames<ELUOptions> {
    return { alpha: true, ...layerOptionNames };
  }

  override readonly supportsMasking: boolean = true;
  readonly alpha: number;

  constructor(options: ELUOptions = {}) {
    super(options);
    const { alpha = 1 } = options;
    requireFinite(this.name, 'alpha', alpha);
    this.alpha = alpha;
  }

  override call(x: Tensor): Tensor {
    return exponentialLinear(x, { alpha: this.alpha });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), alpha: this.alpha };
  }
}

/**
 * x above `threshold` and up to `maxValue`, negativeSlope · (x - threshold) elsewhere. Shape: that of the input. float32.
 * Errors: ValueError for options that are negative or not numbers.
 */
export function reLU(options?: ReLUOptions): ReLU;
export function reLU(...settings: Positions<ReLUOptions, ['maxValue', 'negativeSlope', 'threshold']>): ReLU;
export function reLU(...args: unknown[]): ReLU {
  return make(ReLU, args);
}

/** x above 0, negativeSlope · x below. Shape: that of the input. float32. Errors: ValueError for the slope. */
export function leakyReLU(options?: LeakyReLUOptions): LeakyReLU;
export function leakyReLU(...settings: Positions<LeakyReLUOptions, ['negativeSlope']>): LeakyReLU;
export function leakyReLU(...args: unknown[]): LeakyReLU {
  return make(LeakyReLU, args);
}

/** x above 0, alpha · (exp(x) - 1) below. Shape: that of the input. float32. Errors: ValueError for `alpha`. */
export function elu(options?: ELUOptions): ELU;
export function elu(...settings: Positions<ELUOptions, ['alpha']>): ELU;
export function elu(...args: unknown[]): ELU {
  return make(ELU, args);
}
