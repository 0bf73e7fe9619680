/** @file What a FeatureSpace is made of: features, each with the layer that prepares it, and combinations of features. */
import { ValueError } from '../../core/errors.ts';
import { describe, oneOf, requireInteger } from '../../core/shape.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { identity } from '../layers/core/identity.ts';
import { discretization } from '../layers/preprocessing/discretization.ts';
import { hashing } from '../layers/preprocessing/hashing.ts';
import { integerLookup } from '../layers/preprocessing/integerLookup.ts';
import { HostLayer } from '../layers/preprocessing/lookup/hostLayer.ts';
import { normalization } from '../layers/preprocessing/normalization.ts';
import { rescaling } from '../layers/preprocessing/rescaling.ts';
import { stringLookup } from '../layers/preprocessing/stringLookup.ts';
import { uniqueName } from '../names.ts';

/** A layer of strings and hashes, which runs on the host. */
export interface TextPreprocessor extends HostLayer {
  apply(values: never): unknown;
}

/** The layer that prepares a feature: any layer of one input, or one of strings. */
export type Preprocessor = Layer | TextPreprocessor;

/** What values of a feature are. */
export type FeatureDType = 'float32' | 'int32' | 'string';

/** What becomes of a prepared feature: its integers stay, become vectors, or there are none. */
export type FeatureOutput = 'int' | 'oneHot' | 'float';

const featureDTypes: readonly FeatureDType[] = ['float32', 'int32', 'string'];

/** Options of `FeatureSpace.feature`. */
export interface FeatureOptions {
  /** What values of the feature are. */
  dtype: FeatureDType;
  /** The layer that prepares them. */
  preprocessor: Preprocessor;
  /** 'oneHot' encodes the integers that the layer returns, 'int' leaves them, 'float' is for a layer that returns floats. */
  outputMode: FeatureOutput;
}

/** A feature: what its values are, and how they are prepared and encoded. */
export class Feature {
  readonly dtype: FeatureDType;
  readonly preprocessor: Preprocessor;
  readonly outputMode: FeatureOutput;

  /** Errors: ValueError for invalid options. */
  constructor({ dtype, preprocessor, outputMode }: FeatureOptions) {
    const op = 'FeatureSpace.feature';
    this.dtype = oneOf(op, 'dtype', dtype, featureDTypes);
    this.outputMode = oneOf(op, 'outputMode', outputMode, ['int', 'oneHot', 'float']);
    if (!(preprocessor instanceof Layer) && !(preprocessor instanceof HostLayer)) {
      throw new ValueError({
        op,
        rule: '`preprocessor` is a layer.',
        received: `preprocessor: ${describe(preprocessor)}`,
        hint: "pass one: FeatureSpace.feature({ dtype: 'string', preprocessor: layers.textVectorization(), outputMode: 'int' }).",
      });
    }
    this.preprocessor = preprocessor;
  }
}

/** Options of `FeatureSpace.cross`. */
export interface CrossOptions {
  /** The features that are combined, two or more. */
  featureNames: readonly string[];
  /** The number of buckets of the combinations. */
  crossingDim: number;
  /** 'oneHot' gives a vector with one entry per bucket, 'int' the bucket. Default 'oneHot'. */
  outputMode?: 'int' | 'oneHot';
}

/** A combination of features. */
export class Cross {
  readonly featureNames: readonly string[];
  readonly crossingDim: number;
  readonly outputMode: 'int' | 'oneHot';

  /** Errors: ValueError for invalid options. */
  constructor({ featureNames, crossingDim, outputMode = 'oneHot' }: CrossOptions) {
    const op = 'FeatureSpace.cross';
    const areNames = Array.isArray(featureNames) && featureNames.every((name) => typeof name === 'string');
    if (!areNames || featureNames.length < 2) {
      throw new ValueError({
        op,
        rule: '`featureNames` are the names of two features or more.',
        received: `featureNames: ${describe(featureNames)}`,
        hint: "pass a list: ['age', 'sex'].",
      });
    }
    this.featureNames = [...featureNames];
    requireInteger(op, 'crossingDim', crossingDim, 1);
    this.crossingDim = crossingDim;
    this.outputMode = oneOf(op, 'outputMode', outputMode, ['int', 'oneHot']);
  }

  /** The names of the features, joined by `_X_`. */
  get name(): string {
    return this.featureNames.join('_X_');
  }
}

