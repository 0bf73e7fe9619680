/** @file Options of feature spaces. */
import type { OptionNames } from '../../core/options.ts';
import type { ConfiguredFeature } from './featureConfig.ts';
import type { Cross, CrossOptions, Feature } from './features.ts';

export const featureTypes = [
  'float',
  'floatNormalized',
  'floatRescaled',
  'floatDiscretized',
  'integerCategorical',
  'stringCategorical',
  'integerHashed',
  'stringHashed',
] as const;

/** A kind of feature by its name, with its defaults. */
export type FeatureType = (typeof featureTypes)[number];

/** 'concat' joins all encoded features to one vector, 'dict' keeps them apart. */
export type FeatureSpaceOutput = 'concat' | 'dict';

/** The encoded features: [batch, values], or a record of them. */
export type Encoded<M extends FeatureSpaceOutput, T> = M extends 'dict' ? Record<string, T> : T;

/** Options of `FeatureSpace`. */
export interface FeatureSpaceOptions<M extends FeatureSpaceOutput = FeatureSpaceOutput> {
  /** The kind of each feature by its name: a name such as 'floatNormalized', or `FeatureSpace.floatNormalized()`. */
  features: Readonly<Record<string, FeatureType | Feature | ConfiguredFeature>>;
  /** 'concat' for one vector of all features, 'dict' for a record of them. Default 'concat'. */
  outputMode?: M;
  /** Features that are combined: lists of their names, or `FeatureSpace.cross({ … })`. Default: none. */
  crosses?: readonly (readonly string[] | Cross | CrossOptions)[] | null;
  /** The number of buckets of a combination. Default 32. */
  crossingDim?: number | null;
  /** The number of buckets of 'integerHashed' and 'stringHashed'. Default 32. */
  hashingDim?: number;
  /** The number of bins of 'floatDiscretized'. Default 32. */
  numDiscretizationBins?: number;
  /** Its name in errors. Default `feature_space`, numbered. */
  name?: string;
}

export const optionNames: OptionNames<FeatureSpaceOptions> = {
  features: false,
  outputMode: false,
  crosses: false,
  crossingDim: false,
  hashingDim: false,
  numDiscretizationBins: false,
  name: false,
};
