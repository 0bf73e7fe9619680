/** @file Hashing: replaces strings and integers by the bucket of their hash. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { tensor } from '../../../tensor/create.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { encodeCategories, notSparse, type OutputMode, outputModes } from './categories.ts';
import { bucketOf, type Salt, saltOf } from './hashes/buckets.ts';
import { HostLayer, hostLayer, type HostLayerOptions } from './lookup/hostLayer.ts';
import { factoryOf } from '../../options/factory.ts';
import { checked, integer, oneOf } from '../../options/kinds.ts';
import { hostArray, type HostNest, isKey } from './lookup/hostValues.ts';

export interface HashingOptions extends HostLayerOptions {
  /** The number of buckets. */
  numBins: number;
  /** A value for which bucket 0 is reserved. Default null. */
  maskValue?: string | number | null;
  /** A key of one or two integers; with it, SipHash is used instead of FarmHash. Default null. */
  salt?: number | Salt | null;
  /**
   * The output for each value: 'int', its bucket; 'oneHot', 'multiHot' or 'count', a vector with one entry per bucket.
   * Default 'int'.
   */
  outputMode?: OutputMode;
  /** Must be false: there are no sparse tensors. */
  sparse?: false;
}

export class Hashing extends /* @__PURE__ */ hostLayer<HashingOptions, HostLayer>(
  'Hashing',
  () => ({
    numBins: integer(),
    maskValue: checked(maskOf, null) as never,
    salt: { read: (given, { op }) => saltOf(op, given) as never },
    outputMode: oneOf(outputModes, 'int'),
    sparse: notSparse(),
  }),
  HostLayer,
) {
  /** Returns the buckets of values, int32, or their encoding. */
  apply(inputs: HostNest<string | number> | Int32Array): Tensor {
    const { numBins: depth, outputMode: mode } = this;
    const { shape, values } = hostArray(this.name, inputs, isKey, 'strings and integers');
    const buckets = Int32Array.from(values, (value) => this.#bucketOf(value));
    if (mode === 'int') return tensor(buckets, { shape, dtype: 'int32' });
    return tidy(() => {
      const indices = tensor(buckets, { shape: shape.length ? shape : [1], dtype: 'int32' });
      return encodeCategories(indices as Tensor, { mode, depth });
    });
  }

  #bucketOf(value: string | number): number {
    const { numBins, maskValue } = this;
    const salt = this.salt as Salt | null;
    if (maskValue === null || numBins === 1) return bucketOf(value, numBins, salt);
    return value === maskValue ? 0 : 1 + bucketOf(value, numBins - 1, salt);
  }
}

function maskOf(op: string, what: string, given: unknown): void {
  if (isKey(given)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a string or an integer.`,
    received: `${what}: ${describe(given)}`,
    hint: 'correct it, or leave it out for the default.',
  });
}

/**
 * Replaces strings and integers by the bucket of their hash: FarmHash's fingerprint, or SipHash with a salt, as in
 * Keras. Values are arrays on the host, at any depth. Shapes: that of the values, int32; 'oneHot', 'multiHot' and 'count' as
 * `categoryEncoding`, float32.
 * Sources: Pike and Alakuijala, FarmHash, 2014; Aumasson and Bernstein, SipHash, 2012.
 * Errors: ValueError for invalid options and other values; ShapeError for ragged arrays.
 */
export const hashing = /* @__PURE__ */ factoryOf(Hashing, ['numBins', 'maskValue', 'salt', 'outputMode']);
