/** @file The layers that networks consist of, each applied as it is created. */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import type { ActivationLike } from '../activations.ts';
import { glorotUniform } from '../initializers/index.ts';
import { activation } from '../layers/activations/activation.ts';
import { conv2d, type Conv2DOptions } from '../layers/convolutional/conv.ts';
import { depthwiseConv2d, type DepthwiseConv2DOptions } from '../layers/convolutional/depthwiseConv.ts';
import { dense } from '../layers/core/dense.ts';
import {
  batchNormalization,
  type BatchNormalizationOptions,
} from '../layers/normalization/batchNormalization.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { dropout } from '../layers/regularization/dropout.ts';
import {
  initializersOf,
  named,
  type NetworkOptions,
  type OwnInitializer,
  pooled,
  topActivation,
} from './network.ts';

/** Options that all layers of a network share. */
export interface PartsOptions {
  /** Initializer of kernels. Default: glorotUniform. */
  kernel?: OwnInitializer;
  normalization?: BatchNormalizationOptions;
}

/** The layers of a network. */
export type Parts = ReturnType<typeof partsOf>;

export function partsOf(
  options: NetworkOptions,
  { kernel = glorotUniform, normalization = {} }: PartsOptions = {},
) {
  const initializer = initializersOf(options);
  return {
    /** The initializer of the next layer. */
    initializer: (own = kernel) => initializer(own),
    normalized: (x: SymbolicTensor, name?: string, given: BatchNormalizationOptions = {}): SymbolicTensor =>
      batchNormalization({ ...normalization, ...given, ...named(name) }).apply(x),
    activated: (x: SymbolicTensor, how: ActivationLike | null, name?: string): SymbolicTensor =>
      activation({ activation: how ?? 'linear', ...named(name) }).apply(x),
    /** Without a bias, as normalization follows most of them. */
    convolution: (
      x: SymbolicTensor,
      filters: number,
      kernelSize: Conv2DOptions['kernelSize'],
      given: Partial<Conv2DOptions> = {},
    ): SymbolicTensor =>
      conv2d({ filters, kernelSize, useBias: false, kernelInitializer: initializer(kernel), ...given }).apply(
        x,
      ),
    depthwise: (
      x: SymbolicTensor,
      kernelSize: number,
      given: Partial<DepthwiseConv2DOptions> = {},
    ): SymbolicTensor =>
      depthwiseConv2d({
        kernelSize,
        useBias: false,
        depthwiseInitializer: initializer(kernel),
        ...given,
      }).apply(x),
  };
}

/** Options of a network's top. */
interface Top {
  /** Names of the pooling layers of a network without its top. */
  pools?: { avg?: string; max?: string };
  /** Rate of dropout before the last layer. Default: none. */
  rate?: number;
  /** Initializer of the last layer's kernel. Default: glorotUniform. */
  kernel?: OwnInitializer;
}

/** The means of all channels, and a dense layer of classes; without the top, the features, pooled according to the options. */
export function topped(
  features: SymbolicTensor,
  options: NetworkOptions,
  parts: Parts,
  { pools, rate = 0, kernel = glorotUniform }: Top = {},
): SymbolicTensor {
  const { includeTop = true, classes = 1000 } = options;
  if (!includeTop) return pooled(features, options, pools);
  let x: SymbolicTensor = globalAveragePooling2d({ name: 'avg_pool' }).apply(features);
  if (rate > 0) x = dropout({ rate, name: 'top_dropout' }).apply(x);
  return dense({
    units: classes,
    activation: topActivation(options),
    kernelInitializer: parts.initializer(kernel),
    name: 'predictions',
  }).apply(x);
}

/** Number of channels. */
export const channelsOf = (x: SymbolicTensor) => x.shape.at(-1) as number;

/** The multiple of 8 nearest to `filters`, but at least nine tenths of it. */
export function divisible(filters: number): number {
  const nearest = Math.max(8, Math.floor((filters + 4) / 8) * 8);
  return nearest < 0.9 * filters ? nearest + 8 : nearest;
}
