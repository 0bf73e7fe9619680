/** @file HashedCrossing: replaces combinations of features by the bucket of their hash. */
import { ShapeError } from '../../../core/errors.ts';
import { describe, sameShape } from '../../../core/shape.ts';
import { tensor } from '../../../tensor/create.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { encodeCategories, notSparse } from './categories.ts';
import { bytesOf } from './hashes/buckets.ts';
import { concatenated, fingerprint64 } from './hashes/farmHash.ts';
import { wrap } from './hashes/words64.ts';
import { HostLayer, hostLayer, type HostLayerOptions } from './lookup/hostLayer.ts';
import { factoryOf } from '../../options/factory.ts';
import { integer, oneOf } from '../../options/kinds.ts';
import { type HostArray, hostArray, type HostNest, isKey } from './lookup/hostValues.ts';

export interface HashedCrossingOptions extends HostLayerOptions {
  /** The number of buckets. */
  numBins: number;
  /** 'int' gives the bucket, 'oneHot' a vector with one entry per bucket. Default 'int'. */
  outputMode?: 'int' | 'oneHot';
  /** Must be false: there are no sparse tensors. */
  sparse?: false;
}

/** TensorFlow's default key for crossed hashes. */
const key = 0xdecafcaffen;

export class HashedCrossing extends /* @__PURE__ */ hostLayer<HashedCrossingOptions, HostLayer>(
  'HashedCrossing',
  () => ({
    numBins: integer(),
    outputMode: oneOf(['int', 'oneHot'], 'int'),
    sparse: notSparse(),
  }),
  HostLayer,
) {
  /** Returns the buckets of combined features, int32, or their encoding. */
  apply(inputs: readonly HostNest<string | number>[]): Tensor {
    const { numBins: depth, outputMode: mode, name } = this;
    const features = (Array.isArray(inputs) ? inputs : []).map((feature) =>
      hostArray(name, feature, isKey, 'strings and integers'),
    );
    const { shape, values } = requireAlike(name, features);
    const buckets = Int32Array.from(values, (_, i) =>
      Number(
        features.reduce((hash, feature) => concatenated(hash, hashOf(feature.values[i])), key) %
          BigInt(depth),
      ),
    );
    if (mode === 'int') return tensor(buckets, { shape, dtype: 'int32' });
    return tidy(() => {
      const indices = tensor(buckets, { shape: shape.length ? shape : [1], dtype: 'int32' });
      return encodeCategories(indices as Tensor, { mode, depth });
    });
  }
}

/** Integers are their own hashes. */
function hashOf(value: string | number | undefined): bigint {
  return typeof value === 'number' ? wrap(BigInt(value)) : fingerprint64(bytesOf(value ?? ''));
}

function requireAlike(
  op: string,
  features: readonly HostArray<string | number>[],
): HostArray<string | number> {
  const [first, ...others] = features;
  const fits = ({ shape }: HostArray<unknown>) => shape.length < 2 || (shape.length === 2 && shape[1] === 1);
  const areAlike = first && others.every(({ shape }) => sameShape(shape, first.shape));
  if (first && others.length > 0 && fits(first) && areAlike) return first;
  throw new ShapeError({
    op,
    rule: 'it takes two features or more, each a value, [batch] or [batch, 1], of the same shape.',
    received: features.map(({ shape }) => describe(shape)).join(', ') || 'no list of features',
    hint: "pass [['a', 'b'], [1, 2]].",
  });
}

/**
 * Replaces combinations of features by the bucket of their hash, as in Keras. Features are lists of strings or of whole
 * numbers on the host. Shapes: n of [batch] → [batch], or of [batch, 1] → [batch, 1], int32; 'oneHot' → [batch, numBins],
 * float32.
 * Source: TensorFlow's `sparse.cross_hashed`, with FarmHash's fingerprint.
 * Errors: ValueError for invalid options and other values; ShapeError for features of other shapes.
 */
export const hashedCrossing = /* @__PURE__ */ factoryOf(HashedCrossing, ['numBins', 'outputMode']);
