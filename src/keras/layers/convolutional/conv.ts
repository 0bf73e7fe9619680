/** @file Conv1D, Conv2D: convolutions with a learned kernel, in groups of channels. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { type AdapterOptions, adapterOptionNames } from '../base/adapter.ts';
import { make } from '../base/layerOptions.ts';
import { kernelOptionNames, type KernelOptions } from '../base/weightOptions.ts';
import {
  Convolution,
  convolutionOptionNames,
  type ConvolutionOptions,
  requireGroups,
} from './baseConvolution.ts';
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireInteger } from '../../../core/shape.ts';
import { fusedConv2d } from '../../../ops/fusedConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { splitActivation } from '../../activations.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { asOperand } from '../base/dtypePolicy.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

export interface GroupedConvolutionOptions<Size>
  extends ConvolutionOptions<Size>,
    KernelOptions,
    AdapterOptions {
  /** Number of output channels, a multiple of `groups`. */
  filters: number;
  /** Number of groups of channels that are convolved separately. Default 1. */
  groups?: number;
}

export abstract class GroupedConvolution extends Convolution {
  kernel: Variable | null = null;
  readonly filters: number;
  readonly groups: number;
  readonly #kernelRules: WeightRules;

  constructor(
    rank: 1 | 2 | 3,
    options: Omit<GroupedConvolutionOptions<unknown>, 'padding'> & { padding?: string },
    paddings?: readonly string[],
  ) {
    super(rank, options, paddings);
    const { filters, groups = 1 } = options;
    requireInteger(this.name, 'filters', filters, 1);
    requireInteger(this.name, 'groups', groups, 1);
    requireGroups(this.name, filters, groups);
    this.filters = filters;
    this.groups = groups;
    this.#kernelRules = weightRules(options, 'kernel', 'glorotUniform');
  }

  override build(inputShape: OpenShape): void {
    const channels = this.channelsOf(inputShape);
    const { groups, filters } = this;
    if (channels % groups !== 0) {
      throw new ShapeError({
        op: this.name,
        rule: 'the channels of the input must be divisible by `groups`.',
        received: `${describe(inputShape)} with groups: ${groups}`,
        hint: 'choose a divisor of the channels.',
      });
    }
    const shape = [...this.kernelSize, channels / groups, filters];
    this.kernel = this.addWeight('kernel', { shape, ...this.#kernelRules });
    this.addBias(filters);
    this.buildAdapter();
  }

  protected override get adaptable(): readonly ['kernel', Variable | null] {
    return ['kernel', this.kernel];
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    const options = { ...this.imageOptions, groups: this.groups, activation };
    const operand = (part: Tensor) => asOperand(part, this.dtypePolicy);
    const [image, kernel] = [operand(this.asImages(x)), operand(this.asImageKernel(this.adapted()))];
    const images = fusedConv2d(image, kernel, this.bias, options);
    return after(this.fromImages(images));
  }

  override getConfig(): Record<string, unknown> {
    return {
      ...super.getConfig(),
      filters: this.filters,
      ...this.windowConfig,
      groups: this.groups,
      ...this.activationConfig,
      ...rulesConfig({ kernel: this.#kernelRules, bias: this.biasRules }),
    };
  }
}

/** Options of `conv1d`. */
export interface Conv1DOptions extends Omit<GroupedConvolutionOptions<Single>, 'padding'> {
  /** 'causal' pads at the start only, so that no step depends on later ones. Default 'valid'. */
  padding?: 'valid' | 'same' | 'causal';
}

/** The class of layers created by `conv1d`, which documents shapes, weights and errors. */
export class Conv1D extends GroupedConvolution {
  static override readonly className: string = 'Conv1D';

  static override get optionNames(): OptionNames<Conv1DOptions> {
    return {
      filters: true,
      ...convolutionOptionNames,
      groups: false,
      ...kernelOptionNames,
      ...adapterOptionNames,
    };
  }

  constructor(options: Conv1DOptions) {
    super(1, options, ['valid', 'same', 'causal']);
  }
}

/**
 * A convolution of sequences with a learned kernel. Shapes: [batch, steps, channels] → [batch, steps', filters]. Weights:
 * kernel [kernelSize, channels / groups, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank or with other channels.
 */
export function conv1d(options: Conv1DOptions): Conv1D;
export function conv1d(
  ...settings: Positions<Conv1DOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): Conv1D;
export function conv1d(...args: unknown[]): Conv1D {
  return make(Conv1D, args);
}

/** Options of `conv2d`. */
export type Conv2DOptions = GroupedConvolutionOptions<Pair>;

/** The class of layers created by `conv2d`, which documents shapes, weights and errors. */
export class Conv2D extends GroupedConvolution {
  static override readonly className: string = 'Conv2D';

  static override get optionNames(): OptionNames<Conv2DOptions> {
    return {
      filters: true,
      ...convolutionOptionNames,
      groups: false,
      ...kernelOptionNames,
      ...adapterOptionNames,
    };
  }

  constructor(options: Conv2DOptions) {
    super(2, options);
  }
}

/**
 * A convolution of images with a learned kernel. Shapes: [batch, height, width, channels] → [batch, height', width',
 * filters]. Weights: kernel [kernelHeight, kernelWidth, channels / groups, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank or with other channels.
 */
export function conv2d(options: Conv2DOptions): Conv2D;
export function conv2d(
  ...settings: Positions<Conv2DOptions, ['filters', 'kernelSize', 'strides', 'padding']>
): Conv2D;
export function conv2d(...args: unknown[]): Conv2D {
  return make(Conv2D, args);
}
