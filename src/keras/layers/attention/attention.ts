/** @file Attention and AdditiveAttention: queries that look up values by keys. */
import { computeDTypeOf } from '../base/dtypePolicy.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireBoolean } from '../../../core/shape.ts';
import { add, mul } from '../../../ops/elementwise/arithmetic.ts';
import { dotProductAttention } from '../../../ops/attention/dotProductAttention.ts';
import { expandDims, squeeze } from '../../../ops/arrangement/expandDims.ts';
import { matMul } from '../../../ops/products/matMul.ts';
import { sum } from '../../../ops/reductions/sum.ts';
import { tanh } from '../../../ops/elementwise/hyperbolic.ts';
import { where } from '../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { trace } from '../../graph/tracing.ts';
import { leavesOf, type Nest } from '../../tensorNest.ts';
import { Dropout } from '../regularization/dropout.ts';
import { fraction, seeded } from '../base/randomOptions.ts';
import { allOf, asMask, causalMask, maskedSoftmax, ofQueries, ofValues } from './attentionMasks.ts';
import {
  type CallOptions,
  factoryOf,
  flag,
  type InputSpec,
  Layer,
  layer,
  type LayerOptions,
  oneOf,
} from '../base/declare.ts';

export interface AdditiveAttentionOptions extends LayerOptions {
  /** Whether scores are scaled by a weight. Default true for additiveAttention, false for attention. */
  useScale?: boolean;
  /** Fraction of the scores that is cleared in training. Default 0. */
  dropout?: number;
  /** Makes the dropout reproducible. Default: a new draw each time. */
  seed?: number | null;
}

const scoreModes = ['dot', 'concat'] as const;

/** Options of `attention`. */
export interface AttentionLayerOptions extends AdditiveAttentionOptions {
  /** Scores by the product of query and key, or by the tanh of their sum. Default 'dot'. */
  scoreMode?: (typeof scoreModes)[number];
}

interface AttentionCall extends CallOptions {
  useCausalMask?: boolean;
  returnAttentionScores?: boolean;
}

abstract class Lookup extends Layer<readonly Tensor[], Nest<Tensor>> {
  static override readonly callOptionNames: readonly string[] = [
    'training',
    'mask',
    'useCausalMask',
    'returnAttentionScores',
  ];

  override readonly supportsMasking: boolean = true;
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }, { rank: 3 }, { rank: 3 }];
  declare readonly useScale: boolean;
  declare readonly dropout: number;
  declare readonly seed: number | null;
  scale: Variable | null = null;
  dropoutLayer: Dropout | null = null;

  /** [batch, queries, values]. */
  protected abstract scoresOf(query: Tensor, key: Tensor): Tensor;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override call(inputs: readonly Tensor[], options: AttentionCall): Nest<Tensor> {
    const [query, value, key = value] = inputs as [Tensor, Tensor, Tensor?];
    const { mask = null, training, useCausalMask = false, returnAttentionScores = false } = options;
    requireBoolean(this.name, 'useCausalMask', useCausalMask);
    requireBoolean(this.name, 'returnAttentionScores', returnAttentionScores);
    const [queryMask = null, valueMask = null] = this.#masks(mask);
    const output = (found: Tensor) =>
      queryMask ? where(ofQueries(asMask(queryMask)) as Tensor, found, 0) : found;
    const drops = training === true && this.dropout > 0;
    const fused =
      returnAttentionScores || drops
        ? null
        : this.fused([query, key as Tensor, value], ofValues(valueMask), useCausalMask);
    if (fused) return output(fused);
    const scores = this.scoresOf(query, key as Tensor);
    const [, queries, values] = scores.shape as [number, number, number];
    const seen = allOf([ofValues(valueMask), useCausalMask ? causalMask(queries, values) : null]);
    const weights = (this.dropoutLayer as Dropout).apply(maskedSoftmax(scores, seen), { training });
    const found = output(matMul(weights, value));
    return returnAttentionScores ? [found, weights] : found;
  }

  /** The output by a fused op, which computes no scores; null if there is none. `mask` is [batch, 1, values]. */
  protected fused(
    _inputs: readonly [query: Tensor, key: Tensor, value: Tensor],
    _mask: Tensor | null,
    _isCausal: boolean,
  ): Tensor | null {
    return null;
  }

  override build(inputShape: readonly OpenShape[]): void {
    this.#requireInputs(inputShape);
    this.dropoutLayer = new Dropout({ rate: this.dropout, seed: this.seed });
  }

  override computeMask(_inputs: unknown, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    return [this.#masks(mask)[0] ?? null, null];
  }

  override computeOutputShape(inputShape: readonly OpenShape[]): never {
    this.#requireInputs(inputShape);
    const [query, value] = inputShape as [OpenShape, OpenShape];
    return [...query.slice(0, -1), value.at(-1)] as never;
  }

  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: AttentionCall): Nest<KerasTensor> {
    const shapes = leavesOf(inputs).map(({ shape }) => shape);
    const dtype = computeDTypeOf(this);
    const stand = (shape: OpenShape) => trace(() => new KerasTensor({ shape, dtype }));
    const output = stand(this.computeOutputShape(shapes));
    const [query, value] = shapes as [OpenShape, OpenShape];
    if (!options.returnAttentionScores) return output;
    return [output, stand([...query.slice(0, -1), value[1] ?? null])];
  }

  #masks(mask: Nest<Tensor | null>): readonly (Tensor | null)[] {
    return leavesOf(mask);
  }

  #requireInputs(inputShape: readonly OpenShape[]): void {
    const isList = inputShape.every((shape) => Array.isArray(shape));
    const [query, value, key = value] = inputShape as [OpenShape, OpenShape?, OpenShape?];
    if (isList && (inputShape.length === 2 || inputShape.length === 3)) {
      const agree = (a: number | null | undefined, b: number | null | undefined) =>
        a === b || a === null || b === null;
      if (agree(query.at(-1), key?.at(-1)) && agree(value?.[1], key?.[1])) return;
      throw new ShapeError({
        op: this.name,
        rule: 'query and key have as many features, value and key as many steps.',
        received: inputShape.map((shape) => describe(shape)).join(', '),
        hint: 'project them first: layers.dense({ units }).',
      });
    }
    throw new ValueError({
      op: this.name,
      rule: 'it is called on [query, value] or [query, value, key].',
      received: describe(inputShape),
      hint: 'pass a list of tensors.',
    });
  }
}

