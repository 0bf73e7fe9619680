/**
 * @file DenseNet of 121, 169 and 201 layers, with Keras's names.
 * Source: Huang, Liu, van der Maaten and Weinberger, Densely connected convolutional networks, CVPR 2017.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { concatenate } from '../layers/merging/concatenate.ts';
import { averagePooling2d, maxPooling2d } from '../layers/pooling/pooling.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import { defineNetwork, imageOf, type Network, networkOf, type NetworkOptions } from './network.ts';
import { channelsOf, type Parts, partsOf, topped } from './parts.ts';
import { preprocessStandard } from './preprocess.ts';

/** Channels that each block adds. */
const growth = 32;

/**
 * DenseNet121: four stacks of blocks, each of which adds 32 channels to its input. Layers are named `conv1_conv`,
 * `conv2_block1_0_bn` to `conv5_block16_concat`, `predictions`. Input: images as `denseNet121.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const denseNet121 = /* @__PURE__ */ denseNet('denseNet121', [6, 12, 24, 16]);
/** DenseNet169. As `denseNet121` otherwise. */
export const denseNet169 = /* @__PURE__ */ denseNet('denseNet169', [6, 12, 32, 32]);
/** DenseNet201. As `denseNet121` otherwise. */
export const denseNet201 = /* @__PURE__ */ denseNet('denseNet201', [6, 12, 48, 32]);

function denseNet(op: string, blocks: readonly number[]) {
  return defineNetwork({
    op,
    preprocessInput: preprocessStandard,
    build: (options: NetworkOptions) => build(op, options, blocks),
  });
}

function build(op: string, options: NetworkOptions, blocks: readonly number[]): Network {
  const parts = partsOf(options, { normalization: { epsilon: 1.001e-5 } });
  const image = imageOf(op, options);
  let x: SymbolicTensor = zeroPadding2d({ padding: 3 }).apply(image);
  x = parts.convolution(x, 64, 7, { strides: 2, name: 'conv1_conv' });
  x = rectified(x, parts, 'conv1');
  x = maxPooling2d({ poolSize: 3, strides: 2, name: 'pool1' }).apply(zeroPadding2d({ padding: 1 }).apply(x));
  blocks.forEach((count, i) => {
    for (let block = 1; block <= count; block++) x = extended(x, parts, `conv${i + 2}_block${block}`);
    if (i < blocks.length - 1) x = narrowed(x, parts, `pool${i + 2}`);
  });
  x = parts.activated(parts.normalized(x, 'bn'), 'relu', 'relu');
  const features = topped(x, options, parts, { pools: { avg: 'avg_pool', max: 'max_pool' } });
  return networkOf(image, features, options.name ?? op.toLowerCase());
}

function rectified(x: SymbolicTensor, parts: Parts, name: string): SymbolicTensor {
  return parts.activated(parts.normalized(x, `${name}_bn`), 'relu', `${name}_relu`);
}

/** Concatenates a block's input and the channels computed from it. */
function extended(image: SymbolicTensor, parts: Parts, name: string): SymbolicTensor {
  let x = rectified(image, parts, `${name}_0`);
  x = parts.convolution(x, 4 * growth, 1, { name: `${name}_1_conv` });
  x = rectified(x, parts, `${name}_1`);
  x = parts.convolution(x, growth, 3, { padding: 'same', name: `${name}_2_conv` });
  return concatenate({ axis: 3, name: `${name}_concat` }).apply([image, x]);
}

/** Reduces the number of channels and the size of the image by half. */
function narrowed(image: SymbolicTensor, parts: Parts, name: string): SymbolicTensor {
  const x = rectified(image, parts, name);
  const half = parts.convolution(x, Math.trunc(channelsOf(x) / 2), 1, { name: `${name}_conv` });
  return averagePooling2d({ poolSize: 2, strides: 2, name: `${name}_pool` }).apply(half);
}
