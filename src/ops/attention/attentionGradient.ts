/** @file The gradient of fused attention, as an op: inside vmap its operands are mapped, which no kernel can read. */
import { attentionGradientKernel } from '../../kernels/attention/attention.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { name, planAttention, type ScoreOptions } from './attentionPlan.ts';
import { defineOp, type Op } from '../define/define.ts';

interface GradientOptions extends ScoreOptions {
  /** Whether the gradients of key and value are computed, too. */
  needsKeys: boolean;
}

type Inputs = [
  query: Tensor,
  key: Tensor,
  value: Tensor,
  bias: Tensor | null,
  mask: Tensor | null,
  out: Tensor,
  stats: Tensor,
  cotangent: Tensor,
];

const specOf = ({ shape, dtype }: TensorSpec): TensorSpec => ({ shape, dtype });

/**
 * The gradients of query, key and value, or of the query alone. It has no gradient itself: where one may be asked for, the
 * gradient of attention is composed of ops (see attentionScores.ts).
 */
export const attentionGradient: Op<Inputs, GradientOptions, readonly Tensor[]> = /* @__PURE__ */ defineOp({
  name: `${name}Gradient`,
  inputs: ['query', 'key', 'value', 'bias?', 'mask:bool?', 'out', 'stats', 'cotangent'],
  infer: ([query, key, value], { needsKeys }) => (needsKeys ? [query, key, value] : [query]).map(specOf),
  forward: ([query, key, value, bias, mask, out, stats, cotangent], _, { options }) => {
    const { sizes, scale, isCausal } = planAttention([query, key, value, bias, mask], options);
    const input = { query, key, value, bias, mask, sizes, scale, isCausal };
    return attentionGradientKernel(name, input, { out, stats, cotangent }, options.needsKeys);
  },
  backward: null,
});
