/** @file MultiHeadAttention: several attentions in parallel, each with its own projections. */
import type { OpenShape } from '../../../core/shape.ts';
import { HeadsAttention, type HeadSizes, type HeadsOptions, headsTable, integers } from './headsAttention.ts';
import { factoryOf, integer, layer } from '../base/declare.ts';

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

export class MultiHeadAttention extends /* @__PURE__ */ layer<MultiHeadAttentionOptions, HeadsAttention>(
  'MultiHeadAttention',
  () => ({
    numHeads: integer(),
    keyDim: integer(),
    valueDim: { read: (given, place) => integer().read(given ?? place.values.keyDim, place) },
    outputShape: integers(1),
    attentionAxes: integers(Number.NEGATIVE_INFINITY),
    ...headsTable(),
  }),
  HeadsAttention,
) {
  protected override get sizes(): HeadSizes {
    const { numHeads, keyDim } = this;
    return {
      numHeads,
      keyValueHeads: numHeads,
      keyDim,
      valueDim: this.valueDim as number,
      outputShape: this.outputShape as readonly number[] | null,
      attentionAxes: this.attentionAxes as readonly number[] | null,
    };
  }

  /** A built layer knows the axes that it attends over. */
  override getConfig(): Record<string, unknown> {
    const rank = (this.buildShape as readonly OpenShape[] | null)?.[0]?.length;
    return { ...super.getConfig(), ...(rank === undefined ? {} : { attentionAxes: [...this.axesOf(rank)] }) };
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
