/** @file IntegerLookup: replaces integers by their indices in a vocabulary. */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { add, sub } from '../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { clip } from '../../../ops/elementwise/clip.ts';
import { equal } from '../../../ops/elementwise/comparison.ts';
import { fill } from '../../../ops/creation/creation.ts';
import { mod } from '../../../ops/elementwise/division.ts';
import { gather } from '../../../ops/indexing/gather.ts';
import { searchSorted } from '../../../ops/sorting/searchSorted.ts';
import { where } from '../../../ops/elementwise/where.ts';
import { tensor } from '../../../tensor/create.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { LearnedFiles, WithAssets } from '../../serialization/assets.ts';
import { type HostNest, hostArray, isWhole } from './lookup/hostValues.ts';
import { Lookup, type LookupOptions, lookupTable } from './lookup/lookup.ts';
import { noIndex } from './lookup/tokenTable.ts';
import { tokensIn, vocabularyFile } from './lookup/vocabularyFile.ts';
import { factoryOf, layer, type LayerOptions, oneOf, own } from '../base/declare.ts';

/** Options of `integerLookup`. The oovToken is -1 by default. */
export interface IntegerLookupOptions extends LayerOptions, LookupOptions<number> {
  /** Must be 'int64', as Keras writes it; tokens are int32 here. */
  vocabularyDtype?: 'int64';
  /** The number of indices, which files have: their vocabulary may follow the model. Default: that of the vocabulary. */
  vocabularySize?: number | null;
}

