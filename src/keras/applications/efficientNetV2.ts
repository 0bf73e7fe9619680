/**
 * @file EfficientNetV2: B0 to B3, S, M and L, with Keras's names.
 * Source: Tan and Le, EfficientNetV2: smaller models and faster training, ICML 2021.
 */
import { requireBoolean } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { normalization } from '../layers/preprocessing/normalization.ts';
import { rescaling } from '../layers/preprocessing/rescaling.ts';
import {
  blockName,
  denseKernel,
  efficientParts,
  excited,
  joined,
  repeated,
  type Scaling,
} from './efficientNetParts.ts';
import { defineNetwork, imageOf, type Network, type NetworkOptions, networkOf } from './network.ts';
import { channelsOf, type Parts, topped } from './parts.ts';
import { imageNetMean, imageNetStd, preprocessNothing } from './preprocess.ts';

/** Options of the EfficientNetV2 networks. */
export interface EfficientNetV2Options extends NetworkOptions {
  /** Whether the network scales pictures from [0, 255] itself. Default true. */
  includePreprocessing?: boolean;
}

/** Fused blocks convolve and widen in one step; the others squeeze and excite. */
type Stage = readonly [fused: boolean, expansion: number, filters: number, repeats: number, strides: number];

interface Variant extends Scaling {
  stem: number;
  stages: readonly Stage[];
}

const stagesOfB: readonly Stage[] = [
  [true, 1, 16, 1, 1],
  [true, 4, 32, 2, 2],
  [true, 4, 48, 2, 2],
  [false, 4, 96, 3, 2],
  [false, 6, 112, 5, 1],
  [false, 6, 192, 8, 2],
];

const stagesOfS: readonly Stage[] = [
  [true, 1, 24, 2, 1],
  [true, 4, 48, 4, 2],
  [true, 4, 64, 4, 2],
  [false, 4, 128, 6, 2],
  [false, 6, 160, 9, 1],
  [false, 6, 256, 15, 2],
];

const stagesOfM: readonly Stage[] = [
  [true, 1, 24, 3, 1],
  [true, 4, 48, 5, 2],
  [true, 4, 80, 5, 2],
  [false, 4, 160, 7, 2],
  [false, 6, 176, 14, 1],
  [false, 6, 304, 18, 2],
  [false, 6, 512, 5, 1],
];

const stagesOfL: readonly Stage[] = [
  [true, 1, 32, 4, 1],
  [true, 4, 64, 7, 2],
  [true, 4, 96, 7, 2],
  [false, 4, 192, 10, 2],
  [false, 6, 224, 19, 1],
  [false, 6, 384, 25, 2],
  [false, 6, 640, 7, 1],
];

const unscaled = { width: 1, depth: 1, rate: 0.2 };
const ofB = { ...unscaled, stem: 32, stages: stagesOfB };

/**
 * EfficientNetV2B0: a stem, 5 fused blocks, 16 that squeeze and excite, a top. Layers are named `stem_conv`,
 * `block1a_project_conv` to `block6h_add`, `top_conv`, `predictions`. Input: pictures of red, green and blue from 0 to 255;
 * scaling is part of the network, unless `includePreprocessing` is false.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const efficientNetV2B0 = /* @__PURE__ */ efficientNetV2('B0', { ...ofB, size: 224 });
/** EfficientNetV2B1, for pictures of 240 × 240. As `efficientNetV2B0` otherwise. */
export const efficientNetV2B1 = /* @__PURE__ */ efficientNetV2('B1', { ...ofB, depth: 1.1, size: 240 });
/** EfficientNetV2B2, for pictures of 260 × 260. As `efficientNetV2B0` otherwise. */
export const efficientNetV2B2 = /* @__PURE__ */ efficientNetV2('B2', {
  ...ofB,
  width: 1.1,
  depth: 1.2,
  size: 260,
});
/** EfficientNetV2B3, for pictures of 300 × 300. As `efficientNetV2B0` otherwise. */
export const efficientNetV2B3 = /* @__PURE__ */ efficientNetV2('B3', {
  ...ofB,
  width: 1.2,
  depth: 1.4,
  size: 300,
});
/** EfficientNetV2S, for pictures of 384 × 384. As `efficientNetV2B0` otherwise. */
export const efficientNetV2S = /* @__PURE__ */ efficientNetV2('S', {
  ...unscaled,
  stem: 24,
  stages: stagesOfS,
  size: 384,
});
/** EfficientNetV2M, for pictures of 480 × 480. As `efficientNetV2B0` otherwise. */
export const efficientNetV2M = /* @__PURE__ */ efficientNetV2('M', {
  ...unscaled,
  stem: 24,
  stages: stagesOfM,
  size: 480,
});
/** EfficientNetV2L, for pictures of 480 × 480. As `efficientNetV2B0` otherwise. */
export const efficientNetV2L = /* @__PURE__ */ efficientNetV2('L', {
  ...unscaled,
  stem: 32,
  stages: stagesOfL,
  size: 480,
});

