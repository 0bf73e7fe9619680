/** @file depthToSpace, spaceToDepth */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, requireRank, type Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { reshape } from './reshape.ts';
import { transpose } from './transpose.ts';

/** Options of `depthToSpace` and `spaceToDepth`. */
export interface BlockOptions {
  /** Height and width of a block. At least 1. */
  blockSize: number;
}

/**
 * Channels laid out as blocks of pixels, as in TensorFlow ("pixel shuffle"). Any dtype.
 * Shapes: x [n, h, w, c] → [n, h · blockSize, w · blockSize, c / blockSize²].
 * Errors: ShapeError for other ranks, and if blockSize² doesn't divide c; ValueError for the option.
 */
export const depthToSpace: CompositeOp<[x: Tensor], BlockOptions, Tensor, ['blockSize']> =
  /* @__PURE__ */ defineComposite({
    name: 'depthToSpace',
    inputs: ['x'],
    options: { blockSize: true },
    compose: ([x], { blockSize: block }) => {
      const [n, h, w, c] = imageSizes('depthToSpace', x.shape, block);
      requireMultiple('depthToSpace', 'channels', x.shape, c, block * block);
      const depth = c / (block * block);
      // Merge rows with the batch, and block columns with their channels, to keep the rank low.
      const lines = reshape(x, { shape: [n * h, w, block, block * depth] });
      return reshape(transpose(lines, { perm: [0, 2, 1, 3] }), { shape: [n, h * block, w * block, depth] });
    },
  });

/**
 * Blocks of pixels laid out as channels: the inverse of depthToSpace. Any dtype.
 * Shapes: x [n, h, w, c] → [n, h / blockSize, w / blockSize, c · blockSize²].
 * Errors: ShapeError for other ranks, and if blockSize doesn't divide h and w; ValueError for the option.
 */
export const spaceToDepth: CompositeOp<[x: Tensor], BlockOptions, Tensor, ['blockSize']> =
  /* @__PURE__ */ defineComposite({
    name: 'spaceToDepth',
    inputs: ['x'],
    options: { blockSize: true },
    compose: ([x], { blockSize: block }) => {
      const [n, h, w, c] = imageSizes('spaceToDepth', x.shape, block);
      requireMultiple('spaceToDepth', 'rows', x.shape, h, block);
      requireMultiple('spaceToDepth', 'columns', x.shape, w, block);
      const lines = reshape(x, { shape: [(n * h) / block, block, w / block, block * c] });
      return reshape(transpose(lines, { perm: [0, 2, 1, 3] }), {
        shape: [n, h / block, w / block, c * block * block],
      });
    },
  });

function imageSizes(op: string, shape: Shape, block: number): [number, number, number, number] {
  requireRank(op, 'x', shape, 4);
  requireInteger(op, 'blockSize', block, 1);
  const [n, h, w, c] = shape as [number, number, number, number];
  return [n, h, w, c];
}

function requireMultiple(op: string, what: string, shape: Shape, size: number, of: number): void {
  if (size % of === 0) return;
  throw new ShapeError({
    op,
    rule: `the number of ${what} must be a multiple of ${of}.`,
    received: `${size} ${what} in x ${formatShape(shape)}`,
    hint: 'pad or slice x, or choose another blockSize.',
  });
}
