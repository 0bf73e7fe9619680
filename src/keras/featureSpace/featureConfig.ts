/** @file Features in configurations: `{ dtype, preprocessor: { className, config }, outputMode }`. */
import { ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { Identity } from '../layers/core/identity.ts';
import { Discretization } from '../layers/preprocessing/discretization.ts';
import { Hashing } from '../layers/preprocessing/hashing.ts';
import { IntegerLookup } from '../layers/preprocessing/integerLookup.ts';
import { Normalization } from '../layers/preprocessing/normalization.ts';
import { Rescaling } from '../layers/preprocessing/rescaling.ts';
import { StringLookup } from '../layers/preprocessing/stringLookup.ts';
import { TextVectorization } from '../layers/preprocessing/textVectorization.ts';
import type { ClassConfig } from '../namedObjects.ts';
import { deserializeLayer, serializeLayer } from '../serialization/index.ts';
import { Feature, type FeatureDType, type FeatureOutput, isOnHost, type Preprocessor } from './features.ts';

/** A feature as an object of plain values. */
export interface ConfiguredFeature {
  readonly dtype: FeatureDType;
  readonly preprocessor: ClassConfig | Preprocessor;
  readonly outputMode: FeatureOutput;
}

/** The layers of features by the names of their classes. */
const classes: Readonly<Record<string, new (options: never) => Preprocessor>> = {
  Identity,
  Rescaling,
  Normalization,
  Discretization,
  IntegerLookup,
  StringLookup,
  Hashing,
  TextVectorization,
} as never;

export function writeFeature({ dtype, preprocessor, outputMode }: Feature): ConfiguredFeature {
  const layer = isOnHost(preprocessor)
    ? { className: preprocessor.className, config: preprocessor.getConfig() }
    : serializeLayer(preprocessor as unknown as AnyLayer);
  return { dtype, preprocessor: layer, outputMode };
}

/** Errors: ValueError for anything but a feature, and for a layer of an unknown class. */
export function readFeature(config: ConfiguredFeature): Feature {
  checkOptions('FeatureSpace.feature', config, ['dtype', 'preprocessor', 'outputMode']);
  const { dtype, preprocessor, outputMode } = config;
  return new Feature({ dtype, preprocessor: layerOf(preprocessor), outputMode });
}

function layerOf(given: ClassConfig | Preprocessor): Preprocessor {
  const { className, config = {} } = (given ?? {}) as ClassConfig;
  if (typeof className !== 'string') {
    throw new ValueError({
      op: 'FeatureSpace.feature',
      rule: '`preprocessor` is a layer, or { className, config } of one.',
      received: `preprocessor: ${describe(given)}`,
      hint: 'pass what getConfig returned.',
    });
  }
  if ('apply' in given) return given as Preprocessor;
  const found = Object.hasOwn(classes, className) ? classes[className] : undefined;
  if (found) return new found(config as never);
  return deserializeLayer(given as ClassConfig) as unknown as Preprocessor;
}
