/** @file HashedCrossing: replaces combinations of features by the bucket of their hash. */
import type { DType } from '../../../core/dtype.ts';
import { DTypeError, ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape, sameShape } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import type { SymbolicTensor } from '../../../ops/define/recorders.ts';
import { tensor } from '../../../tensor/create.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { KerasTensor } from '../../graph/kerasTensor.ts';
import { encodeCategories, encodedDType, encodedShape, notSparse } from './categories.ts';
import { bytesOf } from './hashes/buckets.ts';
import { crossedBuckets } from './hashes/deviceCrossing.ts';
import { concatenated, fingerprint64 } from './hashes/farmHash.ts';
import { wrap } from './hashes/words64.ts';
import { type HostArray, hostArray, type HostNest, isKey } from './lookup/hostValues.ts';
import type { ApplyOptions } from '../base/layer.ts';
import { factoryOf, integer, type Layer, layer, type LayerOptions, oneOf } from '../base/declare.ts';

export interface HashedCrossingOptions extends LayerOptions {
  /** The number of buckets. */
  numBins: number;
  /** 'int' gives the bucket, 'oneHot' a vector with one entry per bucket. Default 'int'. */
  outputMode?: 'int' | 'oneHot';
  /** Must be false: there are no sparse tensors. */
  sparse?: false;
}

/** TensorFlow's default key for crossed hashes. */
const key = 0xdecafcaffen;

export class HashedCrossing extends /* @__PURE__ */ layer<
  HashedCrossingOptions,
  Layer<readonly Tensor[], Tensor>
>('HashedCrossing', () => ({
  numBins: integer(),
  outputMode: oneOf(['int', 'oneHot'], 'int'),
  sparse: notSparse(),
})) {
  /** @internal */
  override readonly inputDType: DType = 'int32';
  /** As in Keras, its results don't depend on a policy. */
  protected override get castPolicy(): null {
    return null;
  }

  override build(inputShape: readonly OpenShape[]): void {
    requireAlike(this.name, inputShape);
  }

  /**
   * Returns the buckets of combined features, int32, or their encoding. Features are lists of strings or of integers on the host, or int32
   * tensors, of one shape.
   */
  override apply(inputs: readonly SymbolicTensor[], options?: ApplyOptions): KerasTensor;
  override apply(inputs: readonly (HostNest<string | number> | Tensor)[], options?: ApplyOptions): Tensor;
  override apply(inputs: unknown, options?: ApplyOptions): KerasTensor | Tensor {
    const list = Array.isArray(inputs) ? (inputs as readonly unknown[]) : [];
    const isHost = (feature: unknown) => typeof feature !== 'object' || Array.isArray(feature);
    if (list.some(isHost) && list.every((feature) => isHost(feature) || ArrayBuffer.isView(feature)))
      return this.#ofHost(list);
    return super.apply(inputs as readonly Tensor[], options);
  }

  override call(inputs: readonly Tensor[]): Tensor {
    const other = inputs.find(({ dtype }) => dtype !== 'int32');
    if (other) {
      throw new DTypeError({
        op: this.name,
        rule: 'features on the device are int32.',
        received: formatSpec(other),
        hint: "cast them: cast(x, 'int32').",
      });
    }
    requireAlike(
      this.name,
      inputs.map(({ shape }) => shape),
    );
    return this.#encoded(crossedBuckets(inputs, key, this.numBins));
  }

  override computeOutputShape([inputShape]: readonly OpenShape[]): OpenShape {
    return encodedShape(inputShape as OpenShape, { mode: this.outputMode, depth: this.numBins });
  }

  protected override outputDType(): DType {
    return encodedDType(this.outputMode);
  }

  #ofHost(inputs: readonly unknown[]): Tensor {
    const { name } = this;
    const features = inputs.map((feature) => hostArray(name, feature, isKey, 'strings and integers'));
    requireAlike(
      name,
      features.map(({ shape }) => shape),
    );
    const { shape, values } = features[0] as HostArray<string | number>;
    const buckets = Int32Array.from(values, (_, i) =>
      Number(
        features.reduce((hash, feature) => concatenated(hash, hashOf(feature.values[i])), key) %
          BigInt(this.numBins),
      ),
    );
    if (this.outputMode === 'int') return tensor(buckets, { shape, dtype: 'int32' });
    return tidy(() => this.#encoded(tensor(buckets, { shape: shape.length ? shape : [1], dtype: 'int32' })));
  }

  #encoded(buckets: Tensor): Tensor {
    return encodeCategories(buckets, { mode: this.outputMode, depth: this.numBins });
  }
}

/** Integers are their own hashes. */
function hashOf(value: string | number | undefined): bigint {
  return typeof value === 'number' ? wrap(BigInt(value)) : fingerprint64(bytesOf(value ?? ''));
}

function requireAlike(op: string, shapes: readonly OpenShape[]): void {
  const [first, ...others] = shapes;
  const fits = first && (first.length < 2 || (first.length === 2 && first[1] === 1));
  const isSame = (shape: OpenShape) => first && sameShape(shape as number[], first as number[]);
  if (fits && others.length > 0 && others.every(isSame)) return;
  throw new ShapeError({
    op,
    rule: 'it takes two features or more, each a value, [batch] or [batch, 1], of the same shape.',
    received: shapes.map((shape) => describe(shape)).join(', ') || 'no list of features',
    hint: "pass [['a', 'b'], [1, 2]].",
  });
}

/**
 * Replaces combinations of features by the bucket of their hash, as in Keras. Features are lists of strings or of
 * integers on the host, or int32 tensors, also of a graph. Shapes: n of [batch] → [batch], or of [batch, 1] → [batch, 1], int32;
 * 'oneHot' → [batch, numBins], float32.
 * Source: TensorFlow's `sparse.cross_hashed`, with FarmHash's fingerprint.
 * Errors: ValueError for invalid options and other values; ShapeError for features of other shapes; DTypeError for tensors of other
 * dtypes.
 */
export const hashedCrossing = /* @__PURE__ */ factoryOf(HashedCrossing, ['numBins', 'outputMode']);
