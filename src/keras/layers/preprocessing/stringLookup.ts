/** @file StringLookup: replaces strings by their indices in a vocabulary. */
import type { Tensor } from '../../../tensor/tensor.ts';
import { hostLayer, type HostLayerOptions } from './lookup/hostLayer.ts';
import { factoryOf } from '../../options/factory.ts';
import { oneOf } from '../../options/kinds.ts';
import { asNest, type HostNest, hostArray, isString, isWhole } from './lookup/hostValues.ts';
import { Lookup, type LookupOptions, lookupTable } from './lookup/lookup.ts';
import { VocabularyLayer } from './lookup/vocabularyLayer.ts';

/** Options of `stringLookup`. The oovToken is '[UNK]' by default. */
export interface StringLookupOptions extends HostLayerOptions, LookupOptions<string> {
  /** The encoding of strings as bytes for hashing. */
  encoding?: 'utf-8';
}

export class StringLookup extends /* @__PURE__ */ hostLayer<HostLayerOptions, VocabularyLayer>(
  'StringLookup',
  () => ({ ...lookupTable(), encoding: oneOf(['utf-8'], 'utf-8') }),
  VocabularyLayer,
) {
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
    return { ...super.getConfig(), ...this.lookup.config };
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
export const stringLookup = /* @__PURE__ */ factoryOf(StringLookup, [
  'maxTokens',
  'numOovIndices',
  'maskToken',
  'oovToken',
  'vocabulary',
]);
