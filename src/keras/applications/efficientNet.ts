/**
 * @file EfficientNetB0, with Keras's names.
 * Source: Tan and Le, EfficientNet: rethinking model scaling for convolutional neural networks, ICML 2019.
 */
import { byPosition } from '../../core/options.ts';
import type { SymbolicTensor } from '../../ops/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { varianceScaling } from '../initializers/index.ts';
import { activation } from '../layers/activations/activation.ts';
import { batchNormalization } from '../layers/normalization/batchNormalization.ts';
import { conv2d } from '../layers/convolutional/conv.ts';
import { dense } from '../layers/core/dense.ts';
import { depthwiseConv2d } from '../layers/convolutional/depthwiseConv.ts';
import { dropout } from '../layers/regularization/dropout.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { add, multiply } from '../layers/merging/elementwiseMerges.ts';
import { normalization } from '../layers/preprocessing/normalization.ts';
import { rescaling } from '../layers/preprocessing/rescaling.ts';
import { reshape } from '../layers/reshaping/reshape.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import {
  checkNetwork,
  imageOf,
  initializersOf,
  type Network,
  type NetworkMaker,
  type NetworkOptions,
  networkOf,
  pooled,
  stridePadding,
  topActivation,
} from './network.ts';

interface Stage {
  kernelSize: number;
  /** Blocks that follow one another. */
  repeats: number;
  filters: number;
  /** How much wider a block is inside. */
  expansion: number;
  strides: number;
}

const stages: readonly Stage[] = [
  { kernelSize: 3, repeats: 1, filters: 16, expansion: 1, strides: 1 },
  { kernelSize: 3, repeats: 2, filters: 24, expansion: 6, strides: 2 },
  { kernelSize: 5, repeats: 2, filters: 40, expansion: 6, strides: 2 },
  { kernelSize: 3, repeats: 3, filters: 80, expansion: 6, strides: 2 },
  { kernelSize: 5, repeats: 3, filters: 112, expansion: 6, strides: 1 },
  { kernelSize: 5, repeats: 4, filters: 192, expansion: 6, strides: 2 },
  { kernelSize: 3, repeats: 1, filters: 320, expansion: 6, strides: 1 },
];

const stemFilters = 32;
const topFilters = 1280;
/** The width of squeezed features, as a part of a block's input. */
const squeezed = 0.25;
/** How often whole blocks are left out in training, at the last block; less before it. */
const dropConnect = 0.2;
const topDropout = 0.2;

/** Pictures as they are: the network brings them about 0 by itself. */
function preprocessInput(pictures: Tensor): Tensor;
function preprocessInput(pictures: SymbolicTensor): SymbolicTensor;
function preprocessInput(pictures: Tensor | SymbolicTensor): Tensor | SymbolicTensor {
  return pictures;
}

/**
 * EfficientNetB0: a stem, 16 blocks that squeeze and excite, a top. Layers are named `stem_conv`, `block1a_dwconv` to
 * `block7a_project_bn`, `top_conv`, `predictions`. Input: pictures of red, green and blue from 0 to 255; `rescaling` and
 * `normalization` are part of the network.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const efficientNetB0: NetworkMaker<NetworkOptions, typeof preprocessInput> =
  /* @__PURE__ */ Object.assign(build, { preprocessInput });

function build(...args: unknown[]): Network {
  const options: NetworkOptions = byPosition('efficientNetB0', args, []);
  checkNetwork('efficientNetB0', options);
  const { includeTop = true, classes = 1000, name = 'efficientnetb0' } = options;
  const layersOf = parts(options);
  const image = imageOf('efficientNetB0', options);
  let x: SymbolicTensor = normalization().apply(rescaling({ scale: 1 / 255 }).apply(image));
  x = zeroPadding2d({ padding: stridePadding(x.shape, 3), name: 'stem_conv_pad' }).apply(x);
  x = layersOf.convolution(x, stemFilters, 'stem_conv', { kernelSize: 3, strides: 2, padding: 'valid' });
  x = layersOf.activated(x, 'stem_bn', 'stem_activation');
  const count = stages.reduce((total, { repeats }) => total + repeats, 0);
  let place = 0;
  stages.forEach((stage, i) => {
    for (let repeat = 0; repeat < stage.repeats; repeat++) {
      const prefix = `block${i + 1}${String.fromCharCode('a'.charCodeAt(0) + repeat)}_`;
      const strides = repeat === 0 ? stage.strides : 1;
      x = block(x, layersOf, { ...stage, strides, prefix, drop: (dropConnect * place++) / count });
    }
  });
  x = layersOf.convolution(x, topFilters, 'top_conv');
  x = layersOf.activated(x, 'top_bn', 'top_activation');
  if (!includeTop) return networkOf(image, pooled(x, options, { avg: 'avg_pool', max: 'max_pool' }), name);
  x = globalAveragePooling2d({ name: 'avg_pool' }).apply(x);
  x = dropout({ rate: topDropout, name: 'top_dropout' }).apply(x);
  x = dense({
    units: classes,
    activation: topActivation(options),
    kernelInitializer: layersOf.initializer(({ seed }) =>
      varianceScaling({ scale: 1 / 3, mode: 'fanOut', distribution: 'uniform', seed }),
    ),
    name: 'predictions',
  }).apply(x);
  return networkOf(image, x, name);
}

