/** @file Common code of all ResNets: a stem, four stacks of residual blocks, a dense layer. */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { maxPooling2d } from '../layers/pooling/pooling.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import { imageOf, type Network, networkOf, type NetworkOptions } from './network.ts';
import { type Parts, partsOf, topped } from './parts.ts';

/** Filters of the four stacks. */
const filters = [64, 128, 256, 512] as const;

/** Numbers of blocks of the four stacks. */
export type Blocks = readonly [number, number, number, number];

/** The parts that differ between versions of the network. */
export interface Version {
  /** Epsilon of normalization. */
  epsilon: number;
  momentum: number;
  /** Whether the first convolution has a bias. */
  hasBias: boolean;
  /** The layers after the first convolution. */
  stem(x: SymbolicTensor, parts: Parts): SymbolicTensor;
  stack(x: SymbolicTensor, parts: Parts, stack: Stack): SymbolicTensor;
  end(x: SymbolicTensor, parts: Parts): SymbolicTensor;
}

export interface Stack {
  name: string;
  filters: number;
  blocks: number;
  place: number;
}

export function buildResNet(op: string, options: NetworkOptions, version: Version, blocks: Blocks): Network {
  const { name = op.toLowerCase() } = options;
  const { epsilon, momentum, hasBias } = version;
  const parts = partsOf(options, { normalization: { epsilon, momentum } });
  const image = imageOf(op, options);
  let x: SymbolicTensor = zeroPadding2d({ padding: 3, name: 'conv1_pad' }).apply(image);
  x = parts.convolution(x, 64, 7, { strides: 2, useBias: hasBias, name: 'conv1_conv' });
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

export const normalizedStem = (x: SymbolicTensor, parts: Parts) =>
  rectified(x, parts, 'conv1_bn', 'conv1_relu');

export function rectified(x: SymbolicTensor, parts: Parts, norm: string, name: string): SymbolicTensor {
  return parts.activated(parts.normalized(x, norm), 'relu', name);
}
