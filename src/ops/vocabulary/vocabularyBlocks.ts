/** @file Logits = hidden · weightsᵀ over a large vocabulary, of which one block of the vocabulary exists at a time. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { matMul } from '../products/matMul.ts';
import { slice } from '../arrangement/slice.ts';

/** The logits that exist at a time by default. */
const blockElements = 2 ** 20;

/** Blocks whose number of columns is a multiple of 64 fill the tiles of a matmul. */
export function blockOf(rows: number, size: number): number {
  return Math.max(64, 64 * Math.floor(blockElements / (64 * Math.max(rows, size, 1))));
}

/** Errors: DTypeError and ShapeError for operands that give no logits. */
export function requireLogits(by: string, hidden: TensorSpec, weights: TensorSpec): void {
  requireDType(by, 'hidden', hidden.dtype, ['float32']);
  requireDType(by, 'weights', weights.dtype, ['float32']);
  const fits =
    hidden.shape.length > 0 && weights.shape.length === 2 && hidden.shape.at(-1) === weights.shape[1];
  if (fits && (weights.shape[0] as number) > 0) return;
  throw new ShapeError({
    op: by,
    rule: '`hidden` is [..., size], and `weights` are [vocabulary, size], as an embedding.',
    received: `hidden ${formatSpec(hidden)}, weights ${formatSpec(weights)}`,
    hint: 'transpose the kernel of a dense layer.',
  });
}

/** Calls `body` with the logits of each block of the vocabulary, the block's weights, and its first entry. */
export function eachBlock(
  rows: Tensor,
  weights: Tensor,
  block: number,
  body: (logits: Tensor, part: Tensor, first: number) => void,
): void {
  const [vocabulary, size] = weights.shape as [number, number];
  for (let first = 0; first < vocabulary; first += block) {
    const n = Math.min(block, vocabulary - first);
    const part = slice(weights, { begin: [first, 0], size: [n, size] });
    const logits = matMul(rows, part, { transposeB: true });
    body(logits, part, first);
    logits.dispose();
    part.dispose();
  }
}
