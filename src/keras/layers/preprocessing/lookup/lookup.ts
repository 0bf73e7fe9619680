/** @file Common code of lookup layers: their options, the vocabulary, and the encoding of indices. */
import { ValueError } from '../../../../core/errors.ts';
import { describe, oneOf, type OpenShape, requireBoolean, requireInteger } from '../../../../core/shape.ts';
import { mul } from '../../../../ops/elementwise/arithmetic.ts';
import { tensor } from '../../../../tensor/create.ts';
import { tidy } from '../../../../tensor/scope.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { own } from '../../../options/kinds.ts';
import { encodeCategories, encodedShape, type OutputMode } from '../categories.ts';
import { type Salt, saltOf } from '../hashes/buckets.ts';
import type { HostArray } from './hostValues.ts';
import { type Token, TokenTable } from './tokenTable.ts';

/** The weights of tokens with outputMode 'tfIdf': log(1 + documents / (1 + documents with the token)), for each token. */
function inverseFrequencies(found: readonly number[], documents: number): number[] {
  return found.map((count) => Math.log(1 + documents / (1 + count)));
}

/** Weights of all indices: `special` ones at the start have the mean of the others, and those up to `depth` have 0. */
function paddedWeights(weights: readonly number[], special: number, depth: number): number[] {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const known = [...new Array<number>(special).fill(mean), ...weights];
  return [...known, ...new Array<number>(Math.max(0, depth - known.length)).fill(0)];
}

/** 'tfIdf': counts times the inverse frequency of the token in documents. */
export type LookupMode = OutputMode | 'tfIdf';

const modes = ['int', 'oneHot', 'multiHot', 'count', 'tfIdf'] as const;

/** Options of lookup layers. `T` is the kind of their tokens. */
export interface LookupOptions<T extends Token> {
  /** The largest number of indices, special tokens included. Default null: as many as there are tokens. */
  maxTokens?: number | null;
  /** Number of indices over which unknown tokens are spread, by a hash or a remainder; with 0 they are errors. Default 1. */
  numOovIndices?: number;
  /** A token for padding, which has index 0; modes other than 'int' ignore it. Default null. */
  maskToken?: T | null;
  /** The replacement of unknown indices with `invert`. */
  oovToken?: T | null;
  /** The tokens, with or without the special ones at the start. Without it, call `adapt`. */
  vocabulary?: readonly T[] | null;
  /** The weight of each token, for a vocabulary with outputMode 'tfIdf'. */
  idfWeights?: readonly number[] | null;
  /** Whether indices become tokens. Default false. */
  invert?: boolean;
  /** 'int' gives indices; 'oneHot', 'multiHot', 'count' and 'tfIdf' give vectors with one entry per index. Default 'int'. */
  outputMode?: LookupMode;
  /** Must be false: there are no sparse tensors. */
  sparse?: false;
  /** Whether encodings have `maxTokens` entries, however many tokens there are. Default false. */
  padToMaxTokens?: boolean;
  /** The distribution of unknown integers over indices: by 'floormod', or by 'farmhash' of their digits. Default 'floormod'. */
  oovMethod?: 'floormod' | 'farmhash';
  /** A key, with which SipHash spreads unknown tokens. Default null: FarmHash. */
  salt?: number | Salt | null;
}

/** These options, which `Lookup` checks and writes. */
export const lookupTable = () => ({
  maxTokens: own,
  numOovIndices: own,
  maskToken: own,
  oovToken: own,
  vocabulary: own,
  idfWeights: own,
  invert: own,
  outputMode: own,
  sparse: own,
  padToMaxTokens: own,
  oovMethod: own,
  salt: own,
});

export class Lookup<T extends Token> {
  readonly table: TokenTable<T>;
  readonly invert: boolean;
  readonly outputMode: LookupMode;
  readonly padToMaxTokens: boolean;
  readonly salt: Salt | null;
  readonly #oovMethod: 'floormod' | 'farmhash';
  /** Indices in all, where a file said so: the vocabulary may follow the model. */
  readonly declaredSize: number | null;
  /** Whether the options had no vocabulary. */
  readonly learns: boolean;
  #weights: readonly number[] | null = null;
  #isLearned = true;

