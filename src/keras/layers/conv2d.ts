/** @file Conv2D: a convolution of images with a learned kernel, with bias and activation. */
import { fusedConv2d } from '../../ops/fusedConv2d.ts';
import { describe, requireInteger, type OpenShape } from '../../core/shape.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { type Activation, type ActivationLike, activationOf, splitActivation } from '../activations.ts';
import type { InitializerLike } from '../initializers/index.ts';
import { Layer, type LayerOptions } from './layer.ts';
import { pair } from './options.ts';

export interface Conv2DOptions extends LayerOptions {
  filters: number;
  /** Height and width of the window, or one number for both. */
  kernelSize: number | readonly [number, number];
  /** Default 1. */
  strides?: number | readonly [number, number];
  /** Default 'valid'. */
  padding?: 'valid' | 'same';
  /** Default 1. */
  dilationRate?: number | readonly [number, number];
  /** Groups that the channels are convolved in. Default 1. */
  groups?: number;
  /** Default: none. */
  activation?: ActivationLike | null;
  /** Default true. */
  useBias?: boolean;
  /** Default 'glorotUniform'. */
  kernelInitializer?: InitializerLike;
  /** Default 'zeros'. */
  biasInitializer?: InitializerLike;
}

export class Conv2D extends Layer {
  static override readonly className: string = 'Conv2D';
  kernel: Variable | null = null;
  bias: Variable | null = null;
  readonly filters: number;
  readonly kernelSize: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly padding: 'valid' | 'same';
  readonly dilationRate: readonly [number, number];
  readonly groups: number;
  readonly activation: Activation;
  readonly useBias: boolean;
  readonly #kernelInitializer: InitializerLike;
  readonly #biasInitializer: InitializerLike;

  constructor(options: Conv2DOptions) {
    super(options);
    const {
      filters,
      kernelSize,
      strides = 1,
      padding = 'valid',
      dilationRate = 1,
      groups = 1,
      activation,
      useBias = true,
      kernelInitializer = 'glorotUniform',
      biasInitializer = 'zeros',
    } = options;
    requireInteger(this.name, 'filters', filters, 1);
    requireInteger(this.name, 'groups', groups, 1);
    this.filters = filters;
    this.groups = groups;
    this.kernelSize = pair(this.name, 'kernelSize', kernelSize);
    this.strides = pair(this.name, 'strides', strides);
    this.dilationRate = pair(this.name, 'dilationRate', dilationRate);
    if (padding !== 'valid' && padding !== 'same') {
      throw new ValueError({
        op: this.name,
        rule: "`padding` must be 'valid' or 'same'.",
        received: `padding: ${describe(padding)}`,
        mend: 'pass one of the listed names.',
      });
    }
    if (filters % groups !== 0) {
      throw new ValueError({
        op: this.name,
        rule: '`filters` must be divisible by `groups`.',
        received: `filters: ${filters}, groups: ${groups}`,
        mend: 'choose a multiple of the groups.',
      });
    }
    this.padding = padding;
    this.activation = activationOf(activation);
    this.useBias = useBias;
    this.#kernelInitializer = kernelInitializer;
    this.#biasInitializer = biasInitializer;
    this.inputSpec = [{ rank: 4 }];
  }

  override build(inputShape: OpenShape): void {
    const channels = inputShape.at(-1) ?? null;
    if (channels === null || channels % this.groups !== 0) {
      throw new ShapeError({
        op: this.name,
        rule: 'the channels of the input must be known, and divisible by `groups`.',
        received: `${describe(inputShape)} with groups: ${this.groups}`,
        mend: 'give the last size of the input, as in input({ shape: [null, null, 3] }).',
      });
    }
    this.kernel = this.addWeight('kernel', {
      shape: [...this.kernelSize, channels / this.groups, this.filters],
      initializer: this.#kernelInitializer,
    });
    if (this.useBias) {
      this.bias = this.addWeight('bias', { shape: [this.filters], initializer: this.#biasInitializer });
    }
    this.inputSpec = [{ rank: 4, axes: { [-1]: channels } }];
  }

  override call(x: Tensor): Tensor {
    const { strides, padding, dilationRate, groups } = this;
    const { fused: activation, after } = splitActivation(this.activation);
    const options = { strides, padding, dilationRate, groups, activation };
    return after(fusedConv2d(x, this.kernel as Tensor, this.bias, options));
  }

  override getConfig(): Record<string, unknown> {
    const { filters, kernelSize, strides, padding, dilationRate, groups, useBias } = this;
    return { ...super.getConfig(), filters, kernelSize, strides, padding, dilationRate, groups, useBias };
  }
}

/**
 * A convolution of images with a learned kernel. Shapes: [batch, height, width, channels] → [batch, height', width',
 * filters]. Weights: kernel [kernelHeight, kernelWidth, channels / groups, filters] and bias [filters].
 * Errors: ValueError for bad options; ShapeError for inputs that aren't images, or whose channels don't fit.
 */
export function conv2d(options: Conv2DOptions): Conv2D {
  return new Conv2D(options);
}
