/** @file DepthwiseConv1D, DepthwiseConv2D: layers that convolve each channel separately. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
import { Convolution, convolutionOptionNames, type ConvolutionOptions } from './baseConvolution.ts';
import { type OpenShape, requireInteger } from '../../../core/shape.ts';
import { depthwiseConv2d as depthwise } from '../../../ops/depthwiseConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

export interface DepthwiseOptions<Size> extends ConvolutionOptions<Size> {
  /** Channels of the result for each channel of the input. Default 1. */
  depthMultiplier?: number;
  /** Initial values of the depthwise kernel. Default 'glorotUniform'. */
  depthwiseInitializer?: InitializerLike;
  /** Penalty on the depthwise kernel, added to the loss. Default: none. */
  depthwiseRegularizer?: RegularizerLike | null;
  /** Applied to the depthwise kernel after each step. Default: none. */
  depthwiseConstraint?: ConstraintLike | null;
}

/** Options of `depthwiseConv1d`. */
export type DepthwiseConv1DOptions = DepthwiseOptions<Single>;
/** Options of `depthwiseConv2d`. */
export type DepthwiseConv2DOptions = DepthwiseOptions<Pair>;

abstract class Depthwise extends Convolution {
  kernel: Variable | null = null;
  readonly depthMultiplier: number;
  readonly #kernelRules: WeightRules;

  constructor(rank: 1 | 2, options: DepthwiseOptions<unknown>) {
    super(rank, options);
    const { depthMultiplier = 1 } = options;
    requireInteger(this.name, 'depthMultiplier', depthMultiplier, 1);
    this.depthMultiplier = depthMultiplier;
    this.#kernelRules = weightRules(options, 'depthwise', 'glorotUniform');
  }

  override build(inputShape: OpenShape): void {
    const channels = this.channelsOf(inputShape);
    const shape = [...this.kernelSize, channels, this.depthMultiplier];
    this.kernel = this.addWeight('kernel', { shape, ...this.#kernelRules });
    this.addBias(channels * this.depthMultiplier);
  }

  override call(x: Tensor): Tensor {
    const images = depthwise(this.asImages(x), this.asImageKernel(this.kernel), this.imageOptions);
    return this.activation(this.withBias(this.fromImages(images)));
  }

  override getConfig(): Record<string, unknown> {
    return {
      ...super.getConfig(),
      depthMultiplier: this.depthMultiplier,
      ...this.windowConfig,
      ...this.activationConfig,
      ...rulesConfig({ depthwise: this.#kernelRules, bias: this.biasRules }),
    };
  }
}

const depthwiseOptionNames: OptionNames<DepthwiseConv1DOptions> & OptionNames<DepthwiseConv2DOptions> = {
  ...convolutionOptionNames,
  depthMultiplier: false,
  depthwiseInitializer: false,
  depthwiseRegularizer: false,
  depthwiseConstraint: false,
};

/** The class of layers created by `depthwiseConv1d`, which documents shapes, weights and errors. */
export class DepthwiseConv1D extends Depthwise {
  static override readonly className: string = 'DepthwiseConv1D';

  static override get optionNames(): OptionNames<DepthwiseConv1DOptions> {
    return depthwiseOptionNames;
  }

  constructor(options: DepthwiseConv1DOptions) {
    super(1, options);
  }
}

/** The class of layers created by `depthwiseConv2d`, which documents shapes, weights and errors. */
export class DepthwiseConv2D extends Depthwise {
  static override readonly className: string = 'DepthwiseConv2D';

  static override get optionNames(): OptionNames<DepthwiseConv2DOptions> {
    return depthwiseOptionNames;
  }

  constructor(options: DepthwiseConv2DOptions) {
    super(2, options);
  }
}

/**
 * A depthwise convolution of sequences: each channel is convolved separately. Shapes: [batch, steps, channels] → [batch,
 * steps', channels · depthMultiplier]. Weights: kernel [kernelSize, channels, depthMultiplier] and bias [channels ·
 * depthMultiplier].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't sequences, or whose channels don't fit.
 */
export function depthwiseConv1d(options: DepthwiseConv1DOptions): DepthwiseConv1D;
export function depthwiseConv1d(
  ...settings: Positions<DepthwiseConv1DOptions, ['kernelSize', 'strides', 'padding']>
): DepthwiseConv1D;
export function depthwiseConv1d(...args: unknown[]): DepthwiseConv1D {
  return make(DepthwiseConv1D, args);
}

/**
 * A depthwise convolution of images: each channel is convolved separately. Shapes: [batch, height, width, channels] → [batch,
 * height', width', channels · depthMultiplier]. Weights: kernel [kernelHeight, kernelWidth, channels, depthMultiplier] and bias
 * [channels · depthMultiplier].
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export function depthwiseConv2d(options: DepthwiseConv2DOptions): DepthwiseConv2D;
export function depthwiseConv2d(
  ...settings: Positions<DepthwiseConv2DOptions, ['kernelSize', 'strides', 'padding']>
): DepthwiseConv2D;
export function depthwiseConv2d(...args: unknown[]): DepthwiseConv2D {
  return make(DepthwiseConv2D, args);
}
