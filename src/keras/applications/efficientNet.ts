/**
 * @file EfficientNet B0 to B7, with Keras's names.
 * Source: Tan and Le, EfficientNet: rethinking model scaling for convolutional neural networks, ICML 2019.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { normalization } from '../layers/preprocessing/normalization.ts';
import { rescaling } from '../layers/preprocessing/rescaling.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import {
  blockName,
  denseKernel,
  efficientParts,
  excited,
  joined,
  repeated,
  type Scaling,
} from './efficientNetParts.ts';
import {
  defineNetwork,
  imageOf,
  type Network,
  networkOf,
  type NetworkOptions,
  stridePadding,
} from './network.ts';
import { channelsOf, divisible, type Parts, topped } from './parts.ts';
import { preprocessNothing } from './preprocess.ts';

interface Stage {
  kernelSize: number;
  /** Number of blocks in the stage. */
  repeats: number;
  filters: number;
  /** The expansion factor of a block. */
  expansion: number;
  strides: number;
}

/** The stages of B0. */
const stages: readonly Stage[] = [
  { kernelSize: 3, repeats: 1, filters: 16, expansion: 1, strides: 1 },
  { kernelSize: 3, repeats: 2, filters: 24, expansion: 6, strides: 2 },
  { kernelSize: 5, repeats: 2, filters: 40, expansion: 6, strides: 2 },
  { kernelSize: 3, repeats: 3, filters: 80, expansion: 6, strides: 2 },
  { kernelSize: 5, repeats: 3, filters: 112, expansion: 6, strides: 1 },
  { kernelSize: 5, repeats: 4, filters: 192, expansion: 6, strides: 2 },
  { kernelSize: 3, repeats: 1, filters: 320, expansion: 6, strides: 1 },
];

/** The rate at which whole blocks are dropped in training: for the last block, decreasing towards the first. */
const dropConnect = 0.2;

/**
 * EfficientNetB0: a stem, 16 blocks that squeeze and excite, a top. Layers are named `stem_conv`, `block1a_dwconv` to
 * `block7a_project_bn`, `top_conv`, `predictions`. Input: pictures of red, green and blue from 0 to 255; `rescaling` and
 * `normalization` are part of the network.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const efficientNetB0 = /* @__PURE__ */ efficientNet('B0', {
  width: 1,
  depth: 1,
  size: 224,
  rate: 0.2,
});
/** EfficientNetB1, for pictures of 240 × 240. As `efficientNetB0` otherwise. */
export const efficientNetB1 = /* @__PURE__ */ efficientNet('B1', {
  width: 1,
  depth: 1.1,
  size: 240,
  rate: 0.2,
});
/** EfficientNetB2, for pictures of 260 × 260. As `efficientNetB0` otherwise. */
export const efficientNetB2 = /* @__PURE__ */ efficientNet('B2', {
  width: 1.1,
  depth: 1.2,
  size: 260,
  rate: 0.3,
});
/** EfficientNetB3, for pictures of 300 × 300. As `efficientNetB0` otherwise. */
export const efficientNetB3 = /* @__PURE__ */ efficientNet('B3', {
  width: 1.2,
  depth: 1.4,
  size: 300,
  rate: 0.3,
});
/** EfficientNetB4, for pictures of 380 × 380. As `efficientNetB0` otherwise. */
export const efficientNetB4 = /* @__PURE__ */ efficientNet('B4', {
  width: 1.4,
  depth: 1.8,
  size: 380,
  rate: 0.4,
});
/** EfficientNetB5, for pictures of 456 × 456. As `efficientNetB0` otherwise. */
export const efficientNetB5 = /* @__PURE__ */ efficientNet('B5', {
  width: 1.6,
  depth: 2.2,
  size: 456,
  rate: 0.4,
});
/** EfficientNetB6, for pictures of 528 × 528. As `efficientNetB0` otherwise. */
export const efficientNetB6 = /* @__PURE__ */ efficientNet('B6', {
  width: 1.8,
  depth: 2.6,
  size: 528,
  rate: 0.5,
});
/** EfficientNetB7, for pictures of 600 × 600. As `efficientNetB0` otherwise. */
export const efficientNetB7 = /* @__PURE__ */ efficientNet('B7', {
  width: 2,
  depth: 3.1,
  size: 600,
  rate: 0.5,
});

function efficientNet(kind: string, scaling: Scaling) {
  const op = `efficientNet${kind}`;
  return defineNetwork({
    op,
    preprocessInput: preprocessNothing,
    build: (options: NetworkOptions) => build(op, options, scaling),
  });
}

function build(op: string, options: NetworkOptions, { width, depth, size, rate }: Scaling): Network {
  const parts = efficientParts(options);
  const filters = (n: number) => divisible(n * width);
  const image = imageOf(op, options, { size });
  let x: SymbolicTensor = normalization().apply(rescaling({ scale: 1 / 255 }).apply(image));
  x = zeroPadding2d({ padding: stridePadding(x.shape, 3), name: 'stem_conv_pad' }).apply(x);
  x = parts.convolution(x, filters(32), 3, { strides: 2, padding: 'valid', name: 'stem_conv' });
  x = parts.activated(parts.normalized(x, 'stem_bn'), 'silu', 'stem_activation');
  const scaled = stages.map((stage) => ({
    ...stage,
    filters: filters(stage.filters),
    repeats: repeated(stage.repeats, depth),
  }));
  const count = scaled.reduce((total, { repeats }) => total + repeats, 0);
  let place = 0;
  scaled.forEach((stage, i) => {
    for (let repeat = 0; repeat < stage.repeats; repeat++) {
      const strides = repeat === 0 ? stage.strides : 1;
      const drop = (dropConnect * place++) / count;
      x = block(x, parts, { ...stage, strides, prefix: blockName(i, repeat), drop });
    }
  });
  x = parts.convolution(x, filters(1280), 1, { padding: 'same', name: 'top_conv' });
  x = parts.activated(parts.normalized(x, 'top_bn'), 'silu', 'top_activation');
  const pools = { avg: 'avg_pool', max: 'max_pool' };
  x = topped(x, options, parts, { pools, rate, kernel: denseKernel });
  return networkOf(image, x, options.name ?? op.toLowerCase());
}

interface Block extends Stage {
  prefix: string;
  /** The rate at which the block is dropped in training. */
  drop: number;
}

/** Widens, convolves each channel, weights the channels, narrows; if sizes agree, adds the input. */
function block(image: SymbolicTensor, parts: Parts, settings: Block): SymbolicTensor {
  const { prefix, kernelSize, strides, filters, expansion } = settings;
  const channels = channelsOf(image);
  const name = (what: string) => `${prefix}${what}`;
  let x = image;
  if (expansion > 1) {
    x = parts.convolution(x, channels * expansion, 1, { padding: 'same', name: name('expand_conv') });
    x = parts.activated(parts.normalized(x, name('expand_bn')), 'silu', name('expand_activation'));
  }
  if (strides === 2) {
    const padding = stridePadding(x.shape, kernelSize);
    x = zeroPadding2d({ padding, name: name('dwconv_pad') }).apply(x);
  }
  const padding = strides === 1 ? 'same' : 'valid';
  x = parts.depthwise(x, kernelSize, { strides, padding, name: name('dwconv') });
  x = parts.activated(parts.normalized(x, name('bn')), 'silu', name('activation'));
  x = excited(x, parts, prefix, channels);
  x = parts.convolution(x, filters, 1, { padding: 'same', name: name('project_conv') });
  x = parts.normalized(x, name('project_bn'));
  return joined(image, x, settings);
}
