/**
 * @file Keras's ResNets with 50, 101 and 152 layers, their second versions, and torchvision's, also with 18 and 34 layers.
 * Sources: He, Zhang, Ren and Sun, Deep residual learning for image recognition, CVPR 2016; Identity mappings in deep
 * residual networks, ECCV 2016.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { add } from '../layers/merging/elementwiseMerges.ts';
import { maxPooling2d } from '../layers/pooling/pooling.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import { type Convention, isTorchvision } from './networkOptions.ts';
import { defineNetwork, type NetworkOptions } from './network.ts';
import type { Parts } from './parts.ts';
import { preprocessBgr, preprocessStandard, preprocessSymmetric } from './preprocess.ts';
import {
  type Blocks,
  buildResNet,
  normalizedStem,
  rectified,
  type Stack,
  type Version,
} from './resNetParts.ts';
import { torchBasicBlocks, torchBottlenecks } from './resNetTorchvision.ts';

/** Options of `resNet50`, `resNet101` and `resNet152`. */
export interface ResNetOptions extends NetworkOptions {
  /**
   * The convention of the network, which must match that of its weights. Default 'keras'. With 'torchvision', the second
   * convolution of a block takes the strides, strided windows are padded on both sides, convolutions have no biases, and
   * normalization has an epsilon of 1e-5; it takes pictures as `resNet18.preprocessInput` returns them.
   */
  convention?: Convention;
}

/**
 * ResNet50: a stem, 16 residual blocks, a dense layer. Layers are named `conv1_conv`, `conv2_block1_1_conv` to
 * `conv5_block3_out`, `predictions`. Input: images as `resNet50.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const resNet50 = /* @__PURE__ */ resNet('resNet50', [3, 4, 6, 3]);
/** ResNet101: 33 residual blocks. As `resNet50` otherwise. */
export const resNet101 = /* @__PURE__ */ resNet('resNet101', [3, 4, 23, 3]);
/** ResNet152: 50 residual blocks. As `resNet50` otherwise. */
export const resNet152 = /* @__PURE__ */ resNet('resNet152', [3, 8, 36, 3]);

/**
 * ResNet50V2: as `resNet50`, with normalization and activation before the convolutions of a block. Layers are named
 * `conv1_conv`, `conv2_block1_preact_bn` to `conv5_block3_out`, `post_bn`, `predictions`. Input: images as
 * `resNet50V2.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const resNet50V2 = /* @__PURE__ */ resNetV2('resNet50V2', [3, 4, 6, 3]);
/** ResNet101V2: 33 residual blocks. As `resNet50V2` otherwise. */
export const resNet101V2 = /* @__PURE__ */ resNetV2('resNet101V2', [3, 4, 23, 3]);
/** ResNet152V2: 50 residual blocks. As `resNet50V2` otherwise. */
export const resNet152V2 = /* @__PURE__ */ resNetV2('resNet152V2', [3, 8, 36, 3]);

/**
 * ResNet18 of torchvision, which Keras doesn't have: a stem, 8 residual blocks of two convolutions, a dense layer. Layers are
 * named `conv1_conv`, `conv2_block1_1_conv` to `conv5_block2_out`, `predictions`. Input: images as
 * `resNet18.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const resNet18 = /* @__PURE__ */ torchResNet('resNet18', [2, 2, 2, 2]);
/** ResNet34 of torchvision: 16 residual blocks. As `resNet18` otherwise. */
export const resNet34 = /* @__PURE__ */ torchResNet('resNet34', [3, 4, 6, 3]);

function resNet(op: string, blocks: Blocks) {
  return defineNetwork({
    op,
    own: ['convention'],
    preprocessInput: preprocessBgr,
    build: (options: ResNetOptions) =>
      buildResNet(op, options, isTorchvision(op, options) ? torchBottlenecks : firstVersion, blocks),
  });
}

function torchResNet(op: string, blocks: Blocks) {
  return defineNetwork({
    op,
    preprocessInput: preprocessStandard,
    build: (options: NetworkOptions) => buildResNet(op, options, torchBasicBlocks, blocks),
  });
}