function efficientNetV2(kind: string, variant: Variant) {
  const op = `efficientNetV2${kind}`;
  return defineNetwork({
    op,
    own: ['includePreprocessing'],
    preprocessInput: preprocessNothing,
    build: (options: EfficientNetV2Options) =>
      build(op, options, { ...variant, name: `efficientnetv2-${kind.toLowerCase()}` }),
  });
}

/** The rate at which whole blocks are dropped in training: for the last block, decreasing towards the first. */
const dropConnect = 0.2;

function build(op: string, options: EfficientNetV2Options, variant: Variant & { name: string }): Network {
  const { width, depth, size, rate, stem, stages, name } = variant;
  const { includePreprocessing = true } = options;
  requireBoolean(op, 'includePreprocessing', includePreprocessing);
  const parts = efficientParts(options, { momentum: 0.9 });
  const filters = (n: number) => Math.max(8, Math.floor((n * width + 4) / 8) * 8);
  const image = imageOf(op, options, { size });
  let x = includePreprocessing ? scaled(image, stages === stagesOfB) : image;
  x = parts.convolution(x, filters(stem), 3, { strides: 2, padding: 'same', name: 'stem_conv' });
  x = parts.activated(parts.normalized(x, 'stem_bn'), 'silu', 'stem_activation');
  const count = stages.reduce((total, [, , , repeats]) => total + repeats, 0);
  let place = 0;
  stages.forEach(([fused, expansion, channels, repeats, strides], i) => {
    for (let repeat = 0; repeat < repeated(repeats, depth); repeat++) {
      const settings = {
        prefix: blockName(i, repeat),
        expansion,
        filters: filters(channels),
        strides: repeat === 0 ? strides : 1,
        drop: (dropConnect * place++) / count,
      };
      x = fused ? fusedBlock(x, parts, settings) : block(x, parts, settings);
    }
  });
  x = parts.convolution(x, filters(1280), 1, { padding: 'same', name: 'top_conv' });
  x = parts.activated(parts.normalized(x, 'top_bn'), 'silu', 'top_activation');
  const pools = { avg: 'avg_pool', max: 'max_pool' };
  return networkOf(
    image,
    topped(x, options, parts, { pools, rate, kernel: denseKernel }),
    options.name ?? name,
  );
}

/** The networks B0 to B3 were trained on normalized colours, the others on values from -1 to 1. */
function scaled(image: SymbolicTensor, isB: boolean): SymbolicTensor {
  if (!isB || channelsOf(image) !== 3) return rescaling({ scale: 1 / 128, offset: -1 }).apply(image);
  const variance = imageNetStd.map((deviation) => deviation ** 2);
  return normalization({ mean: imageNetMean, variance, axis: 3 }).apply(
    rescaling({ scale: 1 / 255 }).apply(image),
  );
}

interface Block {
  prefix: string;
  /** The expansion factor of a block. */
  expansion: number;
  filters: number;
  strides: number;
  /** The rate at which the block is dropped in training. */
  drop: number;
}

/** Widens, convolves each channel, weights the channels, narrows; if sizes agree, adds the input. */
function block(image: SymbolicTensor, parts: Parts, settings: Block): SymbolicTensor {
  const { prefix, expansion, filters, strides } = settings;
  const channels = channelsOf(image);
  const name = (what: string) => `${prefix}${what}`;
  let x = parts.convolution(image, channels * expansion, 1, { padding: 'same', name: name('expand_conv') });
  x = parts.activated(parts.normalized(x, name('expand_bn')), 'silu', name('expand_activation'));
  x = parts.depthwise(x, 3, { strides, padding: 'same', name: name('dwconv2') });
  x = parts.activated(parts.normalized(x, name('bn')), 'silu', name('activation'));
  x = excited(x, parts, prefix, channels);
  x = parts.convolution(x, filters, 1, { padding: 'same', name: name('project_conv') });
  return joined(image, parts.normalized(x, name('project_bn')), settings);
}

/** Expands by the convolution itself; without expansion, the block has no other layers. */
function fusedBlock(image: SymbolicTensor, parts: Parts, settings: Block): SymbolicTensor {
  const { prefix, expansion, filters, strides } = settings;
  const name = (what: string) => `${prefix}${what}`;
  const same = { padding: 'same' } as const;
  let x = image;
  if (expansion === 1) {
    x = parts.convolution(x, filters, 3, { ...same, strides, name: name('project_conv') });
    x = parts.activated(parts.normalized(x, name('project_bn')), 'silu', name('project_activation'));
    return joined(image, x, settings);
  }
  x = parts.convolution(x, channelsOf(image) * expansion, 3, { ...same, strides, name: name('expand_conv') });
  x = parts.activated(parts.normalized(x, name('expand_bn')), 'silu', name('expand_activation'));
  x = parts.convolution(x, filters, 1, { ...same, name: name('project_conv') });
  return joined(image, parts.normalized(x, name('project_bn')), settings);
}
