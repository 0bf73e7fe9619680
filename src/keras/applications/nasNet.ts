/**
 * @file NASNet-A, with Keras's names.
 * Source: Zoph et al., Learning transferable architectures for scalable image recognition, CVPR 2018.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { glorotUniform, heNormal } from '../initializers/index.ts';
import { separableConv2d } from '../layers/convolutional/separableConv.ts';
import { concatenate } from '../layers/merging/concatenate.ts';
import { add } from '../layers/merging/elementwiseMerges.ts';
import { averagePooling2d, maxPooling2d } from '../layers/pooling/pooling.ts';
import { cropping2d } from '../layers/reshaping/cropping.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import {
  defineNetwork,
  imageOf,
  named,
  type Network,
  networkOf,
  type NetworkOptions,
  pooled,
  stridePadding,
  topActivation,
} from './network.ts';
import { channelsOf, type Parts, partsOf } from './parts.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape } from '../../core/shape.ts';
import { dense } from '../layers/core/dense.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { preprocessSymmetric } from './preprocess.ts';

/** The input and output of a cell: the result of the last cell, and that cell's input. */
type Pair = readonly [last: SymbolicTensor, before: SymbolicTensor | null];

/** A cell of `filters` channels in each branch; its layers' names end in `id`. */
export type Cell = (pair: Pair, filters: number, id: string) => Pair;

type Branch = (x: SymbolicTensor, kernelSize: number, block: string, strides?: 1 | 2) => SymbolicTensor;

const sum = (a: SymbolicTensor, b: SymbolicTensor, name?: string) => add(named(name)).apply([a, b]);

/** The cells of figure 4 of the paper. */
function nasNetCells(parts: Parts): { normal: Cell; reduction: Cell } {
  const normal: Cell = ([last, before], filters, id) => {
    const p = adjusted(parts, before, last, filters, id);
    const h = squeezed(parts, last, filters, `normal_conv_1_${id}`, `normal_bn_1_${id}`);
    const branch = branchOf(parts, filters, id);
    const average = (x: SymbolicTensor, name: string) =>
      averagePooling2d({ poolSize: 3, strides: 1, padding: 'same', name: `${name}_${id}` }).apply(x);
    const x1 = sum(branch(h, 5, 'normal_left1'), branch(p, 3, 'normal_right1'), `normal_add_1_${id}`);
    const x2 = sum(branch(p, 5, 'normal_left2'), branch(p, 3, 'normal_right2'), `normal_add_2_${id}`);
    const x3 = sum(average(h, 'normal_left3'), p, `normal_add_3_${id}`);
    const x4 = sum(average(p, 'normal_left4'), average(p, 'normal_right4'), `normal_add_4_${id}`);
    const x5 = sum(branch(h, 3, 'normal_left5'), h, `normal_add_5_${id}`);
    return [concatenate({ name: `normal_concat_${id}` }).apply([p, x1, x2, x3, x4, x5]), last];
  };
  const reduction: Cell = ([last, before], filters, id) => {
    const p = adjusted(parts, before, last, filters, id);
    const h = squeezed(parts, last, filters, `reduction_conv_1_${id}`, `reduction_bn_1_${id}`);
    const padding = stridePadding(h.shape, 3);
    const h3 = zeroPadding2d({ padding, name: `reduction_pad_1_${id}` }).apply(h);
    const branch = branchOf(parts, filters, id);
    const left1 = branch(h, 5, 'reduction_left1', 2);
    const x1 = sum(left1, branch(p, 7, 'reduction_right1', 2), `reduction_add_1_${id}`);
    const left2 = maxPooling2d({ poolSize: 3, strides: 2, name: `reduction_left2_${id}` }).apply(h3);
    const x2 = sum(left2, branch(p, 7, 'reduction_right2', 2), `reduction_add_2_${id}`);
    const left3 = averagePooling2d({ poolSize: 3, strides: 2, name: `reduction_left3_${id}` }).apply(h3);
    const x3 = sum(left3, branch(p, 5, 'reduction_right3', 2), `reduction_add3_${id}`);
    const pool = { poolSize: 3, strides: 1, padding: 'same', name: `reduction_left4_${id}` } as const;
    const x4 = sum(x2, averagePooling2d(pool).apply(x1));
    const left5 = branch(x1, 3, 'reduction_left4');
    const right5 = maxPooling2d({ poolSize: 3, strides: 2, name: `reduction_right5_${id}` }).apply(h3);
    const x5 = sum(left5, right5, `reduction_add4_${id}`);
    return [concatenate({ name: `reduction_concat_${id}` }).apply([x2, x3, x4, x5]), last];
  };
  return { normal, reduction };
}

