/** @file GroupQueryAttention: attention in which groups of query heads share key and value heads. */
import { ValueError } from '../../../core/errors.ts';
import { HeadsAttention, type HeadSizes, type HeadsOptions, headsTable } from './headsAttention.ts';
import { factoryOf, type InputSpec, integer, layer } from '../base/declare.ts';

export interface GroupQueryAttentionOptions extends HeadsOptions {
  /** Size of each head. */
  headDim: number;
  /** Number of query heads. */
  numQueryHeads: number;
  /** Number of key and value heads; divides `numQueryHeads`. */
  numKeyValueHeads: number;
}

export class GroupQueryAttention extends /* @__PURE__ */ layer<GroupQueryAttentionOptions, HeadsAttention>(
  'GroupQueryAttention',
  () => ({
    headDim: integer(),
    numQueryHeads: integer(),
    numKeyValueHeads: integer(),
    ...headsTable(),
  }),
  HeadsAttention,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }, { rank: 3 }, { rank: 3 }];

  constructor(options: GroupQueryAttentionOptions) {
    super(options);
    const { numQueryHeads, numKeyValueHeads } = this;
    if (numQueryHeads % numKeyValueHeads !== 0) {
      throw new ValueError({
        op: this.name,
        rule: '`numQueryHeads` must be divisible by `numKeyValueHeads`.',
        received: `numQueryHeads: ${numQueryHeads}, numKeyValueHeads: ${numKeyValueHeads}`,
        hint: 'give each head of keys as many of queries.',
      });
    }
  }

  protected override get sizes(): HeadSizes {
    const { numQueryHeads: numHeads, numKeyValueHeads: keyValueHeads, headDim } = this;
    return { numHeads, keyValueHeads, keyDim: headDim, valueDim: headDim };
  }
}

/**
 * Grouped-query attention: each group of query heads shares one key and value head. Called, masked and projected like
 * `multiHeadAttention`. Shapes: query [batch, queries, features], value and key [batch, values, features] → [batch, queries,
 * features of the query]; with `returnAttentionScores` [output, scores], scores [batch, numQueryHeads, queries, values].
 * Source: Ainslie et al., GQA: training generalized multi-query transformer models, 2023.
 * Errors: ValueError for invalid options; ShapeError for inputs and masks that don't fit.
 */
export const groupQueryAttention = /* @__PURE__ */ factoryOf(GroupQueryAttention);
