/** @file GroupQueryAttention: attention in which groups of query heads share key and value heads. */
import { ValueError } from '../../../core/errors.ts';
import type { OptionNames } from '../../../core/options.ts';
import { requireInteger } from '../../../core/shape.ts';
import { HeadsAttention, type HeadsOptions, headsOptionNames } from './headsAttention.ts';
import { factoryOf } from '../../options/factory.ts';

/** Options of `groupQueryAttention`. */
export interface GroupQueryAttentionOptions extends HeadsOptions {
  /** Size of each head. */
  headDim: number;
  /** Number of query heads. */
  numQueryHeads: number;
  /** Number of key and value heads; divides `numQueryHeads`. */
  numKeyValueHeads: number;
}

/** The class of layers created by `groupQueryAttention`, which documents shapes, weights and errors. */
export class GroupQueryAttention extends HeadsAttention {
  static override readonly className: string = 'GroupQueryAttention';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      headDim: true,
      numQueryHeads: true,
      numKeyValueHeads: true,
      ...headsOptionNames,
    } satisfies OptionNames<GroupQueryAttentionOptions>);
  }

  readonly headDim: number;
  readonly numQueryHeads: number;
  readonly numKeyValueHeads: number;

  constructor(options: GroupQueryAttentionOptions) {
    const { headDim, numQueryHeads, numKeyValueHeads } = options;
    super(options, {
      numHeads: numQueryHeads,
      keyValueHeads: numKeyValueHeads,
      keyDim: headDim,
      valueDim: headDim,
    });
    for (const [what, value] of Object.entries({ headDim, numQueryHeads, numKeyValueHeads }))
      requireInteger(this.name, what, value, 1);
    if (numQueryHeads % numKeyValueHeads !== 0) {
      throw new ValueError({
        op: this.name,
        rule: '`numQueryHeads` must be divisible by `numKeyValueHeads`.',
        received: `numQueryHeads: ${numQueryHeads}, numKeyValueHeads: ${numKeyValueHeads}`,
        hint: 'give each head of keys as many of queries.',
      });
    }
    this.headDim = headDim;
    this.numQueryHeads = numQueryHeads;
    this.numKeyValueHeads = numKeyValueHeads;
    this.inputSpec = [{ rank: 3 }, { rank: 3 }, { rank: 3 }];
  }

  override getConfig(): Record<string, unknown> {
    const { headDim, numQueryHeads, numKeyValueHeads } = this;
    return { ...super.getConfig(), headDim, numQueryHeads, numKeyValueHeads, ...this.headsConfig };
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
