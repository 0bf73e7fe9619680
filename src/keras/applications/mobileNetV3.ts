/**
 * @file MobileNetV3, small and large, with Keras's names.
 * Source: Howard et al., Searching for MobileNetV3, ICCV 2019.
 */
import { requireBoolean } from '../../core/shape.ts';
import { add as plus, mul } from '../../ops/elementwise/arithmetic.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { activation } from '../layers/activations/activation.ts';
import { reLU } from '../layers/activations/rectifiers.ts';
import { add, multiply } from '../layers/merging/elementwiseMerges.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { rescaling } from '../layers/preprocessing/rescaling.ts';
import { dropout } from '../layers/regularization/dropout.ts';
import { flatten } from '../layers/reshaping/flatten.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
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
import { channelsOf, divisible, type Parts, partsOf } from './parts.ts';
import { preprocessNothing } from './preprocess.ts';
import { requireAlpha } from './networkOptions.ts';

/** Options of `mobileNetV3Small` and `mobileNetV3Large`. */
export interface MobileNetV3Options extends NetworkOptions {
  /** Factor of the number of filters. Default 1. */
  alpha?: number;
  /** Whether to use only 3 × 3 windows and ReLU, without squeeze and excitation. Default false. */
  minimalistic?: boolean;
  /** Rate of dropout before the last layer. Default 0.2. */
  dropoutRate?: number;
  /** Whether the network scales pictures from [0, 255] itself. Default true. */
  includePreprocessing?: boolean;
}

type Activate = (x: SymbolicTensor) => SymbolicTensor;

const relu: Activate = (x) => reLU().apply(x);
const hardSwish: Activate = (x) => activation({ activation: 'hardSwish' }).apply(x);
/** Written with ops, as in Keras's network. */
const hardSigmoid: Activate = (x) => mul(reLU({ maxValue: 6 }).apply(plus(x, 3)), 1 / 6);

/** A block of a network that isn't minimalistic. */
type Block = readonly [
  expansion: number,
  filters: number,
  strides: 1 | 2,
  kernelSize: 3 | 5,
  excites: boolean,
  smooth: boolean,
];

const small: readonly Block[] = [
  [1, 16, 2, 3, true, false],
  [72 / 16, 24, 2, 3, false, false],
  [88 / 24, 24, 1, 3, false, false],
  [4, 40, 2, 5, true, true],
  [6, 40, 1, 5, true, true],
  [6, 40, 1, 5, true, true],
  [3, 48, 1, 5, true, true],
  [3, 48, 1, 5, true, true],
  [6, 96, 2, 5, true, true],
  [6, 96, 1, 5, true, true],
  [6, 96, 1, 5, true, true],
];

const large: readonly Block[] = [
  [1, 16, 1, 3, false, false],
  [4, 24, 2, 3, false, false],
  [3, 24, 1, 3, false, false],
  [3, 40, 2, 5, true, false],
  [3, 40, 1, 5, true, false],
  [3, 40, 1, 5, true, false],
  [6, 80, 2, 3, false, true],
  [2.5, 80, 1, 3, false, true],
  [2.3, 80, 1, 3, false, true],
  [2.3, 80, 1, 3, false, true],
  [6, 112, 1, 3, true, true],
  [6, 112, 1, 3, true, true],
  [6, 160, 2, 5, true, true],
  [6, 160, 1, 5, true, true],
  [6, 160, 1, 5, true, true],
];

/**
 * MobileNetV3, small: a convolution, 11 inverted residual blocks, two convolutions. Layers are named `conv`,
 * `expanded_conv_depthwise` to `expanded_conv_10_project_bn`, `conv_1`, `conv_2`, `logits`, `predictions`. Input: pictures of
 * red, green and blue from 0 to 255; scaling is part of the network, unless `includePreprocessing` is false.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const mobileNetV3Small = /* @__PURE__ */ mobileNetV3('Small', small, 1024);
/** MobileNetV3, large: 15 blocks, to `expanded_conv_14_project_bn`. As `mobileNetV3Small` otherwise. */
export const mobileNetV3Large = /* @__PURE__ */ mobileNetV3('Large', large, 1280);

function mobileNetV3(kind: string, blocks: readonly Block[], lastChannels: number) {
  const op = `mobileNetV3${kind}`;
  return defineNetwork({
    op,
    own: ['alpha', 'minimalistic', 'dropoutRate', 'includePreprocessing'],
    preprocessInput: preprocessNothing,
    build: (options: MobileNetV3Options) =>
      build(op, options, { blocks, lastChannels, name: `MobileNetV3${kind}` }),
  });
}

interface Size {
  blocks: readonly Block[];
  lastChannels: number;
  name: string;
}

