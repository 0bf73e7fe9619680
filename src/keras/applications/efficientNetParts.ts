/** @file Common code of both versions of EfficientNet: scaling, initializers, squeeze and excitation, the end of a block. */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { varianceScaling } from '../initializers/index.ts';
import type { BatchNormalizationOptions } from '../layers/normalization/batchNormalization.ts';
import { add, multiply } from '../layers/merging/elementwiseMerges.ts';
import { globalAveragePooling2d } from '../layers/pooling/globalPooling.ts';
import { dropout } from '../layers/regularization/dropout.ts';
import { reshape } from '../layers/reshaping/reshape.ts';
import type { NetworkOptions, OwnInitializer } from './network.ts';
import { channelsOf, type Parts, partsOf } from './parts.ts';

/** Scaling of a network relative to the smallest of its kind. */
export interface Scaling {
  /** Factor of the number of filters. */
  width: number;
  /** Factor of the number of blocks. */
  depth: number;
  /** Size of the images. */
  size: number;
  /** Rate of dropout before the last layer. */
  rate: number;
}

const convolutionKernel: OwnInitializer = ({ seed }) => varianceScaling({ scale: 2, mode: 'fanOut', seed });

/** Initializer of the last layer. */
export const denseKernel: OwnInitializer = ({ seed }) =>
  varianceScaling({ scale: 1 / 3, mode: 'fanOut', distribution: 'uniform', seed });

export const efficientParts = (
  options: NetworkOptions,
  normalization: BatchNormalizationOptions = {},
): Parts => partsOf(options, { kernel: convolutionKernel, normalization });

export const repeated = (repeats: number, depth: number): number => Math.ceil(depth * repeats);

/** 'block1a_' for the first block of the first stage. */
export const blockName = (stage: number, repeat: number): string =>
  `block${stage + 1}${String.fromCharCode('a'.charCodeAt(0) + repeat)}_`;

/**
 * Weights channels by factors computed from the means of all channels, squeezed to a quarter of the block's inputs. Hu et al.,
 * Squeeze-and-excitation networks, CVPR 2018.
 */
export function excited(x: SymbolicTensor, parts: Parts, prefix: string, inputs: number): SymbolicTensor {
  const channels = channelsOf(x);
  const given = { padding: 'same', useBias: true } as const;
  const means = globalAveragePooling2d({ name: `${prefix}se_squeeze` }).apply(x);
  let weights: SymbolicTensor = reshape({
    targetShape: [1, 1, channels],
    name: `${prefix}se_reshape`,
  }).apply(means);
  const narrow = Math.max(1, Math.trunc(inputs / 4));
  weights = parts.convolution(weights, narrow, 1, {
    ...given,
    activation: 'silu',
    name: `${prefix}se_reduce`,
  });
  weights = parts.convolution(weights, channels, 1, {
    ...given,
    activation: 'sigmoid',
    name: `${prefix}se_expand`,
  });
  return multiply({ name: `${prefix}se_excite` }).apply([x, weights]);
}

interface Ending {
  prefix: string;
  strides: number;
  /** The rate at which the block is dropped in training. */
  drop: number;
}

/** Adds the input of a block to its result, if sizes agree. */
export function joined(
  image: SymbolicTensor,
  made: SymbolicTensor,
  { prefix, strides, drop }: Ending,
): SymbolicTensor {
  if (strides !== 1 || channelsOf(image) !== channelsOf(made)) return made;
  const noiseShape = [null, 1, 1, 1];
  const x = drop > 0 ? dropout({ rate: drop, noiseShape, name: `${prefix}drop` }).apply(made) : made;
  return add({ name: `${prefix}add` }).apply([x, image]);
}
