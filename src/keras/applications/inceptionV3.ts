/**
 * @file InceptionV3, with Keras's names.
 * Source: Szegedy, Vanhoucke, Ioffe, Shlens and Wojna, Rethinking the Inception architecture for computer vision, CVPR 2016.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { concatenate } from '../layers/merging/concatenate.ts';
import { averagePooling2d, maxPooling2d } from '../layers/pooling/pooling.ts';
import { convolved, inceptionStem } from './inception.ts';
import { defineNetwork, imageOf, type Network, networkOf, type NetworkOptions } from './network.ts';
import { type Parts, partsOf, topped } from './parts.ts';
import { preprocessSymmetric } from './preprocess.ts';

/**
 * InceptionV3: a stem, and eleven blocks of parallel branches, `mixed0` to `mixed10`, then `predictions`; other layers are
 * numbered, `conv2d_1`. Input: images of 75 pixels or more each way, as `inceptionV3.preprocessInput` returns them.
 * Errors: ValueError for options; ShapeError for an `inputShape` that isn't one of images.
 */
export const inceptionV3 = /* @__PURE__ */ defineNetwork({
  op: 'inceptionV3',
  preprocessInput: preprocessSymmetric,
  build,
});

function build(options: NetworkOptions): Network {
  const parts = partsOf(options, { normalization: { scale: false } });
  const image = imageOf('inceptionV3', options, { size: 299, minSize: 75 });
  let x = inceptionStem(image, parts);
  [32, 64, 64].forEach((pooled, i) => {
    x = smallWindows(x, parts, pooled, `mixed${i}`);
  });
  x = firstNarrowing(x, parts);
  [128, 160, 160, 192].forEach((filters, i) => {
    x = longWindows(x, parts, filters, `mixed${i + 4}`);
  });
  x = secondNarrowing(x, parts);
  for (const place of [0, 1]) x = splitWindows(x, parts, place);
  return networkOf(image, topped(x, options, parts), options.name ?? 'inception_v3');
}

const merged = (branches: readonly SymbolicTensor[], name: string): SymbolicTensor =>
  concatenate({ axis: 3, name }).apply([...branches]);

/** The means of 3 × 3 pixels, in `filters` channels. */
function pooledBranch(x: SymbolicTensor, parts: Parts, filters: number): SymbolicTensor {
  const means = averagePooling2d({ poolSize: 3, strides: 1, padding: 'same' }).apply(x);
  return convolved(means, parts, filters, 1);
}

const narrowPool = (x: SymbolicTensor): SymbolicTensor => maxPooling2d({ poolSize: 3, strides: 2 }).apply(x);

/** Windows of 1 × 1, 5 × 5 and 3 × 3 twice. */
function smallWindows(x: SymbolicTensor, parts: Parts, pooled: number, name: string): SymbolicTensor {
  const one = convolved(x, parts, 64, 1);
  const five = convolved(convolved(x, parts, 48, 1), parts, 64, 5);
  const three = convolved(convolved(convolved(x, parts, 64, 1), parts, 96, 3), parts, 96, 3);
  return merged([one, five, three, pooledBranch(x, parts, pooled)], name);
}

function firstNarrowing(x: SymbolicTensor, parts: Parts): SymbolicTensor {
  const narrow = { strides: 2, padding: 'valid' } as const;
  const three = convolved(x, parts, 384, 3, narrow);
  const twice = convolved(convolved(x, parts, 64, 1), parts, 96, 3);
  return merged([three, convolved(twice, parts, 96, 3, narrow), narrowPool(x)], 'mixed3');
}

/** Windows of 7 × 7 as 1 × 7 and 7 × 1. */
function longWindows(x: SymbolicTensor, parts: Parts, filters: number, name: string): SymbolicTensor {
  const one = convolved(x, parts, 192, 1);
  let seven = convolved(x, parts, filters, 1);
  seven = convolved(seven, parts, filters, [1, 7]);
  seven = convolved(seven, parts, 192, [7, 1]);
  let twice = convolved(x, parts, filters, 1);
  twice = convolved(twice, parts, filters, [7, 1]);
  twice = convolved(twice, parts, filters, [1, 7]);
  twice = convolved(twice, parts, filters, [7, 1]);
  twice = convolved(twice, parts, 192, [1, 7]);
  return merged([one, seven, twice, pooledBranch(x, parts, 192)], name);
}

function secondNarrowing(x: SymbolicTensor, parts: Parts): SymbolicTensor {
  const narrow = { strides: 2, padding: 'valid' } as const;
  const three = convolved(convolved(x, parts, 192, 1), parts, 320, 3, narrow);
  let seven = convolved(x, parts, 192, 1);
  seven = convolved(seven, parts, 192, [1, 7]);
  seven = convolved(seven, parts, 192, [7, 1]);
  seven = convolved(seven, parts, 192, 3, narrow);
  return merged([three, seven, narrowPool(x)], 'mixed8');
}

/** Windows of 3 × 3 that end in 1 × 3 next to 3 × 1. */
function splitWindows(x: SymbolicTensor, parts: Parts, place: number): SymbolicTensor {
  const one = convolved(x, parts, 320, 1);
  const sides = (y: SymbolicTensor) => [convolved(y, parts, 384, [1, 3]), convolved(y, parts, 384, [3, 1])];
  const three = merged(sides(convolved(x, parts, 384, 1)), `mixed9_${place}`);
  const deeper = sides(convolved(convolved(x, parts, 448, 1), parts, 384, 3));
  const twice = concatenate({ axis: 3 }).apply(deeper as never);
  return merged([one, three, twice, pooledBranch(x, parts, 192)], `mixed${9 + place}`);
}
