/** @file Converts images to inputs of the networks, as in their training. */
import { ShapeError } from '../../core/errors.ts';
import { formatSpec } from '../../core/spec.ts';
import { div, sub } from '../../ops/elementwise/arithmetic.ts';
import { flip } from '../../ops/arrangement/flip.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Mean blue, green and red of ImageNet's images, from 0 to 255. */
const meanBgr = [103.939, 116.779, 123.68];

/**
 * Converts images of red, green and blue from 0 to 255, [..., 3], to blue, green and red, minus ImageNet's means; values
 * aren't scaled. For tensors and symbolic tensors. Errors: ShapeError where the last size isn't 3.
 */
export function preprocessBgr(pictures: Tensor): Tensor;
export function preprocessBgr(pictures: SymbolicTensor): SymbolicTensor;
export function preprocessBgr(pictures: Tensor | SymbolicTensor): Tensor | SymbolicTensor {
  requireColours(pictures);
  return sub(flip(pictures as Tensor, { axis: -1 }), meanBgr);
}

/** Means and standard deviations of red, green and blue of ImageNet's images, from 0 to 1. */
export const imageNetMean = [0.485, 0.456, 0.406];
export const imageNetStd = [0.229, 0.224, 0.225];

/** Returns images unchanged: the network converts them to its range itself. For tensors and symbolic tensors. */
export function preprocessNothing(pictures: Tensor): Tensor;
export function preprocessNothing(pictures: SymbolicTensor): SymbolicTensor;
export function preprocessNothing(pictures: Tensor | SymbolicTensor): Tensor | SymbolicTensor {
  return pictures;
}

/**
 * Normalizes images of red, green and blue from 0 to 255, [..., 3], by ImageNet's means and standard deviations. For
 * tensors and symbolic tensors. Errors: ShapeError where the last size isn't 3.
 */
export function preprocessStandard(pictures: Tensor): Tensor;
export function preprocessStandard(pictures: SymbolicTensor): SymbolicTensor;
export function preprocessStandard(pictures: Tensor | SymbolicTensor): Tensor | SymbolicTensor {
  requireColours(pictures);
  return div(sub(div(pictures as Tensor, 255), imageNetMean), imageNetStd);
}

/**
 * Converts images of red, green and blue from 0 to 255, [..., 3], to values from -1 to 1. For tensors and symbolic tensors.
 * Errors: ShapeError where the last size isn't 3.
 */
export function preprocessSymmetric(pictures: Tensor): Tensor;
export function preprocessSymmetric(pictures: SymbolicTensor): SymbolicTensor;
export function preprocessSymmetric(pictures: Tensor | SymbolicTensor): Tensor | SymbolicTensor {
  requireColours(pictures);
  return sub(div(pictures as Tensor, 127.5), 1);
}

function requireColours(pictures: Tensor | SymbolicTensor): void {
  if (pictures.shape.at(-1) === 3) return;
  throw new ShapeError({
    op: 'preprocessInput',
    rule: 'the last axis must be red, green and blue.',
    received: formatSpec(pictures),
    hint: 'pass pictures as [batch, height, width, 3].',
  });
}
