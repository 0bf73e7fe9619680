/**
 * @file ConvNeXt, tiny to extra large, with Keras's names.
 * Source: Liu, Mao, Wu, Feichtenhofer, Darrell and Xie, A ConvNet for the 2020s, CVPR 2022.
 */
import { requireBoolean } from '../../core/shape.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { conv2d } from '../layers/convolutional/conv.ts';
import { dense } from '../layers/core/dense.ts';
import { layerNormalization } from '../layers/normalization/layerNormalization.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { normalization } from '../layers/preprocessing/normalization.ts';
import { sequential } from '../models/sequential.ts';
import { LayerScale } from './customLayers.ts';
import {
  defineNetwork,
  imageOf,
  type Network,
  named,
  type NetworkOptions,
  networkOf,
  pooled,
  topActivation,
} from './network.ts';
import { channelsOf, type Parts, partsOf } from './parts.ts';
import { imageNetMean, imageNetStd, preprocessNothing } from './preprocess.ts';

/** Options of the ConvNeXt networks. */
export interface ConvNeXtOptions extends NetworkOptions {
  /** Whether the network normalizes pictures from [0, 255] itself. Default true. */
  includePreprocessing?: boolean;
}

/** Initial value of the weights that scale the results of blocks. */
const initValues = 1e-6;

/**
 * ConvNeXtTiny: a stem, 18 blocks of a 7 × 7 depthwise convolution and two dense layers, a dense layer. Layers are named
 * `convnext_tiny_stem`, `convnext_tiny_stage_0_block_0_depthwise_conv` to `convnext_tiny_head_dense`. Input: pictures of red,
 * green and blue from 0 to 255; normalization is part of the network, unless `includePreprocessing` is false.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const convNeXtTiny = /* @__PURE__ */ convNeXt('Tiny', [3, 3, 9, 3], 96);
/** ConvNeXtSmall: 36 blocks. As `convNeXtTiny` otherwise. */
export const convNeXtSmall = /* @__PURE__ */ convNeXt('Small', [3, 3, 27, 3], 96);
/** ConvNeXtBase: 36 blocks, 128 channels at first. As `convNeXtTiny` otherwise. */
export const convNeXtBase = /* @__PURE__ */ convNeXt('Base', [3, 3, 27, 3], 128);
/** ConvNeXtLarge: 36 blocks, 192 channels at first. As `convNeXtTiny` otherwise. */
export const convNeXtLarge = /* @__PURE__ */ convNeXt('Large', [3, 3, 27, 3], 192);
/** ConvNeXtXLarge: 36 blocks, 256 channels at first. As `convNeXtTiny` otherwise. */
export const convNeXtXLarge = /* @__PURE__ */ convNeXt('XLarge', [3, 3, 27, 3], 256);

function convNeXt(kind: string, depths: readonly number[], channels: number) {
  const op = `convNeXt${kind}`;
  return defineNetwork({
    op,
    own: ['includePreprocessing'],
    preprocessInput: preprocessNothing,
    build: (options: ConvNeXtOptions) => build(op, options, depths, channels),
  });
}

function build(op: string, options: ConvNeXtOptions, depths: readonly number[], channels: number): Network {
  const { includePreprocessing = true, name = op.toLowerCase().replace('convnext', 'convnext_') } = options;
  requireBoolean(op, 'includePreprocessing', includePreprocessing);
  const parts = partsOf(options);
  const image = imageOf(op, options);
  let x = includePreprocessing && channelsOf(image) === 3 ? normalized(image, name) : image;
  depths.forEach((depth, stage) => {
    const width = channels * 2 ** stage;
    x =
      stage === 0
        ? stem(x, parts, width, name)
        : downsampled(x, parts, width, `${name}_downsampling`, stage - 1);
    for (let i = 0; i < depth; i++) x = block(x, parts, width, `${name}_stage_${stage}_block_${i}`);
  });
  return networkOf(image, headed(x, parts, options, `${name}_head`), name);
}

const epsilon = 1e-6;

function normalized(image: SymbolicTensor, name: string): SymbolicTensor {
  return normalization({
    mean: imageNetMean.map((mean) => mean * 255),
    variance: imageNetStd.map((deviation) => (deviation * 255) ** 2),
    name: `${name}_prestem_normalization`,
  }).apply(image);
}

function stem(x: SymbolicTensor, parts: Parts, filters: number, name: string): SymbolicTensor {
  const kernelInitializer = parts.initializer();
  return sequential({
    layers: [
      conv2d({ filters, kernelSize: 4, strides: 4, kernelInitializer, name: `${name}_stem_conv` }),
      layerNormalization({ epsilon, name: `${name}_stem_layernorm` }),
    ],
    name: `${name}_stem`,
  }).apply(x) as SymbolicTensor;
}

function downsampled(
  x: SymbolicTensor,
  parts: Parts,
  filters: number,
  name: string,
  i: number,
): SymbolicTensor {
  const kernelInitializer = parts.initializer();
  return sequential({
    layers: [
      layerNormalization({ epsilon, name: `${name}_layernorm_${i}` }),
      conv2d({ filters, kernelSize: 2, strides: 2, kernelInitializer, name: `${name}_conv_${i}` }),
    ],
    name: `${name}_block_${i}`,
  }).apply(x) as SymbolicTensor;
}

/** Mixes pixels of each channel, then channels of each pixel, and adds the input. */
function block(image: SymbolicTensor, parts: Parts, channels: number, name: string): SymbolicTensor {
  let x = parts.convolution(image, channels, 7, {
    padding: 'same',
    groups: channels,
    useBias: true,
    name: `${name}_depthwise_conv`,
  });
  x = layerNormalization({ epsilon, name: `${name}_layernorm` }).apply(x);
  x = mixed(x, parts, 4 * channels, `${name}_pointwise_conv_1`);
  x = parts.activated(x, 'gelu', `${name}_gelu`);
  x = mixed(x, parts, channels, `${name}_pointwise_conv_2`);
  x = new LayerScale({ initValues, projectionDim: channels, name: `${name}_layer_scale` }).apply(x);
  return add(image, parts.activated(x, 'linear', `${name}_identity`));
}

function mixed(x: SymbolicTensor, parts: Parts, units: number, name: string): SymbolicTensor {
  return dense({ units, kernelInitializer: parts.initializer(), name }).apply(x);
}

/** Adds the top; without it, pooled features are normalized, too. */
function headed(
  features: SymbolicTensor,
  parts: Parts,
  options: ConvNeXtOptions,
  name: string,
): SymbolicTensor {
  const { includeTop = true, classes = 1000 } = options;
  const pool = (x: SymbolicTensor) => globalAveragePooling2d({ name: `${name}_gap` }).apply(x);
  const x = includeTop ? pool(features) : pooled(features, options);
  const y = layerNormalization({ epsilon, ...named(includeTop ? `${name}_layernorm` : undefined) }).apply(x);
  if (!includeTop) return y;
  return dense({
    units: classes,
    activation: topActivation(options),
    kernelInitializer: parts.initializer(),
    name: `${name}_dense`,
  }).apply(y);
}
