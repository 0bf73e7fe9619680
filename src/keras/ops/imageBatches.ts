/** @file Arguments of ops on images: one image, or a batch of them. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape } from '../../core/shape.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Applies `compute` to images as a batch. Errors: ShapeError for other ranks than 3 and 4. */
export function ofImages(op: string, images: Tensor, compute: (batch: Tensor) => Tensor): Tensor {
  const rank = images.shape.length;
  if (rank === 4) return compute(images);
  if (rank === 3) return squeeze(compute(expandDims(images, { axis: 0 })), { axis: 0 });
  throw new ShapeError({
    op,
    rule: '`images` must be [height, width, channels] or a batch of them.',
    received: `images ${formatShape(images.shape)}`,
    hint: 'add an axis for channels.',
  });
}

/** Values of one image as those of a batch of one. */
export function perImage(op: string, what: string, x: Tensor, rank: number): Tensor {
  if (x.shape.length === rank) return x;
  if (x.shape.length === rank - 1) return expandDims(x, { axis: 0 });
  throw new ShapeError({
    op,
    rule: `\`${what}\` must have rank ${rank - 1} or, for a batch, ${rank}.`,
    received: `${what} ${formatShape(x.shape)}`,
    hint: 'pass one for all images, or one for each.',
  });
}
