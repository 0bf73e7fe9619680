/** @file Convolutions of one kernel, in groups of channels: the base of Conv1D and Conv2D. */
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireInteger } from '../../../core/shape.ts';
import { fusedConv2d } from '../../../ops/fusedConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { splitActivation } from '../../activations.ts';
import { Convolution, type ConvolutionOptions, requireGroups } from './baseConvolution.ts';
import type { KernelOptions } from '../base/layerOptions.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

export interface GroupedConvolutionOptions<Size> extends ConvolutionOptions<Size>, KernelOptions {
  /** Channels of the result. */
  filters: number;
  /** Groups that the channels are convolved in. Default 1. */
  groups?: number;
}

export abstract class GroupedConvolution extends Convolution {
  kernel: Variable | null = null;
  readonly filters: number;
  readonly groups: number;
  readonly #kernelRules: WeightRules;

  constructor(
    rank: 1 | 2,
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
  }

  override call(x: Tensor): Tensor {
    const { fused: activation, after } = splitActivation(this.activation);
    const options = { ...this.imageOptions, groups: this.groups, activation };
    const images = fusedConv2d(this.asImages(x), this.asImageKernel(this.kernel), this.bias, options);
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
