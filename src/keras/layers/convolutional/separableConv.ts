/** @file SeparableConv1D, SeparableConv2D: a convolution of each channel, then one that mixes the channels at each position. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
import { Convolution, convolutionOptionNames } from './baseConvolution.ts';
import { type OpenShape, requireInteger } from '../../../core/shape.ts';
import { depthwiseConv2d } from '../../../ops/depthwiseConv2d.ts';
import { fusedConv2d } from '../../../ops/fusedConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { splitActivation } from '../../activations.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import type { DepthwiseOptions } from './depthwiseConv.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

export interface SeparableOptions<Size> extends DepthwiseOptions<Size> {
  /** Channels of the result. */
  filters: number;
  /** Initial values of the pointwise kernel, which mixes channels. Default 'glorotUniform'. */
  pointwiseInitializer?: InitializerLike;
  /** Penalty on the pointwise kernel, added to the loss. Default: none. */
  pointwiseRegularizer?: RegularizerLike | null;
  /** Applied to the pointwise kernel after each step. Default: none. */
  pointwiseConstraint?: ConstraintLike | null;
}

/** Options of `separableConv1d`. */
export type SeparableConv1DOptions = SeparableOptions<Single>;
/** Options of `separableConv2d`. */
export type SeparableConv2DOptions = SeparableOptions<Pair>;

abstract class Separable extends Convolution {
  depthwiseKernel: Variable | null = null;
  pointwiseKernel: Variable | null = null;
  readonly filters: number;
  readonly depthMultiplier: number;
  readonly #rules: { readonly depthwise: WeightRules; readonly pointwise: WeightRules };

  constructor(rank: 1 | 2, options: SeparableOptions<unknown>) {
    super(rank, options);
    const { filters, depthMultiplier = 1 } = options;
    requireInteger(this.name, 'filters', filters, 1);
    requireInteger(this.name, 'depthMultiplier', depthMultiplier, 1);
    this.filters = filters;
    this.depthMultiplier = depthMultiplier;
    this.#rules = {
      depthwise: weightRules(options, 'depthwise', 'glorotUniform'),
      pointwise: weightRules(options, 'pointwise', 'glorotUniform'),
    };
  }

  override build(inputShape: OpenShape): void {
    const channels = this.channelsOf(inputShape);
    const { filters, depthMultiplier, kernelSize } = this;
    this.depthwiseKernel = this.addWeight('depthwise_kernel', {
      shape: [...kernelSize, channels, depthMultiplier],
      ...this.#rules.depthwise,
    });
    this.pointwiseKernel = this.addWeight('pointwise_kernel', {
      shape: [...kernelSize.map(() => 1), channels * depthMultiplier, filters],
      ...this.#rules.pointwise,
    });
    this.addBias(filters);
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    const depthwiseKernel = this.asImageKernel(this.depthwiseKernel);
    const filtered = depthwiseConv2d(this.asImages(x), depthwiseKernel, this.imageOptions);
    const mixed = fusedConv2d(filtered, this.asImageKernel(this.pointwiseKernel), this.bias, { activation });
    return after(this.fromImages(mixed));
  }

  override getConfig(): Record<string, unknown> {
    return {
      ...super.getConfig(),
      depthMultiplier: this.depthMultiplier,
      filters: this.filters,
      ...this.windowConfig,
      ...this.activationConfig,
      ...rulesConfig({ ...this.#rules, bias: this.biasRules }),
    };
  }
}

const separableOptionNames: OptionNames<SeparableConv1DOptions> & OptionNames<SeparableConv2DOptions> = {
  filters: true,
  ...convolutionOptionNames,
  depthMultiplier: false,
  depthwiseInitializer: false,
  depthwiseRegularizer: false,
  depthwiseConstraint: false,
  pointwiseInitializer: false,
  pointwiseRegularizer: false,
  pointwiseConstraint: false,
};

/** The class of layers created by `separableConv1d`, which documents shapes, weights and errors. */
export class SeparableConv1D extends Separable {
  static override readonly className: string = 'SeparableConv1D';

  static override get optionNames(): OptionNames<SeparableConv1DOptions> {
    return separableOptionNames;
  }

  constructor(options: SeparableConv1DOptions) {
    super(1, options);
  }
}

/** The class of layers created by `separableConv2d`, which documents shapes, weights and errors. */
export class SeparableConv2D extends Separable {
  static override readonly className: string = 'SeparableConv2D';

  static override get optionNames(): OptionNames<SeparableConv2DOptions> {
    return separableOptionNames;
  }

  constructor(options: SeparableConv2DOptions) {
    super(2, options);
  }
}

/**
 * A depthwise convolution of sequences, then one that mixes the channels of each step. Shapes: [batch, steps, channels] →
 * [batch, steps', filters]. Weights: depthwise_kernel [kernelSize, channels, depthMultiplier], pointwise_kernel [1,
 * channels · depthMultiplier, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't sequences, or whose channels don't fit.
 */
export function separableConv1d(options: SeparableConv1DOptions): SeparableConv1D;
export function separableConv1d(
  ...settings: Positions<SeparableConv1DOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): SeparableConv1D;
export function separableConv1d(...args: unknown[]): SeparableConv1D {
  return make(SeparableConv1D, args);
}

/**
 * A depthwise convolution of images, then one that mixes the channels of each pixel. Shapes: [batch, height, width,
 * channels] → [batch, height', width', filters]. Weights: depthwise_kernel [kernelHeight, kernelWidth, channels,
 * depthMultiplier], pointwise_kernel [1, 1, channels · depthMultiplier, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export function separableConv2d(options: SeparableConv2DOptions): SeparableConv2D;
export function separableConv2d(
  ...settings: Positions<SeparableConv2DOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): SeparableConv2D;
export function separableConv2d(...args: unknown[]): SeparableConv2D {
  return make(SeparableConv2D, args);
}