function resNetV2(op: string, blocks: Blocks) {
  return defineNetwork({
    op,
    preprocessInput: preprocessSymmetric,
    build: (options: NetworkOptions) => buildResNet(op, options, secondVersion, blocks),
  });
}

/** Keras's epsilon. */
const kerasForm = { epsilon: 1.001e-5, momentum: 0.99, hasBias: true };

const firstVersion: Version = { ...kerasForm, stem: normalizedStem, stack: stackV1, end: (x) => x };

const secondVersion: Version = {
  ...kerasForm,
  stem: (x) => x,
  stack: stackV2,
  end: (x, parts) => rectified(x, parts, 'post_bn', 'post_relu'),
};

/** The first block of a stack narrows the image, except in the first stack. */
function stackV1(
  image: SymbolicTensor,
  parts: Parts,
  { name, filters, blocks, place }: Stack,
): SymbolicTensor {
  let x = image;
  for (let i = 1; i <= blocks; i++) {
    const strides = i === 1 && place > 0 ? 2 : 1;
    x = blockV1(x, parts, { name: `${name}_block${i}`, filters, strides, projects: i === 1 });
  }
  return x;
}

interface Block {
  name: string;
  filters: number;
  strides: number;
  /** Whether the shortcut has a convolution. */
  projects: boolean;
}

function blockV1(
  image: SymbolicTensor,
  parts: Parts,
  { name, filters, strides, projects }: Block,
): SymbolicTensor {
  const biased = { useBias: true };
  let shortcut = image;
  if (projects) {
    shortcut = parts.convolution(image, 4 * filters, 1, { ...biased, strides, name: `${name}_0_conv` });
    shortcut = parts.normalized(shortcut, `${name}_0_bn`);
  }
  let x = parts.convolution(image, filters, 1, { ...biased, strides, name: `${name}_1_conv` });
  x = rectified(x, parts, `${name}_1_bn`, `${name}_1_relu`);
  x = parts.convolution(x, filters, 3, { ...biased, padding: 'same', name: `${name}_2_conv` });
  x = rectified(x, parts, `${name}_2_bn`, `${name}_2_relu`);
  x = parts.convolution(x, 4 * filters, 1, { ...biased, name: `${name}_3_conv` });
  x = parts.normalized(x, `${name}_3_bn`);
  x = add({ name: `${name}_add` }).apply([shortcut, x]);
  return parts.activated(x, 'relu', `${name}_out`);
}

/** The last block of a stack narrows the image, except in the last stack. */
function stackV2(
  image: SymbolicTensor,
  parts: Parts,
  { name, filters, blocks, place }: Stack,
): SymbolicTensor {
  let x = image;
  for (let i = 1; i <= blocks; i++) {
    const strides = i === blocks && place < 3 ? 2 : 1;
    x = blockV2(x, parts, { name: `${name}_block${i}`, filters, strides, projects: i === 1 });
  }
  return x;
}

function blockV2(
  image: SymbolicTensor,
  parts: Parts,
  { name, filters, strides, projects }: Block,
): SymbolicTensor {
  const active = rectified(image, parts, `${name}_preact_bn`, `${name}_preact_relu`);
  let shortcut = image;
  if (projects) {
    shortcut = parts.convolution(active, 4 * filters, 1, { strides, useBias: true, name: `${name}_0_conv` });
  } else if (strides > 1) shortcut = maxPooling2d({ poolSize: 1, strides }).apply(image);
  let x = parts.convolution(active, filters, 1, { name: `${name}_1_conv` });
  x = rectified(x, parts, `${name}_1_bn`, `${name}_1_relu`);
  x = zeroPadding2d({ padding: 1, name: `${name}_2_pad` }).apply(x);
  x = parts.convolution(x, filters, 3, { strides, name: `${name}_2_conv` });
  x = rectified(x, parts, `${name}_2_bn`, `${name}_2_relu`);
  x = parts.convolution(x, 4 * filters, 1, { useBias: true, name: `${name}_3_conv` });
  return add({ name: `${name}_out` }).apply([shortcut, x]);
}
