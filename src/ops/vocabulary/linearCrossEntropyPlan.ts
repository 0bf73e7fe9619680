/** @file The options of linearCrossEntropy, checked, and what is computed from them. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, sameShape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { VocabularyLoss } from '../../kernels/vocabulary/vocabulary.ts';
import { checkIndices } from '../define/indices.ts';
import { blockOf, requireLogits } from './vocabularyBlocks.ts';

export interface LinearCrossEntropyOptions {
  /** The share of the target that is spread over the whole vocabulary. Default 0. */
  labelSmoothing?: number;
  /** The factor of the squared log-sum-exp of the logits, which keeps them from drifting. Default 0. */
  zLoss?: number;
  /** A label of rows without a loss, such as that of padding. Negative labels have none either. Default: none. */
  ignoredLabel?: number | null;
  /** How many logits of a row exist at a time. Default: as many as take 4 MiB for all rows. */
  blockSize?: number;
}

const op = 'linearCrossEntropy';

/** What is computed, in the shape of the labels. */
export interface LossPlan extends TensorSpec, VocabularyLoss {
  readonly rows: number;
  readonly size: number;
  readonly block: number;
}

/** Errors: those that `linearCrossEntropy` documents. */
export function planLoss(
  [hidden, weights, labels]: readonly [TensorSpec, TensorSpec, TensorSpec],
  options: LinearCrossEntropyOptions,
): LossPlan {
  const { labelSmoothing = 0, zLoss = 0, ignoredLabel = null } = options;
  requireLogits(op, hidden, weights);
  checkIndices(op, 'labels', labels, {});
  requireDType(op, 'labels', labels.dtype, ['int32']);
  const lead = hidden.shape.slice(0, -1);
  if (!sameShape(lead, labels.shape)) {
    throw new ShapeError({
      op,
      rule: 'there is a label for each row of `hidden`.',
      received: `hidden ${formatSpec(hidden)}, labels ${formatSpec(labels)}`,
      hint: 'hidden is [..., size], labels are [...].',
    });
  }
  requireWithin('labelSmoothing', labelSmoothing, 0, 1);
  requireWithin('zLoss', zLoss, 0, Number.MAX_VALUE);
  if (ignoredLabel !== null) requireWhole('ignoredLabel', ignoredLabel, -(2 ** 31));
  const [vocabulary, size] = weights.shape as [number, number];
  const rows = sizeOf(lead);
  const { blockSize = blockOf(rows, size) } = options;
  requireWhole('blockSize', blockSize, 1);
  return {
    shape: lead,
    dtype: 'float32',
    vocabulary,
    smoothing: labelSmoothing,
    z: zLoss,
    ignored: ignoredLabel ?? -1,
    rows,
    size,
    block: blockSize,
  };
}

function requireWithin(name: string, value: unknown, least: number, greatest: number): void {
  if (typeof value === 'number' && value >= least && value <= greatest) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is a number ${greatest === 1 ? 'from 0 to 1' : 'of at least 0'}.`,
    received: `${name}: ${describe(value)}`,
    hint: 'leave it out for 0.',
  });
}

function requireWhole(name: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) < 2 ** 31) return;
  throw new ValueError({
    op,
    rule: `\`${name}\` is an integer${least === 1 ? ' of at least 1' : ''}.`,
    received: `${name}: ${describe(value)}`,
    hint: 'leave it out for the default.',
  });
}