/** A 1 × 1 convolution to `filters` channels. */
function squeezed(
  parts: Parts,
  x: SymbolicTensor,
  filters: number,
  name: string,
  normalization: string,
): SymbolicTensor {
  const convolved = parts.convolution(parts.activated(x, 'relu'), filters, 1, { padding: 'same', name });
  return parts.normalized(convolved, normalization);
}

/** Two separable convolutions; the first may have strides. */
function branchOf(parts: Parts, filters: number, id: string): Branch {
  const separable = (x: SymbolicTensor, kernelSize: number, name: string, strides: 1 | 2) =>
    separableConv2d({
      filters,
      kernelSize,
      strides,
      padding: strides === 1 ? 'same' : 'valid',
      useBias: false,
      depthwiseInitializer: parts.initializer(glorotUniform),
      pointwiseInitializer: parts.initializer(glorotUniform),
      name,
    }).apply(x);
  return (image, kernelSize, block, strides = 1) => {
    const suffix = `${block}_${id}`;
    let x = parts.activated(image, 'relu');
    if (strides === 2) {
      const padding = stridePadding(x.shape, kernelSize);
      x = zeroPadding2d({ padding, name: `separable_conv_1_pad_${suffix}` }).apply(x);
    }
    x = separable(x, kernelSize, `separable_conv_1_${suffix}`, strides);
    x = parts.activated(parts.normalized(x, `separable_conv_1_bn_${suffix}`), 'relu');
    x = separable(x, kernelSize, `separable_conv_2_${suffix}`, 1);
    return parts.normalized(x, `separable_conv_2_bn_${suffix}`);
  };
}

/** Returns `before` with the height, the width and the channels that the cell's branches have. */
function adjusted(
  parts: Parts,
  before: SymbolicTensor | null,
  last: SymbolicTensor,
  filters: number,
  id: string,
): SymbolicTensor {
  if (before === null) return last;
  if (before.shape[2] !== last.shape[2]) return halved(parts, before, filters, id);
  if (channelsOf(before) === filters) return before;
  return squeezed(parts, before, filters, `adjust_conv_projection_${id}`, `adjust_bn_${id}`);
}

/** Takes every second pixel in each direction by two convolutions: one of pixels at even positions, one at odd positions. */
function halved(parts: Parts, image: SymbolicTensor, filters: number, id: string): SymbolicTensor {
  const x = parts.activated(image, 'relu', `adjust_relu_1_${id}`);
  const picked = (y: SymbolicTensor, place: 1 | 2) => {
    const pool = averagePooling2d({ poolSize: 1, strides: 2, name: `adjust_avg_pool_${place}_${id}` }).apply(
      y,
    );
    const name = `adjust_conv_${place}_${id}`;
    return parts.convolution(pool, Math.floor(filters / 2), 1, { padding: 'same', name });
  };
  const even = picked(x, 1);
  const padding: [[number, number], [number, number]] = [
    [0, 1],
    [0, 1],
  ];
  const cropping: [[number, number], [number, number]] = [
    [1, 0],
    [1, 0],
  ];
  const shifted = cropping2d({ cropping }).apply(zeroPadding2d({ padding }).apply(x));
  const both = concatenate().apply([even, picked(shifted, 2)]);
  return parts.normalized(both, `adjust_bn_${id}`);
}

/** The differences between the two networks. */
interface Kind {
  readonly name: string;
  /** Pixels of an image, each way. */
  readonly size: number;
  /** Normal cells between two reductions. */
  readonly blocks: number;
  readonly stem: number;
  /** Channels of a cell's branches, before the first reduction. */
  readonly filters: number;
  /** Whether a reduction passes on its own input, instead of that of the preceding cell. */
  readonly passesReduced: boolean;
}

