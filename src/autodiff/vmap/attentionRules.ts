/** @file Batching rules of fused attention and its gradient: the examples are a larger batch of one call. */
import { broadcastTo } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { merged } from './arrangementRules.ts';
import type { BatchingRule, MappedCall } from './mappedCall.ts';

/** The positions of bias and mask, which broadcast to [batch, heads, queries, keys]; the other operands have that batch. */
const ofScores: readonly number[] = [3, 4];

export const attentions: BatchingRule = (call) =>
  merged(
    call,
    call.inputs.map(
      (input, i) => input && (ofScores.includes(i) ? scoresOperand(call, i, input) : call.spread(i)),
    ),
  );

/** A bias or mask is repeated only along the examples and their batches, and stays as it is if all of these share it. */
function scoresOperand(call: MappedCall, i: number, input: Tensor): Tensor {
  const [batch = 1] = call.shape(0);
  const [own = 1, ...rest] = [...new Array<number>(4 - input.rank).fill(1), ...input.shape];
  if (!call.isMapped(i) && own === 1) return input;
  return broadcastTo(call.raised(i, 4) as Tensor, { shape: [call.size, batch, ...rest] });
}
