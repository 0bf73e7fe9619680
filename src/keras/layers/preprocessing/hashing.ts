/** @file Hashing: replaces strings and integers by the bucket of their hash. */
import { byPosition, type OptionNames, type Positions } from '../../../core/options.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, requireInteger } from '../../../core/shape.ts';
import { tensor } from '../../../tensor/create.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { encodeCategories, type OutputMode, outputModeOf } from './categories.ts';
import { bucketOf, type Salt, saltOf } from './hashes/buckets.ts';
import { HostLayer, type HostLayerOptions } from './lookup/hostLayer.ts';
import { type HostNest, hostArray, isKey } from './lookup/hostValues.ts';

/** Options of `hashing`. */
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

/** The class of layers created by `hashing`, which documents shapes and errors. */
export class Hashing extends HostLayer {
  static override readonly className: string = 'Hashing';
  static override get knownOptions(): readonly string[] {
    return Object.keys({
      numBins: true,
      maskValue: true,
      salt: true,
      outputMode: true,
      sparse: false,
      name: false,
    } satisfies OptionNames<HashingOptions>);
  }
  readonly numBins: number;
  readonly maskValue: string | number | null;
  readonly salt: Salt | null;
  readonly outputMode: OutputMode;

  constructor(options: HashingOptions) {
    super(options);
    const { numBins, maskValue = null, outputMode = 'int', sparse = false } = options;
    requireInteger(this.name, 'numBins', numBins, 1);
    this.numBins = numBins;
    this.outputMode = outputModeOf(this.name, outputMode);
    this.salt = saltOf(this.name, options.salt);
    if (maskValue !== null && !isKey(maskValue))
      throw unfit(this.name, '`maskValue` is a string or an integer.', `maskValue: ${describe(maskValue)}`);
    if (sparse !== false)
      throw unfit(this.name, '`sparse` is false: there are no sparse tensors.', 'sparse: true');
    this.maskValue = maskValue;
  }

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

  override getConfig(): Record<string, unknown> {
    const { numBins, salt, maskValue, outputMode } = this;
    return { ...super.getConfig(), numBins, salt, maskValue, outputMode, sparse: false };
  }

  #bucketOf(value: string | number): number {
    const { numBins, maskValue, salt } = this;
    if (maskValue === null || numBins === 1) return bucketOf(value, numBins, salt);
    return value === maskValue ? 0 : 1 + bucketOf(value, numBins - 1, salt);
  }
}

function unfit(op: string, rule: string, received: string): ValueError {
  return new ValueError({ op, rule, received, hint: 'correct it, or leave it out for the default.' });
}

/**
 * Replaces strings and integers by the bucket of their hash: FarmHash's fingerprint, or SipHash with a salt, as in
 * Keras. Values are arrays on the host, at any depth. Shapes: that of the values, int32; 'oneHot', 'multiHot' and 'count' as
 * `categoryEncoding`, float32.
 * Sources: Pike and Alakuijala, FarmHash, 2014; Aumasson and Bernstein, SipHash, 2012.
 * Errors: ValueError for invalid options and other values; ShapeError for ragged arrays.
 */
export function hashing(options: HashingOptions): Hashing;
export function hashing(
  ...settings: Positions<HashingOptions, ['numBins', 'maskValue', 'salt', 'outputMode']>
): Hashing;
export function hashing(...args: unknown[]): Hashing {
  return new Hashing(byPosition('Hashing', args, ['numBins', 'maskValue', 'salt', 'outputMode']) as never);
}
