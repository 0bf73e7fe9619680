/** @file Common code of the Inception networks: normalized convolutions, and the layers before the first block. */
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import type { Conv2DOptions } from '../layers/convolutional/conv.ts';
import { maxPooling2d } from '../layers/pooling/pooling.ts';
import type { Parts } from './parts.ts';

/** A convolution with normalization and ReLU. Layers have automatic names. */
export function convolved(
  x: SymbolicTensor,
  parts: Parts,
  filters: number,
  kernelSize: number | [number, number],
  given: Partial<Conv2DOptions> = {},
): SymbolicTensor {
  const y = parts.convolution(x, filters, kernelSize, { padding: 'same', ...given });
  return parts.activated(parts.normalized(y), 'relu');
}

export function inceptionStem(image: SymbolicTensor, parts: Parts): SymbolicTensor {
  const valid = { padding: 'valid' } as const;
  let x = convolved(image, parts, 32, 3, { ...valid, strides: 2 });
  x = convolved(x, parts, 32, 3, valid);
  x = convolved(x, parts, 64, 3);
  x = maxPooling2d({ poolSize: 3, strides: 2 }).apply(x);
  x = convolved(x, parts, 80, 1, valid);
  x = convolved(x, parts, 192, 3, valid);
  return maxPooling2d({ poolSize: 3, strides: 2 }).apply(x);
}