export class Attention extends /* @__PURE__ */ layer<AttentionLayerOptions, Lookup>(
  'Attention',
  () => ({
    useScale: flag(false),
    scoreMode: oneOf(scoreModes, 'dot'),
    dropout: fraction(0),
    seed: seeded(),
  }),
  Lookup,
) {
  concatScoreWeight: Variable | null = null;

  override build(inputShape: readonly OpenShape[]): void {
    super.build(inputShape);
    if (this.useScale) this.scale = this.addWeight('scale', { shape: [], initializer: 'ones' });
    if (this.scoreMode === 'concat') {
      this.concatScoreWeight = this.addWeight('concat_score_weight', { shape: [], initializer: 'ones' });
    }
  }

  protected override fused(
    [query, key, value]: readonly [query: Tensor, key: Tensor, value: Tensor],
    mask: Tensor | null,
    isCausal: boolean,
  ): Tensor | null {
    if (this.scoreMode !== 'dot') return null;
    const oneHead = (x: Tensor) => expandDims(x, { axis: 2 });
    const scaled = this.scale ? mul(query, this.scale) : query;
    const shown = mask && expandDims(mask, { axis: 1 });
    const options = { scale: 1, isCausal };
    return squeeze(dotProductAttention(oneHead(scaled), oneHead(key), oneHead(value), null, shown, options), {
      axis: 2,
    });
  }

  protected override scoresOf(query: Tensor, key: Tensor): Tensor {
    const { scale, scoreMode, concatScoreWeight } = this;
    const scaled = (x: Tensor) => (scale ? mul(x, scale) : x);
    if (scoreMode === 'dot') return scaled(matMul(query, key, { transposeB: true }));
    return mul(sum(tanh(scaled(pairwiseSums(query, key))), { axis: -1 }), concatScoreWeight as Variable);
  }
}

export class AdditiveAttention extends /* @__PURE__ */ layer<AdditiveAttentionOptions, Lookup>(
  'AdditiveAttention',
  () => ({ useScale: flag(true), dropout: fraction(0), seed: seeded() }),
  Lookup,
) {
  override build(inputShape: readonly OpenShape[]): void {
    super.build(inputShape);
    if (!this.useScale) return;
    const features = inputShape[0]?.at(-1) ?? null;
    if (features === null) {
      throw new ShapeError({
        op: this.name,
        rule: 'the number of features is known: the scale has one value for each.',
        received: describe(inputShape),
        hint: 'give it, as in input({ shape: [null, 8] }).',
      });
    }
    this.scale = this.addWeight('scale', { shape: [features], initializer: 'glorotUniform' });
  }

  protected override scoresOf(query: Tensor, key: Tensor): Tensor {
    const bent = tanh(pairwiseSums(query, key));
    return sum(this.scale ? mul(bent, this.scale) : bent, { axis: -1 });
  }
}

/** [batch, queries, values, features]: each query plus each key. */
function pairwiseSums(query: Tensor, key: Tensor): Tensor {
  return add(expandDims(query, { axis: -2 }), expandDims(key, { axis: -3 }));
}

/**
 * Attention by products: softmax(query · keyᵀ) · value. Called on [query, value] or [query, value, key]. Shapes: [batch,
 * queries, features], [batch, values, size] → [batch, queries, size]; with `returnAttentionScores` [output, scores]. Masks
 * are those that the inputs carry, or `mask: [queryMask, valueMask]`, and `useCausalMask`. Outputs of masked queries are
 * zeros. Weights: scale [] with `useScale`, concat_score_weight [] with scoreMode 'concat'.
 * Source: Luong et al., Effective approaches to attention-based neural machine translation, 2015.
 * Errors: ValueError for invalid options and inputs that aren't a list; ShapeError for inputs that don't fit.
 */
export const attention = /* @__PURE__ */ factoryOf(Attention);

/**
 * Attention by sums: the scores are Σ scale · tanh(query + key). Called and masked like `attention`. Weight: scale
 * [features], unless `useScale` is false.
 * Source: Bahdanau et al., Neural machine translation by jointly learning to align and translate, ICLR 2015.
 * Errors: ValueError for invalid options and inputs that aren't a list; ShapeError for inputs that don't fit.
 */
export const additiveAttention = /* @__PURE__ */ factoryOf(AdditiveAttention);
