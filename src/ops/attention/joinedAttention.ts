/**
 * @file joinedAttention: self-attention whose queries, keys and values are one tensor, as a projection makes them. Kernels read and write
 * their parts of it, so that nothing is split or joined.
 */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { requireRank } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import {
  joinedAttentionGradientKernel,
  joinedAttentionKernel,
  selectAttention,
  statsSpec,
} from '../../kernels/attention/attention.ts';
import { profileOf } from '../../kernels/selection/deviceProfile.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { attentionCost, type AttentionPlan, planAttention, type ScoreOptions } from './attentionPlan.ts';
import { composedGradient } from './attentionScores.ts';
import { concat } from '../arrangement/concat.ts';
import { split } from '../arrangement/split.ts';
import { defineOp, type Op } from '../define/define.ts';
import { dotProductAttention } from './dotProductAttention.ts';
import { areReady } from '../define/operands.ts';
import { activeRecorders } from '../define/recorders.ts';

const name = 'joinedAttention';

/** Options of `joinedAttention`. */
export interface JoinedAttentionOptions extends ScoreOptions {
  /** Heads of keys, and of values; the others are those of queries. */
  keyHeads: number;
}

type Inputs = [joined: Tensor, mask: Tensor | null];

interface Plan extends AttentionPlan {
  readonly keyHeads: number;
}

function planOf(
  [joined, mask]: readonly [TensorSpec, TensorSpec | null],
  options: JoinedAttentionOptions,
): Plan {
  const { keyHeads, ...scores } = options;
  requireRank(name, 'joined', joined.shape, 4);
  requireDType(name, 'joined', joined.dtype, ['float32']);
  const [batch, length, all, size] = joined.shape as [number, number, number, number];
  const heads = all - 2 * keyHeads;
  if (!Number.isInteger(keyHeads) || keyHeads < 1 || heads < 1) {
    throw new ShapeError({
      op: name,
      rule: '`joined` has the heads of queries, then `keyHeads` each of keys and of values.',
      received: `joined ${formatSpec(joined)}, keyHeads: ${keyHeads}`,
      hint: 'shapes are [batch, length, heads + 2 keyHeads, size].',
    });
  }
  const part = (count: number): TensorSpec => ({ shape: [batch, length, count, size], dtype: joined.dtype });
  return { ...planAttention([part(heads), part(keyHeads), part(keyHeads), null, mask], scores), keyHeads };
}

/** The gradient. It has none itself: where one may be asked for, it is composed of ops. */
const gradient: Op<[...Inputs, out: Tensor, stats: Tensor, cotangent: Tensor], JoinedAttentionOptions> =
  /* @__PURE__ */ defineOp({
    name: `${name}Gradient`,
    inputs: ['joined', 'mask:bool?', 'out', 'stats', 'cotangent'],
    infer: ([{ shape, dtype }]) => ({ shape, dtype }),
    forward: ([joined, mask, out, stats, cotangent], _, { options }) => {
      const { sizes, scale, isCausal } = planOf([joined, mask], options);
      const input = { joined, mask, bias: null, sizes, scale, isCausal };
      return joinedAttentionGradientKernel(name, input, { out, stats, cotangent });
    },
    backward: null,
  });

/** Queries, keys and values. */
function parts(joined: Tensor, keyHeads: number): [query: Tensor, key: Tensor, value: Tensor] {
  const heads = (joined.shape[2] as number) - 2 * keyHeads;
  return split(joined, { numOrSizeSplits: [heads, keyHeads, keyHeads], axis: 2 }) as [Tensor, Tensor, Tensor];
}

/** [out, stats]. The statistics are internal and have no gradient. */
const fused: Op<Inputs, JoinedAttentionOptions, [out: Tensor, stats: Tensor]> = /* @__PURE__ */ defineOp({
  name,
  inputs: ['joined', 'mask:bool?'],
  takesNull: true,
  save: { inputs: [0, 1], outputs: [0, 1] },
  infer: (specs, options) => {
    const plan = planOf(specs, options);
    return [plan, statsSpec(plan.sizes)] as const;
  },
  forward: ([joined, mask], [plan]) =>
    joinedAttentionKernel(name, { joined, mask, bias: null, ...plan }, plan),
  backward: ([cotangent], { inputs: [joined, mask], outputs: [out, stats], plan: [plan] }) => {
    const { keyHeads, scale, isCausal } = plan;
    if (!cotangent) return [null, null];
    if (activeRecorders().length === 0)
      return [gradient(joined, mask, out, stats, cotangent, { keyHeads, scale, isCausal }), null];
    const [query, key, value] = parts(joined, keyHeads);
    const [dQuery, dKey, dValue] = composedGradient(
      { query, key, value, mask, bias: null, ...plan },
      cotangent,
    );
    return [concat([dQuery, dKey, dValue], { axis: 2 }), null];
  },
  cost: (_, __, [plan]) => attentionCost(plan),
});

/**
 * `dotProductAttention` of the parts of one tensor: queries, keys and values [batch, length, heads + 2 keyHeads, size], and a bool mask that
 * broadcasts to [batch, heads, length, length] → [batch, length, heads, size]. Where attention is fused, one launch reads the parts
 * where they are, and the gradient is written in place, too. Errors: those of `dotProductAttention`; ShapeError for `keyHeads`.
 */
export function joinedAttention(
  joined: Tensor,
  mask: Tensor | null,
  options: JoinedAttentionOptions,
): Tensor {
  return tidy(() => {
    if (isFused(joined, mask, options)) return fused(joined, mask, options)[0];
    const { keyHeads, ...scores } = options;
    return dotProductAttention(...parts(joined, keyHeads), null, mask, scores);
  });
}

function isFused(joined: Tensor, mask: Tensor | null, options: JoinedAttentionOptions): boolean {
  if (!areReady(mask ? [joined, mask] : [joined])) return false;
  return selectAttention(planOf([joined, mask], options).sizes, profileOf(joined.device)) === 'fused';
}
