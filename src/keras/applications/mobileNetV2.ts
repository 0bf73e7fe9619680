/**
 * @file MobileNetV2, with Keras's names.
 * Source: Sandler, Howard, Zhu, Zhmoginov and Chen, MobileNetV2: inverted residuals and linear bottlenecks, CVPR 2018.
 */
import type { OpenShape } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { glorotUniform } from '../initializers/index.ts';
import { dense } from '../layers/core/dense.ts';
import { dropout } from '../layers/regularization/dropout.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { reLU } from '../layers/activations/rectifiers.ts';
import { add } from '../layers/merging/elementwiseMerges.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import { type Convention, isTorchvision, requireAlpha } from './networkOptions.ts';
import {
  defineNetwork,
  imageOf,
  type Network,
  networkOf,
  type NetworkOptions,
  pooled,
  stridePadding,
  topActivation,
} from './network.ts';
import { channelsOf, divisible, partsOf } from './parts.ts';
import { preprocessSymmetric } from './preprocess.ts';

export interface MobileNetV2Options extends NetworkOptions {
  /** Factor of the number of filters. Default 1. */
  alpha?: number;
  /**
   * The convention of the network, which must match that of its weights. Default 'keras'. With 'torchvision', strided windows
   * are padded on both sides, normalization has an epsilon of 1e-5, and dropout comes before the last layer.
   */
  convention?: Convention;
}

/** Dropout of torchvision's network. */
const topDropout = 0.2;

/** Filters of the blocks at alpha 1, their strides, and the number of repeats. */
const stages = [
  { filters: 16, stride: 1, repeats: 1 },
  { filters: 24, stride: 2, repeats: 2 },
  { filters: 32, stride: 2, repeats: 3 },
  { filters: 64, stride: 2, repeats: 4 },
  { filters: 96, stride: 1, repeats: 3 },
  { filters: 160, stride: 2, repeats: 3 },
  { filters: 320, stride: 1, repeats: 1 },
] as const;

/** The expansion factor of a block. */
const expansion = 6;

/**
 * MobileNetV2: a convolution, 17 inverted residual blocks, a convolution, a dense layer. Layers are named `Conv1`,
 * `expanded_conv_depthwise`, `block_1_expand` to `block_16_project_BN`, `Conv_1`, `out_relu`, `predictions`. Input: images
 * as `mobileNetV2.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const mobileNetV2 = /* @__PURE__ */ defineNetwork({
  op: 'mobileNetV2',
  own: ['alpha', 'convention'],
  preprocessInput: preprocessSymmetric,
  build,
});

function build(options: MobileNetV2Options): Network {
  const { includeTop = true, classes = 1000, alpha = 1 } = options;
  requireAlpha('mobileNetV2', alpha);
  const isTorch = isTorchvision('mobileNetV2', options);
  const layersOf = layersFor(options);
  const image = imageOf('mobileNetV2', options);
  let x: SymbolicTensor = isTorch ? zeroPadding2d({ padding: 1, name: 'Conv1_pad' }).apply(image) : image;
  const padding = isTorch ? 'valid' : 'same';
  x = layersOf.convolution(x, divisible(32 * alpha), 3, { strides: 2, padding, name: 'Conv1' });
  x = layersOf.rectified(x, 'bn_Conv1', 'Conv1_relu');
  let block = 0;
  for (const { filters, stride, repeats } of stages) {
    for (let i = 0; i < repeats; i++) {
      x = invertedResidual(x, layersOf, {
        block: block++,
        filters: divisible(isTorch ? filters * alpha : Math.trunc(filters * alpha)),
        stride: i === 0 ? stride : 1,
      });
    }
  }
  x = layersOf.convolution(x, alpha > 1 ? divisible(1280 * alpha) : 1280, 1, { name: 'Conv_1' });
  x = layersOf.rectified(x, 'Conv_1_bn', 'out_relu');
  if (includeTop) {
    x = globalAveragePooling2d().apply(x);
    if (isTorch) x = dropout({ rate: topDropout, name: 'top_dropout' }).apply(x);
    x = dense({
      units: classes,
      activation: topActivation(options),
      kernelInitializer: layersOf.initializer(glorotUniform),
      name: 'predictions',
    }).apply(x);
  } else x = pooled(x, options);
  const height = image.shape[1] ?? 'None';
  return networkOf(image, x, options.name ?? `mobilenetv2_${alpha.toFixed(2)}_${height}`);
}

const normalizing = {
  keras: { momentum: 0.999, epsilon: 1e-3 },
  torchvision: { momentum: 0.9, epsilon: 1e-5 },
} as const;

/** Returns the layers that blocks consist of. */
function layersFor(options: MobileNetV2Options) {
  const { convention = 'keras' } = options;
  const parts = partsOf(options, { normalization: normalizing[convention] });
  return {
    ...parts,
    stridePadding: (shape: OpenShape) => (convention === 'keras' ? stridePadding(shape, 3) : 1),
    rectified: (x: SymbolicTensor, norm: string, name: string) =>
      reLU({ maxValue: 6, name }).apply(parts.normalized(x, norm)),
  };
}

interface Block {
  /** Index of the block, from 0. The first one doesn't widen. */
  block: number;
  filters: number;
  stride: number;
}

/** Widens, convolves each channel, narrows; if sizes agree, adds the input. */
function invertedResidual(
  image: SymbolicTensor,
  layersOf: ReturnType<typeof layersFor>,
  { block, filters, stride }: Block,
): SymbolicTensor {
  const channels = channelsOf(image);
  const prefix = block === 0 ? 'expanded_conv_' : `block_${block}_`;
  let x = image;
  if (block > 0) {
    x = layersOf.convolution(x, expansion * channels, 1, { padding: 'same', name: `${prefix}expand` });
    x = layersOf.rectified(x, `${prefix}expand_BN`, `${prefix}expand_relu`);
  }
  if (stride === 2) {
    x = zeroPadding2d({ padding: layersOf.stridePadding(x.shape), name: `${prefix}pad` }).apply(x);
  }
  const padding = stride === 1 ? 'same' : 'valid';
  x = layersOf.depthwise(x, 3, { strides: stride, padding, name: `${prefix}depthwise` });
  x = layersOf.rectified(x, `${prefix}depthwise_BN`, `${prefix}depthwise_relu`);
  x = layersOf.convolution(x, filters, 1, { padding: 'same', name: `${prefix}project` });
  x = layersOf.normalized(x, `${prefix}project_BN`);
  return channels === filters && stride === 1 ? add({ name: `${prefix}add` }).apply([image, x]) : x;
}
