/**
 * @file The base of convolutional layers: window options, bias and activation. Sequences are convolved as images of
 * height 1.
 */
import type { BiasOptions } from '../base/weightOptions.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { Padding } from '../../../core/windows.ts';
import { add } from '../../../ops/elementwise/arithmetic.ts';
import { expandDims, squeeze } from '../../../ops/arrangement/expandDims.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Activation, ActivationLike } from '../../activations.ts';
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import { AdaptedLayer } from '../base/adapter.ts';
import { requireChannels } from '../base/inputSpec.ts';
import { activation, flag, type LayerOptions, oneOf, perAxisOf } from '../base/declare.ts';

/** Options of all convolutional layers; `Size` is a number, or one per axis. */
export interface ConvolutionOptions<Size> extends LayerOptions, BiasOptions, DataFormatOptions {
  /** Size of the kernel. */
  kernelSize: Size;
  /** Steps from one window to the next along each axis, or one number for all axes. Default 1. */
  strides?: Size;
  /**
   * 'valid' takes whole windows only; 'same' pads with zeros, so that the result has ceil(size / stride) positions. Default
   * 'valid'.
   */
  padding?: 'valid' | 'same';
  /** Distance between the elements of a window that the kernel is applied to. Default 1. */
  dilationRate?: Size;
  /** Applied to the result: a name or a function. Default: none. */
  activation?: ActivationLike | null;
}

/** The window options of convolutions along `rank` axes, in the order of Keras's configurations. */
export const windowTable = <R extends 1 | 2 | 3>(rank: R) => ({
  kernelSize: perAxisOf(rank),
  strides: perAxisOf(rank, 1),
  padding: oneOf(['valid', 'same'], 'valid'),
  dataFormat: dataFormat(),
  dilationRate: perAxisOf(rank, 1),
});

export const activationTable = () => ({ activation: activation(), useBias: flag(true) });

/** Options of the image ops. */
export interface ImageOptions {
  readonly strides: readonly [number, number];
  readonly padding: Padding;
  readonly dilationRate: readonly [number, number];
}

export abstract class Convolution extends AdaptedLayer {
  declare readonly kernelSize: readonly number[];
  declare readonly strides: readonly number[];
  declare readonly padding: 'valid' | 'same' | 'causal';
  declare readonly dilationRate: readonly number[];
  declare readonly activation: Activation;
  declare readonly useBias: boolean;
  bias: Variable | null = null;

  constructor(options: LayerOptions) {
    super(options);
    this.inputSpec = [{ rank: this.rank + 2 }];
  }

  /** 1 for sequences, 2 for images, 3 for volumes. */
  get rank(): number {
    return this.kernelSize.length;
  }

  /** Returns the channels of the input. Later inputs must have as many. */
  protected channelsOf(inputShape: OpenShape): number {
    const channels = requireChannels(this.name, inputShape);
    this.inputSpec = [{ rank: this.rank + 2, axes: { [-1]: channels } }];
    return channels;
  }

  protected override get adaptable(): readonly [name: string, weight: Variable | null] | null {
    return null;
  }

  protected addBias(filters: number): void {
    if (this.useBias) this.bias = this.addWeight('bias', { shape: [filters], ...this.weightRules('bias') });
  }

  /** Returns the input as images. */
  protected asImages(x: Tensor): Tensor {
    return this.rank === 1 ? expandDims(x, { axis: 1 }) : x;
  }

  /** Returns the kernel as an image kernel. */
  protected asImageKernel(kernel: Tensor | null): Tensor {
    return this.rank === 1 ? expandDims(kernel as Tensor, { axis: 0 }) : (kernel as Tensor);
  }

  /** The inverse of `asImages`. */
  protected fromImages(y: Tensor): Tensor {
    return this.rank === 1 ? squeeze(y, { axis: 1 }) : y;
  }

  /** Adds the bias, for ops that don't. */
  protected withBias(y: Tensor): Tensor {
    const { adaptedBias: bias } = this;
    return bias ? add(y, bias) : y;
  }

  protected get imageOptions(): ImageOptions {
    const onImages = (sizes: readonly number[]) =>
      (this.rank === 1 ? [1, ...sizes] : sizes) as readonly [number, number];
    return {
      strides: onImages(this.strides),
      padding: this.#imagePadding(),
      dilationRate: onImages(this.dilationRate),
    };
  }

  #imagePadding(): Padding {
    if (this.padding !== 'causal') return this.padding;
    const [window, dilation] = [this.kernelSize[0] as number, this.dilationRate[0] as number];
    return [
      [0, 0],
      [(window - 1) * dilation, 0],
    ];
  }
}

/** Throws unless `filters` is divisible by `groups`. */
export function requireGroups(op: string, filters: number, groups: number): void {
  if (filters % groups === 0) return;
  throw new ValueError({
    op,
    rule: '`filters` must be divisible by `groups`.',
    received: `filters: ${describe(filters)}, groups: ${describe(groups)}`,
    hint: 'choose a multiple of the groups.',
  });
}
