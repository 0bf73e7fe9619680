/**
 * @file VGG16 and VGG19, with Keras's names.
 * Source: Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image Recognition, ICLR 2015.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { heNormal } from '../initializers/index.ts';
import { conv2d } from '../layers/convolutional/conv.ts';
import { dense } from '../layers/core/dense.ts';
import { flatten } from '../layers/reshaping/flatten.ts';
import { maxPooling2d } from '../layers/pooling/pooling.ts';
import {
  defineNetwork,
  imageOf,
  initializersOf,
  type Network,
  networkOf,
  type NetworkOptions,
  pooled,
  topActivation,
} from './network.ts';
import { preprocessBgr } from './preprocess.ts';

/** The network's own initializer is 'heNormal', which keeps the variance of features through ReLUs (He et al., 2015). */
export type VggOptions = NetworkOptions;

/** Filters of the five blocks. */
const filters = [64, 128, 256, 512, 512] as const;

/**
 * VGG16: 13 convolutions in five blocks, three dense layers. Layers are named `block1_conv1` to `block5_pool`, `flatten`,
 * `fc1`, `fc2`, `predictions`. Input: images as `vgg16.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const vgg16 = /* @__PURE__ */ vgg('vgg16', [2, 2, 3, 3, 3]);

/** VGG19: 16 convolutions in five blocks, three dense layers. As `vgg16` otherwise. */
export const vgg19 = /* @__PURE__ */ vgg('vgg19', [2, 2, 4, 4, 4]);

function vgg(op: string, convolutions: readonly number[]) {
  return defineNetwork({
    op,
    preprocessInput: preprocessBgr,
    build: (options: VggOptions) => build(op, convolutions, options),
  });
}

function build(kind: string, convolutions: readonly number[], options: VggOptions): Network {
  const { includeTop = true, classes = 1000, name = kind } = options;
  const initializer = initializersOf(options);
  const image = imageOf(kind, options);
  let x: SymbolicTensor = image;
  convolutions.forEach((count, block) => {
    for (let i = 1; i <= count; i++) {
      x = conv2d({
        filters: filters[block] as number,
        kernelSize: 3,
        padding: 'same',
        activation: 'relu',
        kernelInitializer: initializer(heNormal),
        name: `block${block + 1}_conv${i}`,
      }).apply(x);
    }
    x = maxPooling2d({ poolSize: 2, strides: 2, name: `block${block + 1}_pool` }).apply(x);
  });
  if (!includeTop) return networkOf(image, pooled(x, options), name);
  x = flatten({ name: 'flatten' }).apply(x);
  for (const layer of ['fc1', 'fc2']) {
    x = dense({
      units: 4096,
      activation: 'relu',
      kernelInitializer: initializer(heNormal),
      name: layer,
    }).apply(x);
  }
  x = dense({
    units: classes,
    activation: topActivation(options),
    kernelInitializer: initializer(heNormal),
    name: 'predictions',
  }).apply(x);
  return networkOf(image, x, name);
}
