/**
 * @file Xception, with Keras's names.
 * Source: Chollet, Xception: deep learning with depthwise separable convolutions, CVPR 2017.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { separableConv2d } from '../layers/convolutional/separableConv.ts';
import { add } from '../layers/merging/elementwiseMerges.ts';
import { maxPooling2d } from '../layers/pooling/pooling.ts';
import { defineNetwork, imageOf, type Network, networkOf, type NetworkOptions } from './network.ts';
import { type Parts, partsOf, topped } from './parts.ts';
import { preprocessSymmetric } from './preprocess.ts';

/** Channels of the blocks in the middle. */
const middle = 728;

/**
 * Xception: 14 blocks of separable convolutions. Layers are named `block1_conv1`, `block2_sepconv1` to
 * `block14_sepconv2_act`, `predictions`. Input: images of 71 pixels or more each way, as `xception.preprocessInput` returns
 * them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const xception = /* @__PURE__ */ defineNetwork({
  op: 'xception',
  preprocessInput: preprocessSymmetric,
  build,
});

function build(options: NetworkOptions): Network {
  const parts = partsOf(options);
  const image = imageOf('xception', options, { size: 299, minSize: 71 });
  let x = parts.convolution(image, 32, 3, { strides: 2, name: 'block1_conv1' });
  x = parts.activated(parts.normalized(x, 'block1_conv1_bn'), 'relu', 'block1_conv1_act');
  x = parts.convolution(x, 64, 3, { name: 'block1_conv2' });
  x = parts.activated(parts.normalized(x, 'block1_conv2_bn'), 'relu', 'block1_conv2_act');
  x = narrowing(x, parts, { block: 2, filters: [128, 128] });
  x = narrowing(x, parts, { block: 3, filters: [256, 256] });
  x = narrowing(x, parts, { block: 4, filters: [middle, middle] });
  for (let block = 5; block <= 12; block++) {
    let y = x;
    for (let i = 1; i <= 3; i++) y = activeSeparable(y, parts, middle, `block${block}_sepconv${i}`);
    x = add().apply([y, x]);
  }
  x = narrowing(x, parts, { block: 13, filters: [middle, 1024] });
  for (const [i, filters] of [1536, 2048].entries()) {
    const name = `block14_sepconv${i + 1}`;
    x = parts.activated(separable(x, parts, filters, name), 'relu', `${name}_act`);
  }
  return networkOf(image, topped(x, options, parts), options.name ?? 'xception');
}

interface Narrowing {
  block: number;
  filters: readonly [number, number];
}

/** Two separable convolutions and a pool, next to a strided convolution. The second block starts without an activation. */
function narrowing(image: SymbolicTensor, parts: Parts, { block, filters }: Narrowing): SymbolicTensor {
  const [first, last] = filters;
  const residual = parts.normalized(parts.convolution(image, last, 1, { strides: 2, padding: 'same' }));
  const name = `block${block}_sepconv1`;
  let x = block === 2 ? separable(image, parts, first, name) : activeSeparable(image, parts, first, name);
  x = activeSeparable(x, parts, last, `block${block}_sepconv2`);
  x = maxPooling2d({ poolSize: 3, strides: 2, padding: 'same', name: `block${block}_pool` }).apply(x);
  return add().apply([x, residual]);
}

function activeSeparable(x: SymbolicTensor, parts: Parts, filters: number, name: string): SymbolicTensor {
  return separable(parts.activated(x, 'relu', `${name}_act`), parts, filters, name);
}

function separable(x: SymbolicTensor, parts: Parts, filters: number, name: string): SymbolicTensor {
  const convolved = separableConv2d({
    filters,
    kernelSize: 3,
    padding: 'same',
    useBias: false,
    depthwiseInitializer: parts.initializer(),
    pointwiseInitializer: parts.initializer(),
    name,
  }).apply(x);
  return parts.normalized(convolved, `${name}_bn`);
}
