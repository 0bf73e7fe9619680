/** @file Encodes integers as features: unchanged, one-hot, multi-hot or counted. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { mul } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { expandDims, squeeze } from '../../../ops/arrangement/expandDims.ts';
import { max } from '../../../ops/reductions/extrema.ts';
import { oneHot } from '../../../ops/indexing/oneHot.ts';
import { sum } from '../../../ops/reductions/sum.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { checked } from '../../options/kinds.ts';
import type { Option } from '../../options/option.ts';

export const outputModes = ['int', 'oneHot', 'multiHot', 'count'] as const;

/** 'int': the numbers themselves; the other modes give float32 vectors with one entry per category. */
export type OutputMode = (typeof outputModes)[number];

/** The kind of `sparse`. */
export const notSparse = (): Option<false> =>
  checked((op, what, given: unknown): false => {
    if (given === false) return given;
    throw new ValueError({
      op,
      rule: `\`${what}\` is false: there are no ${what} tensors.`,
      received: `${what}: ${describe(given)}`,
      hint: 'leave it out.',
    });
  }, false);

interface Encoding {
  mode: OutputMode;
  /** The number of categories. */
  depth: number;
  /** Weights of the counts, in the shape of the indices. */
  weights?: Tensor | null;
}

const isColumn = (shape: OpenShape) => shape.length > 1 && shape.at(-1) === 1;

/** int32 `indices` in that encoding. Indices outside [0, depth) are ignored. */
export function encodeCategories(indices: Tensor, { mode, depth, weights = null }: Encoding): Tensor {
  if (mode === 'int') return indices;
  if (mode === 'oneHot')
    return rows(isColumn(indices.shape) ? squeeze(indices, { axis: -1 }) : indices, depth);
  const hot = rows(indices, depth);
  // Keras's axis for both, also where the numbers of a sample have several axes.
  const axis = indices.rank > 1 ? 1 : 0;
  if (mode === 'multiHot') return max(hot, { axis });
  return sum(weights ? mul(hot, expandDims(weights, { axis: -1 })) : hot, { axis });
}

const rows = (indices: Tensor, depth: number): Tensor => cast(oneHot(indices, { depth }), 'float32');

/** The shape of that encoding. */
export function encodedShape(shape: OpenShape, { mode, depth }: Encoding): OpenShape {
  if (mode === 'int') return shape;
  if (mode === 'oneHot') return [...(isColumn(shape) ? shape.slice(0, -1) : shape), depth];
  return [...shape.filter((_, axis) => axis !== (shape.length > 1 ? 1 : 0)), depth];
}

export const encodedDType = (mode: OutputMode): DType => (mode === 'int' ? 'int32' : 'float32');
