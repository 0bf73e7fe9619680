/**
 * @file MobileNet, with Keras's names.
 * Source: Howard et al., MobileNets: efficient convolutional neural networks for mobile vision applications, 2017.
 */
import { requireInteger } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { reLU } from '../layers/activations/rectifiers.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { requireFraction } from '../layers/base/randomOptions.ts';
import { dropout as dropoutLayer } from '../layers/regularization/dropout.ts';
import { reshape } from '../layers/reshaping/reshape.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import {
  defineNetwork,
  imageOf,
  type Network,
  networkOf,
  type NetworkOptions,
  pooled,
  topActivation,
} from './network.ts';
import { type Parts, partsOf } from './parts.ts';
import { preprocessSymmetric } from './preprocess.ts';
import { requireAlpha } from './networkOptions.ts';

export interface MobileNetOptions extends NetworkOptions {
  /** Factor of the number of filters. Default 1. */
  alpha?: number;
  /** Output channels of depthwise convolutions per input channel. Default 1. */
  depthMultiplier?: number;
  /** Rate of dropout before the last layer. Default 0.001. */
  dropout?: number;
}

/** Filters at alpha 1, and strides, of the 13 blocks. */
const blocks: readonly (readonly [filters: number, strides: 1 | 2])[] = [
  [64, 1],
  [128, 2],
  [128, 1],
  [256, 2],
  [256, 1],
  [512, 2],
  [512, 1],
  [512, 1],
  [512, 1],
  [512, 1],
  [512, 1],
  [1024, 2],
  [1024, 1],
];

/**
 * MobileNet: a convolution, 13 blocks of a depthwise and a 1 × 1 convolution. Layers are named `conv1`, `conv_dw_1` to
 * `conv_pw_13_relu`, `conv_preds`, `predictions`. Input: images as `mobileNet.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const mobileNet = /* @__PURE__ */ defineNetwork({
  op: 'mobileNet',
  own: ['alpha', 'depthMultiplier', 'dropout'],
  preprocessInput: preprocessSymmetric,
  build,
});

function build(options: MobileNetOptions): Network {
  const { alpha = 1, depthMultiplier = 1, dropout = 1e-3, includeTop = true } = options;
  requireAlpha('mobileNet', alpha);
  requireFraction('mobileNet', 'dropout', dropout);
  requireInteger('mobileNet', 'depthMultiplier', depthMultiplier, 1);
  const parts = partsOf(options);
  const image = imageOf('mobileNet', options);
  let x = parts.convolution(image, Math.trunc(32 * alpha), 3, { strides: 2, padding: 'same', name: 'conv1' });
  x = rectified(x, parts, 'conv1');
  blocks.forEach(([filters, strides], i) => {
    x = block(x, parts, { place: i + 1, filters: Math.trunc(filters * alpha), strides, depthMultiplier });
  });
  x = includeTop ? classified(x, parts, options) : pooled(x, options);
  const height = image.shape[1] ?? 'None';
  return networkOf(image, x, options.name ?? `mobilenet_${alpha.toFixed(2)}_${height}`);
}

interface Block {
  place: number;
  filters: number;
  strides: 1 | 2;
  depthMultiplier: number;
}

function block(
  image: SymbolicTensor,
  parts: Parts,
  { place, filters, strides, depthMultiplier }: Block,
): SymbolicTensor {
  let x = image;
  if (strides === 2) {
    const padding: [[number, number], [number, number]] = [
      [0, 1],
      [0, 1],
    ];
    x = zeroPadding2d({ padding, name: `conv_pad_${place}` }).apply(x);
  }
  const padding = strides === 1 ? 'same' : 'valid';
  x = parts.depthwise(x, 3, { strides, padding, depthMultiplier, name: `conv_dw_${place}` });
  x = rectified(x, parts, `conv_dw_${place}`);
  x = parts.convolution(x, filters, 1, { padding: 'same', name: `conv_pw_${place}` });
  return rectified(x, parts, `conv_pw_${place}`);
}

function rectified(x: SymbolicTensor, parts: Parts, name: string): SymbolicTensor {
  return reLU({ maxValue: 6, name: `${name}_relu` }).apply(parts.normalized(x, `${name}_bn`));
}

/** Computes classes by a convolution of the mean. */
function classified(features: SymbolicTensor, parts: Parts, options: MobileNetOptions): SymbolicTensor {
  const { classes = 1000, dropout = 1e-3 } = options;
  let x: SymbolicTensor = globalAveragePooling2d({ keepDims: true }).apply(features);
  x = dropoutLayer({ rate: dropout, name: 'dropout' }).apply(x);
  x = parts.convolution(x, classes, 1, { padding: 'same', useBias: true, name: 'conv_preds' });
  x = reshape({ targetShape: [classes], name: 'reshape_2' }).apply(x);
  return parts.activated(x, topActivation(options), 'predictions');
}
