/** @file Conv1D, Conv2D: convolutions with a learned kernel, in groups of channels. */
import { type AdapterOptions, adapterTable } from '../base/adapter.ts';
import type { KernelOptions } from '../base/weightOptions.ts';
import {
  activationTable,
  Convolution,
  type ConvolutionOptions,
  requireGroups,
  windowTable,
} from './baseConvolution.ts';
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { fusedConv2d } from '../../../ops/convolution/fusedConv2d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { splitActivation } from '../../activations.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { asOperand } from '../base/dtypePolicy.ts';
import { factoryOf, integer, layer, type LayerOptions, oneOf, weights } from '../base/declare.ts';

export interface GroupedConvolutionOptions<Size>
  extends ConvolutionOptions<Size>,
    KernelOptions,
    AdapterOptions {
  /** Number of output channels, a multiple of `groups`. */
  filters: number;
  /** Number of groups of channels that are convolved separately. Default 1. */
  groups?: number;
}

/** The table of convolutions along `rank` axes, in groups of channels. */
export const groupedTable = <R extends 1 | 2 | 3>(rank: R) => ({
  filters: integer(),
  ...windowTable(rank),
  groups: integer({ default: 1 }),
  ...activationTable(),
  ...weights({ kernel: 'glorotUniform', bias: 'zeros' }),
  ...adapterTable(),
});

export abstract class GroupedConvolution extends Convolution {
  declare readonly filters: number;
  declare readonly groups: number;
  kernel: Variable | null = null;

  constructor(options: LayerOptions) {
    super(options);
    requireGroups(this.name, this.filters, this.groups);
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
    this.kernel = this.addWeight('kernel', { shape, ...this.weightRules('kernel') });
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
    const images = fusedConv2d(image, kernel, this.adaptedBias, options);
    return after(this.fromImages(images));
  }
}

export interface Conv1DOptions extends Omit<GroupedConvolutionOptions<Single>, 'padding'> {
  /** 'causal' pads at the start only, so that no step depends on later ones. Default 'valid'. */
  padding?: 'valid' | 'same' | 'causal';
}

export class Conv1D extends /* @__PURE__ */ layer<Conv1DOptions, GroupedConvolution>(
  'Conv1D',
  () => ({
    ...groupedTable(1),
    padding: oneOf(['valid', 'same', 'causal'], 'valid'),
  }),
  GroupedConvolution,
) {}

/**
 * A convolution of sequences with a learned kernel. Shapes: [batch, steps, channels] → [batch, steps', filters]. Weights:
 * kernel [kernelSize, channels / groups, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank or with other channels.
 */
export const conv1d = /* @__PURE__ */ factoryOf(Conv1D, ['filters', 'kernelSize', 'strides', 'padding']);

export type Conv2DOptions = GroupedConvolutionOptions<Pair>;

export class Conv2D extends /* @__PURE__ */ layer<Conv2DOptions, GroupedConvolution>(
  'Conv2D',
  () => groupedTable(2),
  GroupedConvolution,
) {}

/**
 * A convolution of images with a learned kernel. Shapes: [batch, height, width, channels] → [batch, height', width',
 * filters]. Weights: kernel [kernelHeight, kernelWidth, channels / groups, filters] and bias [filters].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank or with other channels.
 */
export const conv2d = /* @__PURE__ */ factoryOf(Conv2D, ['filters', 'kernelSize', 'strides', 'padding']);