/** The name of a feature's layer. */
interface Named {
  /** The name before `_preprocessor`. Default: the kind of the feature, numbered. */
  name?: string;
}

/** Options of `FeatureSpace.float` and `FeatureSpace.floatNormalized`. */
export type FloatOptions = Named;

/** Options of `FeatureSpace.floatRescaled`. */
export interface FloatRescaledOptions extends Named {
  /** Factor of the values. Default 1. */
  scale?: number;
  /** Number added after scaling. Default 0. */
  offset?: number;
}

/** Options of `FeatureSpace.floatDiscretized`. */
export interface FloatDiscretizedOptions extends Named {
  /** The number of bins, whose boundaries `adapt` learns; null if they are given. */
  numBins: number | null;
  /** Boundaries between the bins, in ascending order. Default null: learned. */
  binBoundaries?: readonly number[] | null;
  /** 'oneHot' or 'int'. Default 'oneHot'. */
  outputMode?: FeatureOutput;
}

/** Options of `FeatureSpace.integerCategorical` and `FeatureSpace.stringCategorical`. */
export interface CategoricalOptions extends Named {
  /** The largest number of categories, unknown ones included. Default null: as many as there are. */
  maxTokens?: number | null;
  /** Number of categories over which unknown values are spread. Default 1. */
  numOovIndices?: number;
  /** 'oneHot' or 'int'. Default 'oneHot'. */
  outputMode?: FeatureOutput;
}

/** Options of `FeatureSpace.integerHashed` and `FeatureSpace.stringHashed`. */
export interface HashedOptions extends Named {
  /** The number of buckets. */
  numBins: number;
  /** 'oneHot' or 'int'. Default 'oneHot'. */
  outputMode?: FeatureOutput;
}

const nameFor = (kind: string, name: string | undefined) => `${name ?? uniqueName(kind)}_preprocessor`;

export function float({ name }: FloatOptions): Feature {
  const preprocessor = identity({ name: nameFor('float', name) });
  return new Feature({ dtype: 'float32', preprocessor, outputMode: 'float' });
}

export function floatNormalized({ name }: FloatOptions): Feature {
  const preprocessor = normalization({ axis: -1, name: nameFor('float_normalized', name) });
  return new Feature({ dtype: 'float32', preprocessor, outputMode: 'float' });
}

export function floatRescaled({ scale = 1, offset = 0, name }: FloatRescaledOptions): Feature {
  const preprocessor = rescaling({ scale, offset, name: nameFor('float_rescaled', name) });
  return new Feature({ dtype: 'float32', preprocessor, outputMode: 'float' });
}

export function floatDiscretized({
  numBins,
  binBoundaries = null,
  outputMode = 'oneHot',
  name,
}: FloatDiscretizedOptions): Feature {
  const bins = { numBins, binBoundaries, name: nameFor('float_discretized', name) };
  return new Feature({ dtype: 'float32', preprocessor: discretization(bins), outputMode });
}

export function integerCategorical({
  maxTokens = null,
  numOovIndices = 1,
  outputMode = 'oneHot',
  name,
}: CategoricalOptions): Feature {
  const options = { maxTokens, numOovIndices, name: nameFor('integer_categorical', name) };
  return new Feature({ dtype: 'int32', preprocessor: integerLookup(options), outputMode });
}

export function stringCategorical({
  maxTokens = null,
  numOovIndices = 1,
  outputMode = 'oneHot',
  name,
}: CategoricalOptions): Feature {
  const options = { maxTokens, numOovIndices, name: nameFor('string_categorical', name) };
  return new Feature({ dtype: 'string', preprocessor: stringLookup(options), outputMode });
}

export function integerHashed({ numBins, outputMode = 'oneHot', name }: HashedOptions): Feature {
  const preprocessor = hashing({ numBins, name: nameFor('integer_hashed', name) });
  return new Feature({ dtype: 'int32', preprocessor, outputMode });
}

export function stringHashed({ numBins, outputMode = 'oneHot', name }: HashedOptions): Feature {
  const preprocessor = hashing({ numBins, name: nameFor('string_hashed', name) });
  return new Feature({ dtype: 'string', preprocessor, outputMode });
}

/** Whether a layer runs on the host. */
export function isOnHost(preprocessor: AnyLayer | Preprocessor): preprocessor is TextPreprocessor {
  return preprocessor instanceof HostLayer;
}
