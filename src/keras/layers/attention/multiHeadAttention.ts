/** @file MultiHeadAttention: several attentions in parallel, each with its own projections. */
import type { OptionNames } from '../../../core/options.ts';
import { requireInteger } from '../../../core/shape.ts';
import { HeadsAttention, type HeadsOptions, headsOptionNames } from './headsAttention.ts';
import { factoryOf } from '../../options/factory.ts';

/** Options of `multiHeadAttention`. */
export interface MultiHeadAttentionOptions extends HeadsOptions {
  /** Number of heads, each with its own projections. */
  numHeads: number;
  /** Size of each head's queries and keys. */
  keyDim: number;
  /** Size of each head's values. Default: `keyDim`. */
  valueDim?: number | null;
  /** Sizes of the output's last axes. Default: the size of the query's last axis. */
  outputShape?: number | readonly number[] | null;
  /** Axes that are attended over. Default: all between the batch and the features. */
  attentionAxes?: number | readonly number[] | null;
}

/** The class of layers created by `multiHeadAttention`, which documents shapes, weights and errors. */
export class MultiHeadAttention extends HeadsAttention {
  static override readonly className: string = 'MultiHeadAttention';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      numHeads: true,
      keyDim: true,
      valueDim: true,
      outputShape: false,
      attentionAxes: false,
      ...headsOptionNames,
    } satisfies OptionNames<MultiHeadAttentionOptions>);
  }

  readonly numHeads: number;
  readonly keyDim: number;
  readonly valueDim: number;

  constructor(options: MultiHeadAttentionOptions) {
    const { numHeads, keyDim, outputShape, attentionAxes } = options;
    const valueDim = options.valueDim ?? keyDim;
    super(options, { numHeads, keyValueHeads: numHeads, keyDim, valueDim, outputShape, attentionAxes });
    for (const [what, value] of Object.entries({ numHeads, keyDim, valueDim }))
      requireInteger(this.name, what, value, 1);
    this.numHeads = numHeads;
    this.keyDim = keyDim;
    this.valueDim = valueDim;
  }

  override getConfig(): Record<string, unknown> {
    const { numHeads, keyDim, valueDim } = this;
    return { ...super.getConfig(), numHeads, keyDim, valueDim, ...this.axesConfig, ...this.headsConfig };
  }
}

/**
 * Attention of several heads: softmax(query · keyᵀ / √keyDim) · value of projections of the inputs, projected again.
 * Called on [query, value] or [query, value, key], or on the query with `value` and `key` among the options. Shapes: query
 * [batch, queries, …], value and key [batch, values, …] → [batch, queries, features of the query]; with
 * `returnAttentionScores` [output, scores], scores [batch, heads, queries, values].
 *
 * A query attends to a value where all masks are true: those of the inputs, `queryMask`, `valueMask`, `keyMask`,
 * `attentionMask`, `useCausalMask`. A fully masked query attends to all values equally. The output has the query's mask.
 * Weights, kernel and bias each, under query, key, value [features, heads, size] and attention_output [heads, size, features].
 * Source: Vaswani et al., Attention is all you need, 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs and masks that don't fit.
 */
export const multiHeadAttention = /* @__PURE__ */ factoryOf(MultiHeadAttention, [
  'numHeads',
  'keyDim',
  'valueDim',
  'dropout',
]);
