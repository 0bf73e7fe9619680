/** @file Batching rules of fused attention and its gradient: the examples are a larger batch of one call. */
import { broadcastTo } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { merged } from './arrangementRules.ts';
import type { BatchingRule, MappedCall } from './mappedCall.ts';

/** `ofScores` are the positions of operands that broadcast to [batch, heads, queries, keys]; the others have that batch. */
const attention =
  (ofScores: readonly number[]): BatchingRule =>
  (call) =>
    merged(
      call,
      call.inputs.map(
        (input, i) => input && (ofScores.includes(i) ? scoresOperand(call, i, input) : call.spread(i)),
      ),
    );

/** Bias and mask are behind queries, keys and values. */
export const attentions: BatchingRule = attention([3, 4]);
/** The mask is behind the one tensor of all three. */
export const joinedAttentions: BatchingRule = attention([1]);

/** A bias or mask is repeated only along the examples and their batches, and stays as it is if all of these share it. */
function scoresOperand(call: MappedCall, i: number, input: Tensor): Tensor {
  const [batch = 1] = call.shape(0);
  const [own = 1, ...rest] = [...new Array<number>(4 - input.rank).fill(1), ...input.shape];
  if (!call.isMapped(i) && own === 1) return input;
  return broadcastTo(call.raised(i, 4) as Tensor, { shape: [call.size, batch, ...rest] });
}
