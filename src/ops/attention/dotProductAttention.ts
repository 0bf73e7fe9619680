/** @file dotProductAttention and its gradient */
import {
  attentionGradientKernel,
  attentionKernel,
  selectAttention,
  statsSpec,
} from '../../kernels/attention/attention.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  attentionCost,
  type AttentionPlan,
  name,
  planAttention,
  type ScoreOptions,
} from './attentionPlan.ts';
import { defineOp, type Op } from '../define/define.ts';
import { type OptionNames, optionsOf } from '../../core/options.ts';
import { profileOf } from '../../kernels/selection/deviceProfile.ts';
import { tidy } from '../../tensor/scope.ts';
import { composedAttention, composedGradient, hidden } from './attentionScores.ts';
import type { DefaultSave, OpDefinition } from '../define/definition.ts';
import { areReady, type TensorLike } from '../define/operands.ts';
import { activeRecorders, type SymbolicTensor } from '../define/recorders.ts';
import { isFloat16 } from '../define/float16.ts';
import { cast } from '../elementwise/cast.ts';
import { where } from '../elementwise/where.ts';

interface GradientOptions extends ScoreOptions {
  /** Whether the gradients of key and value are computed, too. */
  needsKeys: boolean;
}

type GradientInputs = [
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
const attentionGradient: Op<GradientInputs, GradientOptions, readonly Tensor[]> = /* @__PURE__ */ defineOp({
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

type Operand = TensorLike | SymbolicTensor | null;

/** Options of `dotProductAttention`. Bias and mask may also be passed by position. */
export interface DotProductAttentionOptions extends ScoreOptions {
  /**
   * Added to the scores before the softmax. It broadcasts to [batch, heads, queries, keys]. Default: none.
   */
  bias?: Operand;
  /**
   * Which keys a query sees: bool, true if it does. It broadcasts to [batch, heads, queries, keys].
   * Default: all.
   */
  mask?: Operand;
}

type Inputs = [query: Tensor, key: Tensor, value: Tensor, bias: Tensor | null, mask: Tensor | null];

const described = { name, inputs: ['query', 'key', 'value', 'bias?', 'mask:bool?'] } as const;

/** [out, stats]; at most one of bias and mask is given. The statistics are internal and have no gradient. */
const fused: Op<Inputs, ScoreOptions, [out: Tensor, stats: Tensor]> = /* @__PURE__ */ defineOp({
  ...described,
  takesNull: true,
  save: { inputs: [0, 1, 2, 3, 4], outputs: [0, 1] },
  infer: (specs, options) => {
    const plan = planAttention(specs, options);
    return [plan, statsSpec(plan.sizes)] as const;
  },
  forward: ([query, key, value, bias, mask], [plan]) =>
    attentionKernel(name, { query, key, value, bias, mask, ...plan }, plan),
  backward: ([cotangent], { inputs, outputs: [out, stats], needs, plan: [plan] }) => {
    if (!cotangent) return [null, null, null, null, null];
    const [query, key, value, bias, mask] = inputs;
    const input = { query, key, value, bias, mask, ...plan };
    // The gradient of a bias is as large as the scores anyway; and a recorded gradient must be composed of ops.
    if (needs[3] || activeRecorders().length > 0) return [...composedGradient(input, cotangent), null];
    const { scale, isCausal } = plan;
    const options = { scale, isCausal, needsKeys: needs[1] || needs[2] };
    const [dQuery, dKey = null, dValue = null] = attentionGradient(...inputs, out, stats, cotangent, options);
    // There is one for each, or only that of the query.
    return [dQuery as Tensor, dKey, dValue, null, null];
  },
  cost: (_, __, [plan]) => attentionCost(plan),
});

/** Returns whether a call on tensors uses GEMMs. */
function isComposed(inputs: Inputs, plan: AttentionPlan): boolean {
  return selectAttention(plan.sizes, profileOf(inputs[0].device)) === 'gemm';
}

function attend(query: Operand, key: Operand, value: Operand, ...rest: unknown[]): unknown {
  const { bias, mask, options } = argumentsOf(rest);
  const operands = [query, key, value, bias, mask];
  // What a tape keeps of the fused op is float16, if operands are.
  if (areTensors(operands) && !operands.some(isFloat16)) {
    const plan = planAttention(operands, options);
    if (isComposed(operands, plan)) {
      const [q, k, v, b, m] = operands;
      return composedAttention({ query: q, key: k, value: v, bias: b, mask: m, ...plan });
    }
  }
  // Merge bias and mask: hidden keys get a score far below all others. Ops take operands that aren't tensors yet, too.
  const isBoth = bias !== null && mask !== null;
  const shown = isBoth ? where(mask as Tensor, widened(bias as Tensor), hidden) : bias;
  const inputs = [query, key, value, shown, isBoth ? null : mask] as Inputs;
  return fused(...inputs, options)[0];
}

/** `hidden` is beyond float16: a query that sees no key would attend to none, not to all. */
const widened = (bias: Tensor) => (isFloat16(bias) ? cast(bias, 'float32') : bias);

function areTensors(operands: readonly unknown[]): operands is Inputs {
  return areReady(operands.filter((operand) => operand !== null));
}

const optionNames: OptionNames<DotProductAttentionOptions> = {
  bias: true,
  mask: true,
  scale: true,
  isCausal: true,
};

/** Bias and mask by position or by name. Errors: ValueError for unknown options. */
function argumentsOf(rest: readonly unknown[]): { bias: Operand; mask: Operand; options: ScoreOptions } {
  const given: DotProductAttentionOptions = optionsOf(name, rest, optionNames, ['query', 'key', 'value']);
  const { bias = null, mask = null, ...options } = given;
  return { bias, mask, options };
}

/** The op with a single result, for code that runs definitions: in an app's encoder there are no gradients. */
const definition: OpDefinition<
  Inputs,
  DotProductAttentionOptions,
  Tensor,
  AttentionPlan,
  DefaultSave,
  false
> = {
  ...described,
  infer: planAttention,
  forward: ([query, key, value, bias, mask], plan) =>
    attentionKernel(name, { query, key, value, bias, mask, ...plan }, plan)[0],
  backward: ([cotangent], { inputs, plan }) => {
    const [query, key, value, bias, mask] = inputs;
    return [...composedGradient({ query, key, value, bias, mask, ...plan }, cotangent), null];
  },
  cost: (_, __, plan) => attentionCost(plan),
};

export interface DotProductAttention extends Op<Inputs, DotProductAttentionOptions> {
  (query: TensorLike, key: TensorLike, value: TensorLike, options?: DotProductAttentionOptions): Tensor;
  (
    query: TensorLike | SymbolicTensor,
    key: TensorLike | SymbolicTensor,
    value: TensorLike | SymbolicTensor,
    options?: DotProductAttentionOptions,
  ): SymbolicTensor;
}

/**
 * softmax(scale · query · keyᵀ + bias) · value for each head, as in Keras and JAX. Shapes: query [batch, queries, heads, size],
 * key [batch, keys, key heads, size], value [batch, keys, key heads, value size] → [batch, queries, heads, value size].
 * The number of key heads divides that of query heads (grouped queries). `bias`, float32, and `mask`, bool, broadcast to
 * [batch, heads, queries, keys] and are passed by position or as options. A key is hidden if its mask is false or, with
 * `isCausal`, if it comes later than the query. A query that sees no key attends to all equally. float32.
 *
 * On GPUs, scores aren't stored for heads of up to 256 (Dao, FlashAttention-2, 2023); software adapters store up to 64 MiB
 * of them. The gradient of a bias stores them, too.
 * Errors: ShapeError, DTypeError for inputs that don't fit; ValueError for options.
 */
export const dotProductAttention: DotProductAttention = /* @__PURE__ */ Object.assign(
  (...operands: Parameters<typeof attend>) => tidy(() => attend(...operands)),
  { definition },
) as unknown as DotProductAttention;
