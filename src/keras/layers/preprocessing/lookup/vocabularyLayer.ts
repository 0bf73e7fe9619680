/** @file The base of layers that look up strings in a vocabulary. */
import { HostLayer } from './hostLayer.ts';
import { isString } from './hostValues.ts';
import type { Lookup } from './lookup.ts';

export abstract class VocabularyLayer extends HostLayer {
  protected abstract readonly lookup: Lookup<string>;

  /** Returns the tokens in the order of their indices; without the special ones if `includeSpecialTokens` is false. */
  getVocabulary(includeSpecialTokens = true): readonly string[] {
    const { table } = this.lookup;
    return includeSpecialTokens ? table.all : (table.tokens ?? []);
  }

  /**
   * Whether the options had no vocabulary.
   * @internal
   */
  get learnsVocabulary(): boolean {
    return this.lookup.learns;
  }

  /** Returns the number of indices, including special tokens. */
  vocabularySize(): number {
    return this.lookup.table.size;
  }

  /** Sets the vocabulary. Errors: ValueError for repeated tokens, too many, and weights that don't fit. */
  setVocabulary(vocabulary: readonly string[], idfWeights: readonly number[] | null = null): void {
    this.lookup.set(vocabulary, idfWeights, isString);
  }
}