/** The layers of which the blocks are made. */
function parts(options: NetworkOptions) {
  const initializer = initializersOf(options, 128);
  const kernel = () => initializer(({ seed }) => varianceScaling({ scale: 2, mode: 'fanOut', seed }));
  const normalized = (x: SymbolicTensor, name: string) => batchNormalization({ name }).apply(x);
  return {
    initializer,
    normalized,
    activated: (x: SymbolicTensor, norm: string, name: string) =>
      activation({ activation: 'silu', name }).apply(normalized(x, norm)),
    convolution: (x: SymbolicTensor, filters: number, name: string, given: object = {}) =>
      conv2d({
        filters,
        kernelSize: 1,
        padding: 'same',
        useBias: false,
        kernelInitializer: kernel(),
        name,
        ...given,
      }).apply(x),
    depthwise: (x: SymbolicTensor, kernelSize: number, strides: number, name: string) =>
      depthwiseConv2d({
        kernelSize,
        strides,
        padding: strides === 1 ? 'same' : 'valid',
        useBias: false,
        depthwiseInitializer: kernel(),
        name,
      }).apply(x),
  };
}

interface Block extends Stage {
  prefix: string;
  /** How often the block is left out in training. */
  drop: number;
}

/** Widens, convolves each channel, weighs the channels, narrows; where sizes agree, what went in is added. */
function block(
  image: SymbolicTensor,
  layersOf: ReturnType<typeof parts>,
  { prefix, kernelSize, strides, filters, expansion, drop }: Block,
): SymbolicTensor {
  const channels = image.shape.at(-1) as number;
  let x = image;
  if (expansion > 1) {
    x = layersOf.convolution(x, channels * expansion, `${prefix}expand_conv`);
    x = layersOf.activated(x, `${prefix}expand_bn`, `${prefix}expand_activation`);
  }
  if (strides === 2) {
    const padding = stridePadding(x.shape, kernelSize);
    x = zeroPadding2d({ padding, name: `${prefix}dwconv_pad` }).apply(x);
  }
  x = layersOf.depthwise(x, kernelSize, strides, `${prefix}dwconv`);
  x = layersOf.activated(x, `${prefix}bn`, `${prefix}activation`);
  x = excited(x, layersOf, prefix, Math.max(1, Math.trunc(channels * squeezed)));
  x = layersOf.convolution(x, filters, `${prefix}project_conv`);
  x = layersOf.normalized(x, `${prefix}project_bn`);
  if (strides !== 1 || channels !== filters) return x;
  if (drop > 0) {
    x = dropout({ rate: drop, noiseShape: [null, 1, 1, 1], name: `${prefix}drop` }).apply(x);
  }
  return add({ name: `${prefix}add` }).apply([x, image]);
}

/** Channels weighed by what all of them are on average. Hu et al., Squeeze-and-excitation networks, CVPR 2018. */
function excited(
  x: SymbolicTensor,
  layersOf: ReturnType<typeof parts>,
  prefix: string,
  narrow: number,
): SymbolicTensor {
  const channels = x.shape.at(-1) as number;
  const means = globalAveragePooling2d({ name: `${prefix}se_squeeze` }).apply(x);
  let weights: SymbolicTensor = reshape({
    targetShape: [1, 1, channels],
    name: `${prefix}se_reshape`,
  }).apply(means);
  const biased = { useBias: true };
  weights = layersOf.convolution(weights, narrow, `${prefix}se_reduce`, { ...biased, activation: 'silu' });
  weights = layersOf.convolution(weights, channels, `${prefix}se_expand`, {
    ...biased,
    activation: 'sigmoid',
  });
  return multiply({ name: `${prefix}se_excite` }).apply([x, weights]);
}