export class IntegerLookup
  extends /* @__PURE__ */ layer<LayerOptions>('IntegerLookup', () => ({
    ...lookupTable(),
    vocabularyDtype: oneOf(['int64'], 'int64'),
    vocabularySize: own,
  }))
  implements WithAssets
{
  /** @internal */
  override readonly inputDType: DType = 'int32';
  /** As in Keras, its results are float32 with every policy: counts above 2048 aren't exact in float16. */
  protected override get castPolicy(): null {
    return null;
  }
  readonly #lookup: Lookup<number>;

  constructor(options: IntegerLookupOptions = {}) {
    super(options);
    const { oovToken, salt, oovMethod } = options;
    if (salt !== undefined && salt !== null && oovMethod !== 'farmhash') {
      throw new ValueError({
        op: this.name,
        rule: "`salt` goes with oovMethod: 'farmhash'.",
        received: `salt: ${describe(salt)}`,
        hint: 'leave it out: remainders have no key.',
      });
    }
    this.#lookup = new Lookup(this.name, { ...options, oovToken: oovToken ?? -1 }, isToken);
  }

  /** Returns the tokens in the order of their indices; without the special ones if `includeSpecialTokens` is false. */
  getVocabulary(includeSpecialTokens = true): readonly number[] {
    const { table } = this.#lookup;
    return includeSpecialTokens ? table.all : (table.tokens ?? []);
  }

  /**
   * Whether the options had no vocabulary.
   * @internal
   */
  get learnsVocabulary(): boolean {
    return this.#lookup.learns;
  }

  /** Returns the number of indices, including special tokens. */
  vocabularySize(): number {
    return this.#lookup.table.size;
  }

  /** Sets the vocabulary. Errors: ValueError for repeated tokens, too many, and weights that don't fit. */
  setVocabulary(vocabulary: readonly number[], idfWeights: readonly number[] | null = null): void {
    this.#lookup.set(vocabulary, idfWeights, isToken);
  }

  /**
   * Learns the vocabulary: the most frequent numbers first. Rows are documents; a tensor is read back.
   * Errors: ValueError for no numbers.
   */
  async adapt(data: Tensor | HostNest<number>): Promise<void> {
    const given =
      data instanceof Tensor
        ? { shape: data.shape, values: Array.from(await data.data()) }
        : hostArray(this.name, data, isToken, 'integers');
    this.#lookup.adapt(given);
  }

  override call(x: Tensor): Tensor {
    const lookup = this.#lookup;
    lookup.requireVocabulary();
    const tokens = x.dtype === 'int32' ? x : cast(x, 'int32');
    return lookup.invert ? this.#tokensOf(tokens) : lookup.encodeIndices(this.#indicesOf(tokens));
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return this.#lookup.encodedShape(inputShape);
  }

  protected override outputDType(): DType {
    return this.#lookup.outputMode === 'int' ? 'int32' : 'float32';
  }

  /** @internal */
  get storedArrays(): Readonly<Record<string, readonly number[]>> {
    const { weights } = this.#lookup;
    return weights ? { idf_weights: weights } : {};
  }

  /** With token weights, the options contain both: Keras also stores weights elsewhere. */
  get assets(): LearnedFiles | null {
    const { isLearned, outputMode, table } = this.#lookup;
    if (!isLearned || outputMode === 'tfIdf') return null;
    return { options: ['vocabulary'], files: { [vocabularyFile]: table.all.join('\n') } };
  }

  async loadAssets(read: (name: string) => Promise<string | null>): Promise<void> {
    if (!this.assets) return;
    const lines = tokensIn((await read(vocabularyFile)) ?? '');
    const wrong = lines.find((line) => !/^[+-]?\d{1,10}$/.test(line));
    if (wrong !== undefined) throw this.#invalid('a vocabulary has an integer on each line', wrong);
    // A layer that has learned nothing has only the special tokens.
    if (lines.join('\n') === this.#lookup.table.all.join('\n')) return;
    this.setVocabulary(lines.map(Number));
    const { declaredSize } = this.#lookup;
    if (declaredSize !== null && declaredSize !== this.vocabularySize())
      throw this.#invalid(`the vocabulary has ${declaredSize} indices`, `${this.vocabularySize()}`);
  }

  #invalid(rule: string, received: string): ValueError {
    const hint = 'load the vocabulary that was saved with the model.';
    return new ValueError({ op: this.name, rule: `${rule}.`, received, hint });
  }

  override getConfig(): Record<string, unknown> {
    const vocabularySize = this.#lookup.table.tokens && this.vocabularySize();
    return { ...super.getConfig(), ...this.#lookup.config, vocabularySize };
  }

  /** Finds the indices by binary search in the sorted vocabulary. */
  #indicesOf(x: Tensor): Tensor {
    const { table } = this.#lookup;
    const { maskToken, masks } = table.options;
    const sorted = [...(table.tokens as readonly number[])].sort((a, b) => a - b);
    const ints = (values: readonly number[]) => tensor(Int32Array.from(values)) as Tensor;
    const keys = ints(sorted);
    const place = clip(searchSorted(keys, x), { min: 0, max: sorted.length - 1 });
    const known = equal(gather(keys, place, { validateIndices: false }), x);
    const index = gather(ints(sorted.map((token) => table.indexOf(token))), place, {
      validateIndices: false,
    });
    const indices = where(known, index, this.#unknown(x));
    return maskToken === null ? indices : where(equal(x, maskToken), masks ? 0 : noIndex, indices);
  }

  /** Returns the indices of tokens that aren't in the vocabulary. */
  #unknown(x: Tensor): Tensor {
    const { oovStart, options } = this.#lookup.table;
    const { numOovIndices, oovMethod } = options;
    if (numOovIndices < 2) return fill(x.shape, numOovIndices === 0 ? noIndex : oovStart, { dtype: 'int32' });
    if (oovMethod === 'floormod') return add(mod(x, numOovIndices), oovStart);
    throw new ValueError({
      op: this.name,
      rule: 'a hash of digits is computed on the host.',
      received: `oovMethod: 'farmhash' with numOovIndices: ${numOovIndices}`,
      hint: "use oovMethod: 'floormod', or a stringLookup of the digits.",
    });
  }

  #tokensOf(indices: Tensor): Tensor {
    const { table } = this.#lookup;
    const { oovToken } = table.options;
    const tokens = table.all;
    const count = tokens.length;
    const inside = clip(indices, { min: 0, max: count - 1 });
    const found = gather(tensor(Int32Array.from(tokens)) as Tensor, inside, { validateIndices: false });
    return where(equal(sub(indices, inside), 0), found, oovToken);
  }
}

const isToken = (value: unknown): value is number => isWhole(value) && value >= -(2 ** 31) && value < 2 ** 31;

/**
 * Replaces integers by their indices in a vocabulary, which is given or learned by `adapt`: the mask token first, then
 * unknown numbers, then the others. Shapes: that of the input, int32; 'oneHot', 'multiHot', 'count' and 'tfIdf' as
 * `categoryEncoding`, float32. With `invert`, indices become numbers. With numOovIndices: 0, an unknown number has index -1,
 * which encodings ignore.
 * Errors: ValueError for invalid options, and for a layer without a vocabulary.
 */
export const integerLookup = /* @__PURE__ */ factoryOf(IntegerLookup, [
  'maxTokens',
  'numOovIndices',
  'maskToken',
  'oovToken',
  'vocabulary',
]);
