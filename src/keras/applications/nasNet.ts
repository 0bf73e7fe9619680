/**
 * @file NASNet-A, with Keras's names.
 * Source: Zoph et al., Learning transferable architectures for scalable image recognition, CVPR 2018.
 */
import { ShapeError } from '../../core/errors.ts';
import { formatShape } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { glorotUniform, heNormal } from '../initializers/index.ts';
import { dense } from '../layers/core/dense.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { nasNetCells, type Pair } from './nasNetCells.ts';
import {
  defineNetwork,
  imageOf,
  type Network,
  type NetworkOptions,
  networkOf,
  pooled,
  topActivation,
} from './network.ts';
import { partsOf } from './parts.ts';
import { preprocessSymmetric } from './preprocess.ts';

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
