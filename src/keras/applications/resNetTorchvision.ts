/**
 * @file ResNets as torchvision has them: the second convolution of a bottleneck takes the strides, not the first, strided
 * windows are padded on both sides, and convolutions have no biases.
 * Source: Goyal et al., Accurate, large minibatch SGD: training ImageNet in 1 hour, 2017, section 5.1.
 */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { add } from '../layers/merging/elementwiseMerges.ts';
import { zeroPadding2d } from '../layers/reshaping/zeroPadding.ts';
import { channelsOf, type Parts } from './parts.ts';
import { normalizedStem, rectified, type Stack, type Version } from './resNetParts.ts';

interface Block {
  name: string;
  filters: number;
  strides: number;
}

type MakeBlock = (image: SymbolicTensor, parts: Parts, block: Block) => SymbolicTensor;

/** Networks of 50 layers and more: 1 × 1, 3 × 3 and 1 × 1, which widens four times. */
export const torchBottlenecks = /* @__PURE__ */ versionOf(bottleneck);
/** Networks of 18 and 34 layers: two convolutions of 3 × 3. */
export const torchBasicBlocks = /* @__PURE__ */ versionOf(basicBlock);

function versionOf(make: MakeBlock): Version {
  const stack = (image: SymbolicTensor, parts: Parts, { name, filters, blocks, place }: Stack) => {
    let x = image;
    for (let i = 1; i <= blocks; i++)
      x = make(x, parts, { name: `${name}_block${i}`, filters, strides: i === 1 && place > 0 ? 2 : 1 });
    return x;
  };
  return { epsilon: 1e-5, momentum: 0.9, hasBias: false, stem: normalizedStem, stack, end: (x) => x };
}

function bottleneck(image: SymbolicTensor, parts: Parts, { name, filters, strides }: Block): SymbolicTensor {
  let x = parts.convolution(image, filters, 1, { name: `${name}_1_conv` });
  x = rectified(x, parts, `${name}_1_bn`, `${name}_1_relu`);
  x = convolution3(x, parts, { name: `${name}_2`, filters, strides });
  x = rectified(x, parts, `${name}_2_bn`, `${name}_2_relu`);
  x = parts.convolution(x, 4 * filters, 1, { name: `${name}_3_conv` });
  return added(image, parts.normalized(x, `${name}_3_bn`), parts, name, strides);
}

function basicBlock(image: SymbolicTensor, parts: Parts, { name, filters, strides }: Block): SymbolicTensor {
  let x = convolution3(image, parts, { name: `${name}_1`, filters, strides });
  x = rectified(x, parts, `${name}_1_bn`, `${name}_1_relu`);
  x = convolution3(x, parts, { name: `${name}_2`, filters, strides: 1 });
  return added(image, parts.normalized(x, `${name}_2_bn`), parts, name, strides);
}

/** A 3 × 3 convolution, padded on both sides, unlike 'same' with strides. */
function convolution3(x: SymbolicTensor, parts: Parts, { name, filters, strides }: Block): SymbolicTensor {
  const convolve = { strides, padding: strides === 1 ? 'same' : 'valid', name: `${name}_conv` } as const;
  const padded = strides === 1 ? x : zeroPadding2d({ padding: 1, name: `${name}_pad` }).apply(x);
  return parts.convolution(padded, filters, 3, convolve);
}

/** Adds the shortcut, which has a convolution if sizes differ. */
function added(
  image: SymbolicTensor,
  x: SymbolicTensor,
  parts: Parts,
  name: string,
  strides: number,
): SymbolicTensor {
  let shortcut = image;
  if (strides > 1 || channelsOf(image) !== channelsOf(x)) {
    shortcut = parts.convolution(image, channelsOf(x), 1, { strides, name: `${name}_0_conv` });
    shortcut = parts.normalized(shortcut, `${name}_0_bn`);
  }
  const sum = add({ name: `${name}_add` }).apply([shortcut, x]);
  return parts.activated(sum, 'relu', `${name}_out`);
}
