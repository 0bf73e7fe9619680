/**
 * @file ResNet of 50, 101 and 152 layers and their second versions, with Keras's names.
 * Sources: He, Zhang, Ren and Sun, Deep residual learning for image recognition, CVPR 2016; Identity mappings in deep
 * residual networks, ECCV 2016.
 */
import type { SymbolicTensor } from '../../ops/recorders.ts';
import { add } from '../layers/merging/elementwiseMerges.ts';
import { maxPooling2d } from '../layers/pooling/maxPooling.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import { defineNetwork, imageOf, type Network, type NetworkOptions, networkOf } from './network.ts';
import { type Parts, partsOf, topped } from './parts.ts';
import { preprocessBgr, preprocessSymmetric } from './preprocess.ts';

/** Filters of the four stacks. */
const filters = [64, 128, 256, 512] as const;

type Blocks = readonly [number, number, number, number];

/**
 * ResNet50: a stem, 16 residual blocks, a dense layer. Layers are named `conv1_conv`, `conv2_block1_1_conv` to
 * `conv5_block3_out`, `predictions`. Input: images as `resNet50.preprocessInput` gives them.
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
 * `resNet50V2.preprocessInput` gives them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const resNet50V2 = /* @__PURE__ */ resNetV2('resNet50V2', [3, 4, 6, 3]);
/** ResNet101V2: 33 residual blocks. As `resNet50V2` otherwise. */
export const resNet101V2 = /* @__PURE__ */ resNetV2('resNet101V2', [3, 4, 23, 3]);
/** ResNet152V2: 50 residual blocks. As `resNet50V2` otherwise. */
export const resNet152V2 = /* @__PURE__ */ resNetV2('resNet152V2', [3, 8, 36, 3]);

function resNet(op: string, blocks: Blocks) {
  return defineNetwork({
    op,
    preprocessInput: preprocessBgr,
    build: (options: NetworkOptions) =>
      build(op, options, { stem: normalizedStem, stack: stackV1, end: (x) => x }, blocks),
  });
}

function resNetV2(op: string, blocks: Blocks) {
  return defineNetwork({
    op,
    preprocessInput: preprocessSymmetric,
    build: (options: NetworkOptions) => {
      const end = (x: SymbolicTensor, parts: Parts) => rectified(x, parts, 'post_bn', 'post_relu');
      return build(op, options, { stem: (x) => x, stack: stackV2, end }, blocks);
    },
  });
}

interface Version {
  /** What follows the first convolution. */
  stem(x: SymbolicTensor, parts: Parts): SymbolicTensor;
  stack(x: SymbolicTensor, parts: Parts, stack: Stack): SymbolicTensor;
  end(x: SymbolicTensor, parts: Parts): SymbolicTensor;
}

interface Stack {
  name: string;
  filters: number;
  blocks: number;
  place: number;
}

function build(op: string, options: NetworkOptions, version: Version, blocks: Blocks): Network {
  const { name = op.toLowerCase() } = options;
  const parts = partsOf(options, { normalization: { epsilon: 1.001e-5 } });
  const image = imageOf(op, options);
  let x: SymbolicTensor = zeroPadding2d({ padding: 3, name: 'conv1_pad' }).apply(image);
  x = parts.convolution(x, 64, 7, { strides: 2, useBias: true, name: 'conv1_conv' });
  x = version.stem(x, parts);
  x = zeroPadding2d({ padding: 1, name: 'pool1_pad' }).apply(x);
  x = maxPooling2d({ poolSize: 3, strides: 2, name: 'pool1_pool' }).apply(x);
  blocks.forEach((count, place) => {
    const stack = { name: `conv${place + 2}`, filters: filters[place] as number, blocks: count, place };
    x = version.stack(x, parts, stack);
  });
  x = version.end(x, parts);
  return networkOf(image, topped(x, options, parts, { pools: { avg: 'avg_pool', max: 'max_pool' } }), name);
}

const normalizedStem = (x: SymbolicTensor, parts: Parts) => rectified(x, parts, 'conv1_bn', 'conv1_relu');

function rectified(x: SymbolicTensor, parts: Parts, norm: string, name: string): SymbolicTensor {
  return parts.activated(parts.normalized(x, norm), 'relu', name);
}

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
  /** Whether what is added passes a convolution. */
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