  /** Errors: ValueError for invalid options. */
  constructor(
    readonly op: string,
    options: LookupOptions<T> & { oovToken: T; vocabularySize?: number | null },
    holds: (value: unknown) => value is T,
  ) {
    const { maxTokens = null, numOovIndices = 1, maskToken = null, oovToken } = options;
    const { invert = false, outputMode = 'int', padToMaxTokens = false, oovMethod = 'floormod' } = options;
    if (maxTokens !== null) requireInteger(op, 'maxTokens', maxTokens, 2);
    requireInteger(op, 'numOovIndices', numOovIndices, 0);
    requireBoolean(op, 'invert', invert);
    requireBoolean(op, 'padToMaxTokens', padToMaxTokens);
    this.outputMode = oneOf(op, 'outputMode', outputMode, modes);
    this.#oovMethod = oneOf(op, 'oovMethod', oovMethod, ['floormod', 'farmhash']);
    this.salt = saltOf(op, options.salt);
    for (const [what, token] of Object.entries({ maskToken, oovToken }))
      if (token !== null && !holds(token))
        throw unfit(op, `\`${what}\` is a token.`, `${what}: ${describe(token)}`);
    if ((options.sparse ?? false) !== false)
      throw unfit(op, '`sparse` is false: there are no sparse tensors.', 'sparse: true');
    if (invert && this.outputMode !== 'int')
      throw unfit(op, "with `invert` the outputMode is 'int'.", `outputMode: '${this.outputMode}'`);
    if (padToMaxTokens && maxTokens === null)
      throw unfit(op, '`padToMaxTokens` goes with `maxTokens`.', 'padToMaxTokens: true without maxTokens');
    this.invert = invert;
    this.padToMaxTokens = padToMaxTokens;
    const masks = this.outputMode === 'int';
    const { salt } = this;
    this.table = new TokenTable({
      op,
      maxTokens,
      numOovIndices,
      maskToken,
      oovToken,
      masks,
      oovMethod,
      salt,
    });
    const { vocabulary = null, idfWeights = null, vocabularySize = null } = options;
    this.learns = vocabulary === null;
    if (vocabularySize !== null) requireInteger(op, 'vocabularySize', vocabularySize, 0);
    this.declaredSize = vocabularySize;
    if (vocabulary !== null) {
      this.set(vocabulary, idfWeights, holds);
      this.#isLearned = false;
    } else if (idfWeights !== null) throw unfit(op, '`idfWeights` go with a vocabulary.', 'idfWeights alone');
  }

  /** Whether the vocabulary came from elsewhere than the options. */
  get isLearned(): boolean {
    return this.#isLearned;
  }

