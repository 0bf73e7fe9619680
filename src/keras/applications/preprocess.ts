/** @file How pictures become inputs of the networks, as their authors trained them. */
import { ShapeError } from '../../core/errors.ts';
import { formatSpec } from '../../core/spec.ts';
import { div, sub } from '../../ops/arithmetic.ts';
import { flip } from '../../ops/flip.ts';
import type { SymbolicTensor } from '../../ops/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Mean blue, green and red of ImageNet's pictures, from 0 to 255. */
const meanBgr = [103.939, 116.779, 123.68];

/**
 * Pictures of red, green and blue from 0 to 255, as [..., 3], to blue, green and red about the mean of ImageNet; values
 * aren't scaled. For tensors and symbolic tensors. Errors: ShapeError where the last size isn't 3.
 */
export function preprocessBgr(pictures: Tensor): Tensor;
export function preprocessBgr(pictures: SymbolicTensor): SymbolicTensor;
export function preprocessBgr(pictures: Tensor | SymbolicTensor): Tensor | SymbolicTensor {
  requireColours(pictures);
  return sub(flip(pictures as Tensor, { axis: -1 }), meanBgr);
}

/**
 * Pictures of red, green and blue from 0 to 255, as [..., 3], to values from -1 to 1. For tensors and symbolic tensors.
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
