/**
 * @file InceptionResNetV2, with Keras's names.
 * Source: Szegedy, Ioffe, Vanhoucke and Alemi, Inception-v4, Inception-ResNet and the impact of residual connections on
 * learning, AAAI 2017.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { concatenate } from '../layers/merging/concatenate.ts';
import { averagePooling2d, maxPooling2d } from '../layers/pooling/pooling.ts';
import { CustomScaleLayer } from './customLayers.ts';
import { convolved, inceptionStem } from './inception.ts';
import { defineNetwork, imageOf, type Network, networkOf, type NetworkOptions } from './network.ts';
import { channelsOf, type Parts, partsOf, topped } from './parts.ts';
import { preprocessSymmetric } from './preprocess.ts';

/**
 * InceptionResNetV2: the branches of Inception in residual blocks. Blocks are named `mixed_5b`, `block35_1_mixed` to
 * `block8_10_conv`, `conv_7b`, `predictions`; other layers are numbered. Input: images of 75 pixels or more each way, as
 * `inceptionResNetV2.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const inceptionResNetV2 = /* @__PURE__ */ defineNetwork({
  op: 'inceptionResNetV2',
  preprocessInput: preprocessSymmetric,
  build,
});

function build(options: NetworkOptions): Network {
  const parts = partsOf(options, { normalization: { scale: false } });
  const image = imageOf('inceptionResNetV2', options, { size: 299, minSize: 75 });
  let x = firstBlock(inceptionStem(image, parts), parts);
  for (let i = 1; i <= 10; i++) x = residual(x, parts, { kind: 'block35', place: i, scale: 0.17 });
  x = firstNarrowing(x, parts);
  for (let i = 1; i <= 20; i++) x = residual(x, parts, { kind: 'block17', place: i, scale: 0.1 });
  x = secondNarrowing(x, parts);
  for (let i = 1; i <= 9; i++) x = residual(x, parts, { kind: 'block8', place: i, scale: 0.2 });
  x = residual(x, parts, { kind: 'block8', place: 10, scale: 1, isLast: true });
  x = parts.convolution(x, 1536, 1, { padding: 'same', name: 'conv_7b' });
  x = parts.activated(parts.normalized(x, 'conv_7b_bn'), 'relu', 'conv_7b_ac');
  return networkOf(image, topped(x, options, parts), options.name ?? 'inception_resnet_v2');
}

const merged = (branches: readonly SymbolicTensor[], name: string): SymbolicTensor =>
  concatenate({ axis: 3, name }).apply([...branches]);

const narrow = { strides: 2, padding: 'valid' } as const;

const narrowPool = (x: SymbolicTensor): SymbolicTensor => maxPooling2d({ poolSize: 3, strides: 2 }).apply(x);

function firstBlock(x: SymbolicTensor, parts: Parts): SymbolicTensor {
  const one = convolved(x, parts, 96, 1);
  const five = convolved(convolved(x, parts, 48, 1), parts, 64, 5);
  const three = convolved(convolved(convolved(x, parts, 64, 1), parts, 96, 3), parts, 96, 3);
  const means = averagePooling2d({ poolSize: 3, strides: 1, padding: 'same' }).apply(x);
  return merged([one, five, three, convolved(means, parts, 64, 1)], 'mixed_5b');
}

function firstNarrowing(x: SymbolicTensor, parts: Parts): SymbolicTensor {
  const three = convolved(x, parts, 384, 3, narrow);
  const twice = convolved(convolved(x, parts, 256, 1), parts, 256, 3);
  return merged([three, convolved(twice, parts, 384, 3, narrow), narrowPool(x)], 'mixed_6a');
}

function secondNarrowing(x: SymbolicTensor, parts: Parts): SymbolicTensor {
  const one = convolved(convolved(x, parts, 256, 1), parts, 384, 3, narrow);
  const two = convolved(convolved(x, parts, 256, 1), parts, 288, 3, narrow);
  const three = convolved(convolved(x, parts, 256, 1), parts, 288, 3);
  return merged([one, two, convolved(three, parts, 320, 3, narrow), narrowPool(x)], 'mixed_7a');
}

type Branches = (x: SymbolicTensor, parts: Parts) => SymbolicTensor[];

const branches: Record<'block35' | 'block17' | 'block8', Branches> = {
  block35: (x, parts) => {
    const one = convolved(x, parts, 32, 1);
    const two = convolved(convolved(x, parts, 32, 1), parts, 32, 3);
    const three = convolved(convolved(convolved(x, parts, 32, 1), parts, 48, 3), parts, 64, 3);
    return [one, two, three];
  },
  block17: (x, parts) => {
    const one = convolved(x, parts, 192, 1);
    const long = convolved(convolved(x, parts, 128, 1), parts, 160, [1, 7]);
    return [one, convolved(long, parts, 192, [7, 1])];
  },
  block8: (x, parts) => {
    const one = convolved(x, parts, 192, 1);
    const long = convolved(convolved(x, parts, 192, 1), parts, 224, [1, 3]);
    return [one, convolved(long, parts, 256, [3, 1])];
  },
};

interface Residual {
  kind: keyof typeof branches;
  place: number;
  /** Factor of the branches' result. */
  scale: number;
  /** Whether it is the last block, which has no activation. */
  isLast?: boolean;
}

function residual(
  x: SymbolicTensor,
  parts: Parts,
  { kind, place, scale, isLast = false }: Residual,
): SymbolicTensor {
  const name = `${kind}_${place}`;
  const mixed = merged(branches[kind](x, parts), `${name}_mixed`);
  const given = { padding: 'same', useBias: true, name: `${name}_conv` } as const;
  const added = parts.convolution(mixed, channelsOf(x), 1, given);
  const sum = new CustomScaleLayer({ scale }).apply([x, added]);
  return isLast ? sum : parts.activated(sum, 'relu', `${name}_ac`);
}
