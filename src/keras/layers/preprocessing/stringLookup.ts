/** @file StringLookup: replaces strings by their indices in a vocabulary. */
import { byPosition, type OptionNames, type Settings } from '../../../core/options.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { HostLayerOptions } from './lookup/hostLayer.ts';
import { asNest, type HostNest, hostArray, isString, isWhole } from './lookup/hostValues.ts';
import { Lookup, type LookupOptions, lookupOptionNames } from './lookup/lookup.ts';
import { VocabularyLayer } from './lookup/vocabularyLayer.ts';

/** Options of `stringLookup`. The oovToken is '[UNK]' by default. */
export interface StringLookupOptions extends HostLayerOptions, LookupOptions<string> {
  /** The encoding of strings as bytes for hashing. */
  encoding?: 'utf-8';
}

/** The class of layers created by `stringLookup`, which documents shapes and errors. */
export class StringLookup extends VocabularyLayer {
  static override readonly className: string = 'StringLookup';
  static override get knownOptions(): readonly string[] {
    return Object.keys({
      ...lookupOptionNames,
      encoding: false,
      name: false,
    } satisfies OptionNames<StringLookupOptions>);
  }
  protected readonly lookup: Lookup<string>;

  constructor(options: StringLookupOptions = {}) {
    super(options);
    this.lookup = new Lookup(this.name, { ...options, oovToken: options.oovToken ?? '[UNK]' }, isString);
  }

  /** Learns the vocabulary: the most frequent strings first. Rows are documents. Errors: ValueError for no strings. */
  adapt(data: HostNest<string>): void {
    this.lookup.adapt(hostArray(this.name, data, isString, 'strings'));
  }

  /** int32 indices of strings, or their encoding; the strings of indices with `invert`. */
  apply(inputs: HostNest<string>): Tensor;
  apply(inputs: HostNest<number> | Int32Array): HostNest<string | null>;
  apply(inputs: HostNest<string> | HostNest<number> | Int32Array): Tensor | HostNest<string | null> {
    const lookup = this.lookup;
    if (!lookup.invert) return lookup.encode(hostArray(this.name, inputs, isString, 'strings'));
    return asNest(lookup.decode(hostArray(this.name, inputs, isWhole, 'indices')));
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.lookup.config, encoding: 'utf-8' };
  }
}

/**
 * Replaces strings by their indices in a vocabulary, which is given or learned by `adapt`: the mask token first, then unknown
 * strings, then the others. Strings are arrays on the host, at any depth; apply the layer to them in front of a model:
 *
 *     const lookup = layers.stringLookup({ vocabulary: ['cat', 'dog'] });
 *     lookup.apply([['dog', 'cow']]);   // int32 [[2, 0]]
 *
 * Shapes: that of the strings, int32; 'oneHot', 'multiHot', 'count' and 'tfIdf' as `categoryEncoding`, float32. With `invert`,
 * indices become strings. Errors: ValueError for invalid options, for a layer without a vocabulary, and for unknown strings
 * with numOovIndices: 0; ShapeError for ragged arrays.
 */
export function stringLookup(
  ...settings: Settings<
    StringLookupOptions,
    ['maxTokens', 'numOovIndices', 'maskToken', 'oovToken', 'vocabulary']
  >
): StringLookup;
export function stringLookup(...args: unknown[]): StringLookup {
  const positions = ['maxTokens', 'numOovIndices', 'maskToken', 'oovToken', 'vocabulary'];
  return new StringLookup(byPosition('StringLookup', args, positions));
}
