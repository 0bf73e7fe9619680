/**
 * @file Attention by matrix products, with the scores in memory: used on software adapters and for large heads. Also the
 * gradient composed of ops, which can be differentiated again.
 */
import type { Shape } from '../../core/shape.ts';
import type { AttentionInput } from '../../kernels/attention/attention.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { greater, lessEqual } from '../elementwise/comparison.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { matMul } from '../products/matMul.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';
import { softmax } from '../activations/softmax.ts';
import { sum, sumToShape } from '../reductions/sum.ts';
import { transpose } from '../arrangement/transpose.ts';
import { where } from '../elementwise/where.ts';

/** The score of a hidden key: finite, so that a query that sees no key has equal weights for all. */
export const hidden = -2.3819763e38;

/** [batch, length, heads, size] as [batch, key heads, heads per key head, length, size]. */
function byHeads(x: Tensor, keyHeads: number): Tensor {
  const [batch, length, heads, size] = x.shape as [number, number, number, number];
  const headsFirst = transpose(x, { perm: [0, 2, 1, 3] });
  const sharing = keyHeads === 0 ? 0 : heads / keyHeads;
  return reshape(headsFirst, { shape: [batch, keyHeads, sharing, length, size] });
}

/** The inverse of `byHeads`. */
function byLength(x: Tensor): Tensor {
  const [batch, keyHeads, sharing, length, size] = x.shape as [number, number, number, number, number];
  const headsFirst = reshape(x, { shape: [batch, keyHeads * sharing, length, size] });
  return transpose(headsFirst, { perm: [0, 2, 1, 3] });
}

/** Reshapes a tensor that broadcasts to [batch, heads, queries, keys] for scores grouped by key head. */
function overScores(x: Tensor, { sizes: { heads, keyHeads } }: AttentionInput): Tensor {
  const [batch, ownHeads, queries, keys] = [...new Array<number>(4 - x.rank).fill(1), ...x.shape];
  const split = ownHeads === 1 ? [1, 1] : [keyHeads, heads / keyHeads];
  return reshape(x, { shape: [batch, ...split, queries, keys] as Shape });
}

/** Returns whether each query sees each key; null if all do. */
function visibility(input: AttentionInput): Tensor | null {
  const { mask, isCausal, sizes } = input;
  const given = mask && overScores(mask, input);
  if (!isCausal) return given;
  const counted = (n: number, shape: Shape) => reshape(range(0, n, 1, { dtype: 'int32' }), { shape });
  const earlier = lessEqual(counted(sizes.keys, [1, sizes.keys]), counted(sizes.queries, [sizes.queries, 1]));
  return given ? logicalAnd(given, earlier) : earlier;
}

/** Returns the softmax of the scores, with its intermediate values. */
function weigh(input: AttentionInput, visible: Tensor | null) {
  const { keyHeads } = input.sizes;
  const queries = byHeads(input.query, keyHeads);
  const keys = byHeads(input.key, keyHeads);
  const scaled = input.scale === 1 ? queries : mul(queries, input.scale);
  const products = matMul(scaled, keys, { transposeB: true });
  const biased = input.bias ? add(products, overScores(input.bias, input)) : products;
  const weights = softmax(visible ? where(visible, biased, hidden) : biased);
  return { queries, keys, values: byHeads(input.value, keyHeads), weights };
}

/** Attention composed of ops, each recorded by tapes. */
export function composedAttention(input: AttentionInput): Tensor {
  const { weights, values } = weigh(input, visibility(input));
  return byLength(matMul(weights, values));
}

/** The gradients of query, key, value and bias; the last is null without a bias. */
export function composedGradient(
  input: AttentionInput,
  cotangent: Tensor,
): [query: Tensor, key: Tensor, value: Tensor, bias: Tensor | null] {
  const { bias, scale, sizes } = input;
  // A bias may hide keys, too.
  const mask = input.mask ?? (bias && greater(bias, 0.5 * hidden));
  const visible = visibility({ ...input, mask });
  const { queries, keys, values, weights } = weigh(input, visible);
  const dOut = byHeads(cotangent, sizes.keyHeads);
  const dWeights = matMul(dOut, values, { transposeB: true });
  const along = sum(mul(dWeights, weights), { axis: -1, keepDims: true });
  const dSoftmax = mul(weights, sub(dWeights, along));
  const dScores = visible ? where(visible, dSoftmax, 0) : dSoftmax;
  const dProducts = mul(dScores, scale);
  const ofKeys = (x: Tensor) => byLength(sum(x, { axis: 2, keepDims: true }));
  return [
    byLength(matMul(dProducts, keys)),
    ofKeys(matMul(dProducts, queries, { transposeA: true })),
    ofKeys(matMul(weights, dOut, { transposeA: true })),
    bias && reshape(sumToShape(dScores, overScores(bias, input).shape), { shape: bias.shape }),
  ];
}
