/**
 * @file The table of a lookup layer: which token has which index. Behaviour and order follow Keras's IndexLookup: a mask token,
 * then indices of unknown tokens, then the vocabulary.
 */
import { ValueError } from '../../../../core/errors.ts';
import { describe } from '../../../../core/shape.ts';
import { bucketOf, bytesOf, type Salt } from '../hashes/buckets.ts';

export type Token = string | number;

export interface TableOptions<T extends Token> {
  readonly op: string;
  readonly maxTokens: number | null;
  readonly numOovIndices: number;
  readonly maskToken: T | null;
  readonly oovToken: T;
  /** Whether the mask token has a separate index: with outputMode 'int'. */
  readonly masks: boolean;
  /** The distribution of unknown integers over several indices: by their remainder, or by the hash of their digits. */
  readonly oovMethod: 'floormod' | 'farmhash';
  readonly salt: Salt | null;
}

/** The index of tokens that have none: of the mask token where it isn't counted. */
export const noIndex = -1;

export class TokenTable<T extends Token> {
  #tokens: readonly T[] | null = null;
  #indices = new Map<Token, number>();

  constructor(readonly options: TableOptions<T>) {}

  /** The vocabulary without special tokens; null before it is set. */
  get tokens(): readonly T[] | null {
    return this.#tokens;
  }

  /** The first index of unknown tokens. */
  get oovStart(): number {
    const { masks, maskToken } = this.options;
    return masks && maskToken !== null ? 1 : 0;
  }

  /** The index of the first token of the vocabulary. */
  get start(): number {
    return this.oovStart + this.options.numOovIndices;
  }

  /** Indices in all, special tokens included. */
  get size(): number {
    return this.start + (this.#tokens?.length ?? 0);
  }

  /** The tokens in the order of their indices, with special tokens first. */
  get all(): T[] {
    const { maskToken, oovToken, numOovIndices } = this.options;
    const masks = this.oovStart === 1 ? [maskToken as T] : [];
    return [...masks, ...new Array<T>(numOovIndices).fill(oovToken), ...(this.#tokens ?? [])];
  }

  /**
   * Sets the vocabulary, with or without the special tokens at its start. True if it had them.
   * Errors: ValueError for no tokens, for repeated and misplaced ones, and for more than `maxTokens`.
   */
  set(vocabulary: readonly T[]): boolean {
    const { op, maxTokens, maskToken } = this.options;
    const hasSpecial = this.#startsSpecial(vocabulary);
    const tokens = hasSpecial ? vocabulary.slice(this.start) : [...vocabulary];
    if (vocabulary.length === 0) throw unfit(op, 'a vocabulary has a token or more.', 'none');
    if (new Set(tokens).size < tokens.length) {
      const repeated = tokens.find((token, i) => tokens.indexOf(token) !== i);
      throw unfit(op, 'each token is in the vocabulary once.', `${describe(repeated)} twice`);
    }
    if (maskToken !== null && tokens.includes(maskToken))
      throw unfit(op, 'the mask token is at the start of a vocabulary, or not in it.', describe(maskToken));
    if (maxTokens !== null && this.start + tokens.length > maxTokens) {
      const received = `${this.start + tokens.length} tokens, the special ones included`;
      throw unfit(op, `a vocabulary has at most \`maxTokens\`, ${maxTokens}, tokens.`, received);
    }
    this.#tokens = tokens;
    this.#indices = new Map(tokens.map((token, i) => [token, this.start + i]));
    return hasSpecial;
  }

  #startsSpecial(vocabulary: readonly T[]): boolean {
    const { start, oovStart } = this;
    const { maskToken, oovToken } = this.options;
    if (start === 0 || vocabulary.length < start) return false;
    return vocabulary.slice(0, start).every((token, i) => token === (i < oovStart ? maskToken : oovToken));
  }

  /** Returns the index of a token. Errors: ValueError for an unknown token if `numOovIndices` is 0. */
  indexOf(token: T): number {
    const { op, numOovIndices, maskToken, masks, oovMethod, salt } = this.options;
    if (maskToken !== null && token === maskToken) return masks ? 0 : noIndex;
    const index = this.#indices.get(token);
    if (index !== undefined) return index;
    if (numOovIndices === 0)
      throw unfit(op, 'with numOovIndices: 0 all tokens are in the vocabulary.', describe(token));
    if (numOovIndices === 1) return this.oovStart;
    const isRemainder = typeof token === 'number' && oovMethod === 'floormod';
    const bucket = isRemainder
      ? ((token % numOovIndices) + numOovIndices) % numOovIndices
      : bucketOf(token, numOovIndices, salt);
    return this.oovStart + bucket;
  }

  /** Returns the token at an index; `oovToken` outside the vocabulary. */
  tokenAt(index: number): T | null {
    const { maskToken, oovToken } = this.options;
    if (index === 0 && this.oovStart === 1) return maskToken;
    return this.#tokens?.[index - this.start] ?? oovToken;
  }

  /** Returns the most frequent tokens of documents; ties in descending order. */
  mostFrequent(counts: ReadonlyMap<T, number>): T[] {
    const { maxTokens, maskToken, oovToken } = this.options;
    const tokens = [...counts.keys()].filter((token) => token !== maskToken && token !== oovToken);
    const count = (token: T) => counts.get(token) as number;
    tokens.sort((a, b) => count(b) - count(a) || compared(b, a));
    return maxTokens === null ? tokens : tokens.slice(0, Math.max(0, maxTokens - this.start));
  }
}

/** Compares numbers by value and strings by their bytes. */
function compared(a: Token, b: Token): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [bytesOf(a), bytesOf(b)];
  const at = x.findIndex((byte, i) => byte !== y[i]);
  return at < 0 ? x.length - y.length : (x[at] as number) - (y[at] ?? -1);
}

function unfit(op: string, rule: string, received: string): ValueError {
  return new ValueError({
    op,
    rule,
    received,
    hint: 'correct the vocabulary, or let adapt learn it from data.',
  });
}