  /** Errors: ValueError for anything but tokens, and for weights that don't fit. */
  set(vocabulary: unknown, idfWeights: unknown, holds: (value: unknown) => value is T): void {
    const { op, table } = this;
    if (!Array.isArray(vocabulary) || !vocabulary.every(holds))
      throw unfit(op, '`vocabulary` is a list of tokens.', `vocabulary: ${describe(vocabulary)}`);
    const isWeighed = this.outputMode === 'tfIdf';
    const fits = Array.isArray(idfWeights) && idfWeights.length === vocabulary.length;
    if (isWeighed ? !fits : idfWeights !== null) {
      const received = `idfWeights: ${describe(idfWeights)} with outputMode: '${this.outputMode}'`;
      throw unfit(op, "with outputMode 'tfIdf' each token of the vocabulary has a weight.", received);
    }
    const hasSpecial = table.set(vocabulary);
    this.#isLearned = true;
    this.#weights = isWeighed
      ? paddedWeights(idfWeights as number[], hasSpecial ? 0 : table.start, this.#depth)
      : null;
  }

  /** Learns the vocabulary from documents, the rows of `data`. */
  adapt({ shape, values }: HostArray<T>): void {
    if (values.length === 0)
      throw unfit(this.op, 'a vocabulary is learned from a token or more.', 'no tokens');
    const width = shape.length > 1 ? (shape.at(-1) as number) : 1;
    const documents = Array.from({ length: values.length / width }, (_, i) =>
      values.slice(i * width, (i + 1) * width),
    );
    this.adaptToDocuments(documents);
  }

  /** The same for documents of different lengths. */
  adaptToDocuments(documents: readonly (readonly T[])[]): void {
    const { table } = this;
    const counts = countsOf(documents.flat());
    const tokens = table.mostFrequent(counts);
    table.set(tokens);
    this.#isLearned = true;
    if (this.outputMode !== 'tfIdf') return;
    const found = countsOf(documents.flatMap((document) => [...new Set(document)]));
    const weights = inverseFrequencies(
      tokens.map((token) => found.get(token) as number),
      documents.length,
    );
    this.#weights = paddedWeights(weights, table.start, this.#depth);
  }

  /** Encodes tokens in the layer's mode. Errors: ValueError without a vocabulary. */
  encode({ shape, values }: HostArray<T>): Tensor {
    this.requireVocabulary();
    const { table, outputMode } = this;
    const indices = Int32Array.from(values, (token) => table.indexOf(token));
    if (outputMode === 'int') return tensor(indices, { shape, dtype: 'int32' });
    return tidy(() =>
      this.encodeIndices(tensor(indices, { shape: shape.length ? shape : [1], dtype: 'int32' })),
    );
  }

  /** What the counts of tokens are multiplied by; null without weights. */
  get weights(): readonly number[] | null {
    return this.#weights;
  }

  /** Encodes int32 indices in the layer's mode. */
  encodeIndices(indices: Tensor): Tensor {
    const { outputMode } = this;
    const mode = outputMode === 'tfIdf' ? 'count' : outputMode;
    const encoded = encodeCategories(indices, { mode, depth: this.#depth });
    return outputMode === 'tfIdf' ? mul(encoded, tensor(Float32Array.from(this.#weights ?? []))) : encoded;
  }

  encodedShape(shape: OpenShape): OpenShape {
    const { outputMode } = this;
    return encodedShape(shape, { mode: outputMode === 'tfIdf' ? 'count' : outputMode, depth: this.#depth });
  }

  /** Returns the tokens of indices. Errors: ValueError without a vocabulary. */
  decode({ shape, values }: HostArray<number>): HostArray<T | null> {
    this.requireVocabulary();
    return { shape, values: values.map((index) => this.table.tokenAt(index)) };
  }

  requireVocabulary(): void {
    if (this.table.tokens) return;
    throw new ValueError({
      op: this.op,
      rule: 'a lookup layer has a vocabulary.',
      received: 'a layer that was not adapted',
      hint: 'pass vocabulary, call setVocabulary with the lines of a vocabulary.txt, or adapt(data) first.',
    });
  }

  /** The options, with the vocabulary as it is now. */
  get config(): Record<string, unknown> {
    const { maxTokens, numOovIndices, maskToken, oovToken } = this.table.options;
    const { invert, outputMode, padToMaxTokens, salt } = this;
    const weights = this.#weights;
    const tokens = this.table.tokens;
    return {
      maxTokens,
      numOovIndices,
      maskToken,
      oovToken,
      vocabulary: tokens && (weights ? this.table.all : tokens),
      idfWeights: weights?.slice(0, this.table.size) ?? null,
      invert,
      outputMode,
      sparse: false,
      padToMaxTokens,
      oovMethod: this.#oovMethod,
      salt,
    };
  }

  get #depth(): number {
    const { options, size, tokens } = this.table;
    if (this.padToMaxTokens) return options.maxTokens as number;
    return tokens === null ? (this.declaredSize ?? size) : size;
  }
}

function countsOf<T>(tokens: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function unfit(op: string, rule: string, received: string): ValueError {
  return new ValueError({ op, rule, received, hint: 'correct it, or leave it out for the default.' });
}
