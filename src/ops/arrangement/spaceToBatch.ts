/** @file spaceToBatch and its inverse batchToSpace, applied to one spatial axis after the other. */
import { describe } from '../../core/describe.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, type Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { identity } from './identity.ts';
import { reshape } from './reshape.ts';
import { pad } from './pad.ts';
import { slice } from './slice.ts';
import { transpose } from './transpose.ts';

export interface SpaceToBatchOptions {
  /** Sizes of a block, one for each spatial axis; these follow the batch axis. */
  blockShape: readonly number[];
  /** Zeros before and after each spatial axis. Default none. */
  paddings?: readonly (readonly [number, number] | readonly number[])[];
}

export interface BatchToSpaceOptions {
  /** Sizes of a block, one for each spatial axis; these follow the batch axis. */
  blockShape: readonly number[];
  /** How much to crop before and after each spatial axis. Default none. */
  crops?: readonly (readonly [number, number] | readonly number[])[];
}

/**
 * Divides images into blocks; the elements at the same position in all blocks form an image of the new batch, in which block
 * positions vary slowest, as in TensorFlow. Any dtype.
 * Shapes: x [n, s1 … sk, ..rest] → [n · Π blockShape, padded si / blockShape[i] …, ..rest].
 * Errors: ShapeError if a block doesn't divide a padded axis, or there are fewer axes than blocks; ValueError for options.
 */
export const spaceToBatch: CompositeOp<[x: Tensor], SpaceToBatchOptions, Tensor, ['blockShape', 'paddings']> =
  /* @__PURE__ */ defineComposite({
    name: 'spaceToBatch',
    inputs: ['x'],
    options: { blockShape: true, paddings: true },
    compose: ([x], { blockShape, paddings }) => {
      const blocks = blocksOf('spaceToBatch', x.shape, blockShape);
      const pairs = pairsOf('spaceToBatch', 'paddings', paddings, blocks.length);
      const rest = x.shape.slice(1 + blocks.length).map((): [number, number] => [0, 0]);
      const padded = pad(x, { paddings: [[0, 0], ...pairs, ...rest] });
      blocks.forEach((block, i) => {
        requireMultiple(
          'spaceToBatch',
          `axis ${i + 1}, with its padding`,
          padded.shape[i + 1] as number,
          block,
        );
      });
      // From the last axis to the first, so that positions in the first one vary slowest.
      return blocks.reduceRight((y, block, i) => splitAxis(y, i + 1, block), padded);
    },
  });

/**
 * The images of a batch interleaved to blocks: the inverse of spaceToBatch. Any dtype.
 * Shapes: x [n · Π blockShape, s1 … sk, ..rest] → [n, si · blockShape[i] less crops …, ..rest].
 * Errors: ShapeError if the blocks don't divide the batch, crops leave nothing, or there are fewer axes than blocks;
 * ValueError for options.
 */
export const batchToSpace: CompositeOp<[x: Tensor], BatchToSpaceOptions, Tensor, ['blockShape', 'crops']> =
  /* @__PURE__ */ defineComposite({
    name: 'batchToSpace',
    inputs: ['x'],
    options: { blockShape: true, crops: true },
    compose: ([x], { blockShape, crops }) => {
      const blocks = blocksOf('batchToSpace', x.shape, blockShape);
      const pairs = pairsOf('batchToSpace', 'crops', crops, blocks.length);
      const places = blocks.reduce((product, block) => product * block, 1);
      requireMultiple('batchToSpace', 'the batch', x.shape[0] as number, places);
      const whole = blocks.reduce((y, block, i) => joinAxis(y, i + 1, block), identity(x));
      const cut = (axis: number): readonly number[] => pairs[axis - 1] ?? [0, 0];
      return slice(whole, {
        begin: whole.shape.map((_, axis) => cut(axis)[0] as number),
        size: whole.shape.map((n, axis) => remaining(whole.shape, axis, n, cut(axis))),
      });
    },
  });

/** Splits `axis` into blocks, and moves positions in a block to the front of the batch. Never needs more than five axes. */
function splitAxis(x: Tensor, axis: number, block: number): Tensor {
  const [before, n, after] = around(x.shape, axis);
  const split = reshape(x, { shape: [before, n / block, block, after] });
  const moved = transpose(split, { perm: [2, 0, 1, 3] });
  return reshape(moved, {
    shape: x.shape.map((size, i) => (i === 0 ? size * block : i === axis ? n / block : size)),
  });
}

/** The inverse of `splitAxis`. */
function joinAxis(x: Tensor, axis: number, block: number): Tensor {
  const [before, n, after] = around(x.shape, axis);
  const split = reshape(x, { shape: [block, before / block, n, after] });
  const moved = transpose(split, { perm: [1, 2, 0, 3] });
  return reshape(moved, {
    shape: x.shape.map((size, i) => (i === 0 ? size / block : i === axis ? n * block : size)),
  });
}

function around(shape: Shape, axis: number): [number, number, number] {
  const count = (sizes: Shape) => sizes.reduce((product, n) => product * n, 1);
  return [count(shape.slice(0, axis)), shape[axis] as number, count(shape.slice(axis + 1))];
}

function blocksOf(op: string, shape: Shape, blockShape: unknown): readonly number[] {
  const list: unknown[] = Array.isArray(blockShape) ? blockShape.slice(0, shape.length) : [];
  if (list.length === 0 || list.length >= shape.length) {
    throw new ShapeError({
      op,
      rule: '`blockShape` has one size for each spatial axis, at least one; x has a batch axis before them.',
      received: `blockShape: ${describe(blockShape)} for x ${formatShape(shape)}`,
      hint: 'pass [2, 2] for images [n, h, w, c].',
    });
  }
  return [...list].map((size) => {
    requireInteger(op, 'blockShape', size, 1);
    return size as number;
  });
}

function pairsOf(op: string, what: string, given: unknown, count: number): [number, number][] {
  if (given === undefined) return Array.from({ length: count }, () => [0, 0]);
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && [...pair].every((n) => Number.isInteger(n) && n >= 0);
  if (Array.isArray(given) && given.length === count && [...given].every(isPair)) return given;
  throw new ShapeError({
    op,
    rule: `\`${what}\` has a pair of integers, at least 0, for each size of blockShape.`,
    received: `${what}: ${describe(given)} for ${count} sizes`,
    hint: 'pass [[0, 0], [0, 0]] for two spatial axes.',
  });
}

function requireMultiple(op: string, what: string, size: number, of: number): void {
  if (size % of === 0) return;
  throw new ShapeError({
    op,
    rule: `${what} must be a multiple of ${of}.`,
    received: `${size} elements`,
    hint: 'choose another blockShape, or pad.',
  });
}

function remaining(
  shape: Shape,
  axis: number,
  n: number,
  [before = 0, after = 0]: readonly number[],
): number {
  if (n >= before + after) return n - before - after;
  throw new ShapeError({
    op: 'batchToSpace',
    rule: 'crops must leave something of an axis.',
    received: `crops [${before}, ${after}] of axis ${axis} of ${formatShape(shape)}`,
    hint: 'crop less.',
  });
}
