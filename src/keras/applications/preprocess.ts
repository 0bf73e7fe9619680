/** @file How pictures become inputs of the networks, as their authors trained them. */
import { ShapeError } from '../../core/errors.ts';
import { formatSpec } from '../../core/spec.ts';
import { sub } from '../../ops/arithmetic.ts';
import { flip } from '../../ops/flip.ts';
import type { SymbolicTensor } from '../../ops/recording.ts';
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
  if (pictures.shape.at(-1) !== 3) {
    throw new ShapeError({
      op: 'preprocessInput',
      rule: 'the last axis holds red, green and blue.',
      received: formatSpec(pictures),
      mend: 'pass pictures as [batch, height, width, 3].',
    });
  }
  return sub(flip(pictures as Tensor, { axis: -1 }), meanBgr);
}