const mobile: Kind = {
  name: 'nasnet_mobile',
  size: 224,
  blocks: 4,
  stem: 32,
  filters: 1056 / 24,
  passesReduced: true,
};
const large: Kind = {
  name: 'nasnet_large',
  size: 331,
  blocks: 6,
  stem: 96,
  filters: 4032 / 24,
  passesReduced: false,
};

/**
 * NASNet-A (4 @ 1056), the small network: two reduction cells as its stem, and three groups of four normal cells with a
 * reduction between them. Layers are named `stem_conv1`, `normal_concat_0` to `normal_concat_12`, `predictions`. Input: images of
 * a known size, of 32 pixels or more each way, as `nasNetMobile.preprocessInput` returns them; 224 pixels by default, also
 * without the top.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const nasNetMobile = /* @__PURE__ */ defineNetwork({
  op: 'nasNetMobile',
  preprocessInput: preprocessSymmetric,
  build: (options: NetworkOptions) => build('nasNetMobile', mobile, options),
});

/**
 * NASNet-A (6 @ 4032), the large network: two reduction cells as its stem, and three groups of six normal cells with a
 * reduction between them. Layers are named `stem_conv1`, `normal_concat_0` to `normal_concat_18`, `predictions`. Input: images of
 * a known size, of 32 pixels or more each way, as `nasNetLarge.preprocessInput` returns them; 331 pixels by default, also
 * without the top.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const nasNetLarge = /* @__PURE__ */ defineNetwork({
  op: 'nasNetLarge',
  preprocessInput: preprocessSymmetric,
  build: (options: NetworkOptions) => build('nasNetLarge', large, options),
});

function build(op: string, kind: Kind, options: NetworkOptions): Network {
  const { size, blocks, filters, passesReduced } = kind;
  const parts = partsOf(options, { kernel: heNormal, normalization: { momentum: 0.9997, epsilon: 1e-3 } });
  const { normal, reduction } = nasNetCells(parts);
  const image = imageOf(op, { ...options, inputShape: options.inputShape ?? [size, size, 3] }, { size });
  requireSize(op, image);
  const first = parts.convolution(image, kind.stem, 3, { strides: 2, name: 'stem_conv1' });
  let pair: Pair = [parts.normalized(first, 'stem_bn1'), null];
  pair = reduction(pair, Math.floor(filters / 4), 'stem_1');
  pair = reduction(pair, Math.floor(filters / 2), 'stem_2');
  for (let group = 0; group < 3; group++) {
    const width = filters * 2 ** group;
    if (group > 0) {
      const [reduced, read] = reduction(pair, width, `reduce_${group * blocks}`);
      pair = [reduced, passesReduced ? read : pair[1]];
    }
    for (let i = 0; i < blocks; i++)
      pair = normal(pair, width, String(group * blocks + i + (group > 0 ? 1 : 0)));
  }
  const features = parts.activated(pair[0], 'relu');
  return networkOf(image, topOf(features, options, parts.initializer), options.name ?? kind.name);
}

function topOf(
  features: SymbolicTensor,
  options: NetworkOptions,
  initializer: ReturnType<typeof partsOf>['initializer'],
): SymbolicTensor {
  const { includeTop = true, classes = 1000 } = options;
  if (!includeTop) return pooled(features, options);
  return dense({
    units: classes,
    activation: topActivation(options),
    kernelInitializer: initializer(glorotUniform),
    name: 'predictions',
  }).apply(globalAveragePooling2d().apply(features));
}

/** Paddings and the choice of layers depend on the size of the image. */
function requireSize(op: string, { shape }: SymbolicTensor): void {
  if (typeof shape[1] === 'number' && typeof shape[2] === 'number') return;
  throw new ShapeError({
    op,
    rule: 'it takes images of a known size.',
    received: `images ${formatShape(shape as readonly number[])}`,
    hint: 'pass the height and the width in `inputShape`.',
  });
}