function build(op: string, options: MobileNetV3Options, { blocks, lastChannels, name }: Size): Network {
  const { alpha = 1, minimalistic = false, includePreprocessing = true, includeTop = true } = options;
  requireAlpha(op, alpha);
  requireBoolean(op, 'minimalistic', minimalistic);
  requireBoolean(op, 'includePreprocessing', includePreprocessing);
  const parts = partsOf(options, { normalization: { epsilon: 1e-3, momentum: 0.999 } });
  const activate = minimalistic ? relu : hardSwish;
  const image = imageOf(op, options, { open: true });
  let x: SymbolicTensor = includePreprocessing
    ? rescaling({ scale: 1 / 127.5, offset: -1 }).apply(image)
    : image;
  x = parts.convolution(x, 16, 3, { strides: 2, padding: 'same', name: 'conv' });
  x = activate(parts.normalized(x, 'conv_bn'));
  blocks.forEach(([expansion, filters, strides, kernelSize, excites, smooth], place) => {
    x = block(x, parts, {
      place,
      expansion,
      filters: divisible(filters * alpha),
      strides,
      kernelSize: minimalistic ? 3 : kernelSize,
      excites: excites && !minimalistic,
      activate: smooth ? activate : relu,
    });
  });
  x = parts.convolution(x, divisible(channelsOf(x) * 6), 1, { padding: 'same', name: 'conv_1' });
  x = activate(parts.normalized(x, 'conv_1_bn'));
  if (!includeTop) x = pooled(x, options, { avg: 'avg_pool', max: 'max_pool' });
  else
    x = classified(x, parts, {
      ...options,
      activate,
      channels: alpha > 1 ? divisible(lastChannels * alpha) : lastChannels,
    });
  return networkOf(image, x, options.name ?? name);
}

interface InvertedBlock {
  place: number;
  expansion: number;
  filters: number;
  strides: 1 | 2;
  kernelSize: 3 | 5;
  excites: boolean;
  activate: Activate;
}

/** Widens, convolves each channel, weights the channels, narrows; if sizes agree, adds the input. */
function block(
  image: SymbolicTensor,
  parts: Parts,
  { place, expansion, filters, strides, kernelSize, excites, activate }: InvertedBlock,
): SymbolicTensor {
  const prefix = place === 0 ? 'expanded_conv_' : `expanded_conv_${place}_`;
  const channels = channelsOf(image);
  const wide = divisible(channels * expansion);
  let x = image;
  if (place > 0) {
    x = parts.convolution(x, wide, 1, { padding: 'same', name: `${prefix}expand` });
    x = activate(parts.normalized(x, `${prefix}expand_bn`));
  }
  if (strides === 2) {
    const padding = stridePadding(x.shape, kernelSize);
    x = zeroPadding2d({ padding, name: `${prefix}depthwise_pad` }).apply(x);
  }
  const padding = strides === 1 ? 'same' : 'valid';
  x = parts.depthwise(x, kernelSize, { strides, padding, name: `${prefix}depthwise` });
  x = activate(parts.normalized(x, `${prefix}depthwise_bn`));
  if (excites) x = excited(x, parts, prefix, wide);
  x = parts.convolution(x, filters, 1, { padding: 'same', name: `${prefix}project` });
  x = parts.normalized(x, `${prefix}project_bn`);
  return strides === 1 && channels === filters ? add({ name: `${prefix}add` }).apply([image, x]) : x;
}

/** Weights channels by factors computed from the means of all channels. Hu et al., Squeeze-and-excitation networks, CVPR 2018. */
function excited(image: SymbolicTensor, parts: Parts, prefix: string, channels: number): SymbolicTensor {
  const name = `${prefix}squeeze_excite`;
  const given = { padding: 'same', useBias: true } as const;
  let x: SymbolicTensor = globalAveragePooling2d({ keepDims: true, name: `${name}_avg_pool` }).apply(image);
  x = parts.convolution(x, divisible(channels / 4), 1, { ...given, name: `${name}_conv` });
  x = reLU({ name: `${name}_relu` }).apply(x);
  x = parts.convolution(x, channels, 1, { ...given, name: `${name}_conv_1` });
  return multiply({ name: `${name}_mul` }).apply([image, hardSigmoid(x)]);
}

interface Classes extends MobileNetV3Options {
  activate: Activate;
  /** Channels of the convolution before that of the classes. */
  channels: number;
}

function classified(features: SymbolicTensor, parts: Parts, top: Classes): SymbolicTensor {
  const { activate, channels, classes = 1000, dropoutRate = 0.2 } = top;
  const given = { padding: 'same', useBias: true } as const;
  let x: SymbolicTensor = globalAveragePooling2d({ keepDims: true }).apply(features);
  x = activate(parts.convolution(x, channels, 1, { ...given, name: 'conv_2' }));
  if (dropoutRate !== 0) x = dropout({ rate: dropoutRate }).apply(x);
  x = parts.convolution(x, classes, 1, { ...given, name: 'logits' });
  return parts.activated(flatten().apply(x), topActivation(top), 'predictions');
}
