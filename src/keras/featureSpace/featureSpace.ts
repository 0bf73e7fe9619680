/** @file FeatureSpace: prepares and encodes the columns of a table, each by a layer of its own, and combinations of them. */
import { ValueError } from '../../core/errors.ts';
import { checkOptions, isPlainObject, optionsOf, type Settings } from '../../core/options.ts';
import { describe, oneOf, requireInteger } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { squeeze } from '../../ops/arrangement/expandDims.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import type { Concatenate } from '../layers/merging/concatenate.ts';
import type { CategoryEncoding } from '../layers/preprocessing/categoryEncoding.ts';
import { type HashedCrossing, hashedCrossing } from '../layers/preprocessing/hashedCrossing.ts';
import { uniqueName } from '../names.ts';
import type { FileSource } from '../../storage/sources.ts';
import type { SaveTarget } from '../../storage/targets.ts';
import { type AdaptData, adaptLayer, batchesOf, learns } from './adaptFeatures.ts';
import { type ConfiguredFeature, readFeature, writeFeature } from './featureConfig.ts';
import { FeatureGraph } from './featureGraph.ts';
import { inputsOf } from './featureInputs.ts';
import {
  type Encoded,
  type FeatureSpaceOptions,
  type FeatureSpaceOutput,
  featureTypes,
  optionNames,
} from './featureSpaceOptions.ts';
import {
  type CategoricalOptions,
  Cross,
  type CrossOptions,
  Feature,
  type FeatureOptions,
  float,
  floatDiscretized,
  type FloatDiscretizedOptions,
  floatNormalized,
  type FloatOptions,
  floatRescaled,
  type FloatRescaledOptions,
  type HashedOptions,
  integerCategorical,
  integerHashed,
  isOnHost,
  type Preprocessor,
  stringCategorical,
  stringHashed,
} from './features.ts';
import { type FeatureData, type FeatureValue, rankOf } from './featureValues.ts';

/**
 * Prepares and encodes the columns of a table: numbers are normalized or put into bins, categories become one-hot vectors, and pairs of
 * columns are combined by hashes.
 *
 *     const space = new utils.FeatureSpace({
 *       features: { age: 'floatNormalized', sex: 'stringCategorical', thal: FeatureSpace.integerCategorical({ numOovIndices: 0 }) },
 *       crosses: [['sex', 'thal']],
 *       crossingDim: 64,
 *     });
 *     await space.adapt(rows.map(([features]) => features));
 *     const encoded = rows.batch(32).map(([features, y]) => [space.apply(features), y]);
 *
 * Names are in alphabetical order in the result, combinations behind features. `getInputs` and `getEncodedFeatures` are the same as a graph,
 * for a model that takes the columns; tensors hold no strings, so `toInputs` runs the layers of strings and hashes in front of it. Source:
 * Keras, `utils.FeatureSpace`.
 *
 * Errors: ValueError for invalid options, for a call before `adapt`, and for samples without a feature.
 */
export class FeatureSpace<const M extends FeatureSpaceOutput = 'concat'> {
  readonly name: string;
  readonly features: Readonly<Record<string, Feature>>;
  readonly outputMode: M;
  readonly crosses: readonly Cross[];
  readonly crossingDim: number | null;
  readonly hashingDim: number;
  readonly numDiscretizationBins: number;
  /** The layer of each feature. */
  readonly preprocessors: Readonly<Record<string, Preprocessor>>;
  /** The layer of each combination, by the names of its features joined by `_X_`. */
  readonly crossers: Readonly<Record<string, HashedCrossing>>;
  #isAdapted = false;
  #graph: FeatureGraph | null = null;

  /** Plain numbers. */
  static float(...settings: Settings<FloatOptions, ['name']>): Feature {
    return float(optionsOf('FeatureSpace.float', settings, { name: true }));
  }

  /** Numbers that are normalized to mean 0 and variance 1. */
  static floatNormalized(...settings: Settings<FloatOptions, ['name']>): Feature {
    return floatNormalized(optionsOf('FeatureSpace.floatNormalized', settings, { name: true }));
  }

  /** Numbers times `scale`, plus `offset`. */
  static floatRescaled(...settings: Settings<FloatRescaledOptions, ['scale', 'offset', 'name']>): Feature {
    const names = { scale: true, offset: true, name: true };
    return floatRescaled(optionsOf('FeatureSpace.floatRescaled', settings, names));
  }

  /** Numbers that are put into bins, with about the same number of values each. */
  static floatDiscretized(
    ...settings: Settings<FloatDiscretizedOptions, ['numBins', 'binBoundaries', 'outputMode', 'name']>
  ): Feature {
    const names = { numBins: true, binBoundaries: true, outputMode: true, name: true };
    const options = optionsOf('FeatureSpace.floatDiscretized', settings, names);
    return floatDiscretized(options as FloatDiscretizedOptions);
  }

  /** Integers that are categories. */
  static integerCategorical(
    ...settings: Settings<CategoricalOptions, ['maxTokens', 'numOovIndices', 'outputMode', 'name']>
  ): Feature {
    return integerCategorical(optionsOf('FeatureSpace.integerCategorical', settings, categorical));
  }

  /** Strings that are categories. */
  static stringCategorical(
    ...settings: Settings<CategoricalOptions, ['maxTokens', 'numOovIndices', 'outputMode', 'name']>
  ): Feature {
    return stringCategorical(optionsOf('FeatureSpace.stringCategorical', settings, categorical));
  }

  /** Integers that are spread over buckets by a hash. */
  static integerHashed(...settings: Settings<HashedOptions, ['numBins', 'outputMode', 'name']>): Feature {
    const options = optionsOf('FeatureSpace.integerHashed', settings, hashed);
    return integerHashed(options as HashedOptions);
  }

  /** Strings that are spread over buckets by a hash. */
  static stringHashed(...settings: Settings<HashedOptions, ['numBins', 'outputMode', 'name']>): Feature {
    return stringHashed(optionsOf('FeatureSpace.stringHashed', settings, hashed) as HashedOptions);
  }

  /** A feature with a layer of your own, such as a `textVectorization`. */
  static feature(...settings: Settings<FeatureOptions, ['dtype', 'preprocessor', 'outputMode']>): Feature {
    const names = { dtype: true, preprocessor: true, outputMode: true };
    const [dtype, preprocessor, ...rest] = settings as readonly unknown[];
    // A layer by position isn't an object of options.
    const given =
      typeof dtype === 'string' && rest.length > 0
        ? [{ dtype, preprocessor, ...optionsOf('FeatureSpace.feature', rest, { outputMode: true }) }]
        : settings;
    return new Feature(optionsOf('FeatureSpace.feature', given, names) as FeatureOptions);
  }

  /** A combination of features. */
  static cross(...settings: Settings<CrossOptions, ['featureNames', 'crossingDim', 'outputMode']>): Cross {
    const names = { featureNames: true, crossingDim: true, outputMode: true };
    return new Cross(optionsOf('FeatureSpace.cross', settings, names) as CrossOptions);
  }

  /** Creates a feature space from the result of `getConfig`. Means and variances aren't part of it: `adapt` the new one, or `load` a file. */
  static fromConfig<M extends FeatureSpaceOutput = 'concat'>(
    config: FeatureSpaceOptions<M>,
  ): FeatureSpace<M> {
    return new FeatureSpace<M>(config);
  }

  /**
   * Loads a feature space from a `.keras` file that `save` or Keras has written.
   * Errors: FormatError for a file that holds something else, or is damaged; ValueError for anything but a file.
   */
  static async load<M extends FeatureSpaceOutput = 'concat'>(
    file: FileSource,
    options: { signal?: AbortSignal } = {},
  ): Promise<FeatureSpace<M>> {
    checkOptions('FeatureSpace.load', options, ['signal']);
    const { loadFeatureSpace } = await import('./loadFeatureSpace.ts');
    const made = (config: FeatureSpaceOptions) => new FeatureSpace<M>(config as FeatureSpaceOptions<M>);
    return loadFeatureSpace(file, options, made);
  }

  constructor(options: FeatureSpaceOptions<M>) {
    const op = 'FeatureSpace';
    checkOptions(op, options, optionNames);
    const { features, outputMode = 'concat' as M, crosses, crossingDim = 32 } = options;
    const { hashingDim = 32, numDiscretizationBins = 32, name = uniqueName('feature_space') } = options;
    this.name = name;
    this.outputMode = oneOf(op, 'outputMode', outputMode, ['concat', 'dict']) as M;
    if (crossingDim !== null) requireInteger(op, 'crossingDim', crossingDim, 1);
    requireInteger(op, 'hashingDim', hashingDim, 1);
    requireInteger(op, 'numDiscretizationBins', numDiscretizationBins, 1);
    this.crossingDim = crossingDim;
    this.hashingDim = hashingDim;
    this.numDiscretizationBins = numDiscretizationBins;
    if (!isPlainObject(features) || Object.keys(features).length === 0) throw noFeatures(op, features);
    this.features = Object.fromEntries(
      Object.entries(features).map(([key, given]) => [key, this.#featureOf(op, key, given)]),
    );
    this.crosses = (crosses ?? []).map((given) => this.#crossOf(op, given));
    this.preprocessors = Object.fromEntries(
      Object.entries(this.features).map(([key, { preprocessor }]) => [key, preprocessor]),
    );
    this.crossers = Object.fromEntries(
      this.crosses.map((cross) => [
        cross.name,
        hashedCrossing({ numBins: cross.crossingDim, name: cross.name }),
      ]),
    );
  }

  /** The layers that encode integers. */
  get oneHotEncoders(): Readonly<Record<string, CategoryEncoding>> {
    return this.#graph?.oneHotEncoders ?? {};
  }

  /** The layer that joins the encoded features; null with outputMode 'dict', and before `adapt`. */
  get concat(): Concatenate | null {
    return this.#graph?.concat ?? null;
  }

  #featureOf(op: string, name: string, given: unknown): Feature {
    if (given instanceof Feature) return given;
    if (isPlainObject(given)) return readFeature(given as unknown as ConfiguredFeature);
    const type = oneOf(op, `features.${name}`, given, featureTypes);
    if (type === 'floatDiscretized') return floatDiscretized({ numBins: this.numDiscretizationBins, name });
    if (type === 'integerHashed') return integerHashed({ numBins: this.hashingDim, name });
    if (type === 'stringHashed') return stringHashed({ numBins: this.hashingDim, name });
    return { float, floatNormalized, floatRescaled, integerCategorical, stringCategorical }[type]({ name });
  }

  #crossOf(op: string, given: unknown): Cross {
    const { crossingDim } = this;
    const isList = Array.isArray(given);
    if (isList && crossingDim === null) {
      throw new ValueError({
        op,
        rule: 'a list of names in `crosses` has `crossingDim` buckets.',
        received: 'crossingDim: null',
        hint: 'pass a crossingDim, or FeatureSpace.cross({ featureNames, crossingDim }).',
      });
    }
    const named = isList ? { featureNames: given, crossingDim: crossingDim as number } : given;
    const cross = named instanceof Cross ? named : new Cross((named ?? {}) as CrossOptions);
    const unknown = cross.featureNames.find((name) => !Object.hasOwn(this.features, name));
    if (unknown === undefined) return cross;
    throw new ValueError({
      op,
      rule: 'the features in `crosses` are among `features`.',
      received: `${describe(unknown)} in ${describe(cross.featureNames)}`,
      hint: suggestionFor(unknown, Object.keys(this.features), 'declare it in `features`.'),
    });
  }

  /**
   * Learns vocabularies, moments and bins from a record of lists, or from a dataset whose elements are records of samples or batches.
   * Layers that were given what they need keep it.
   * Errors: ValueError for other data, and for a record without a feature.
   */
  async adapt(data: AdaptData): Promise<void> {
    const op = `${this.name}.adapt`;
    const names = Object.keys(this.features).filter((name) => learns(this.#layer(name)));
    const batches = await batchesOf(op, data, names);
    for (const [name, found] of batches) await adaptLayer(this.#layer(name), found);
    this.#isAdapted = true;
    this.#graph = new FeatureGraph(this);
  }

  /**
   * Returns the encoded features of a sample or a batch: numbers and strings, alone or in lists, typed arrays or tensors by the names of
   * features. A sample has no axis for the batch in the result, either.
   */
  apply(data: FeatureData): Encoded<M, Tensor> {
    const graph = this.#requireBuilt();
    return tidy(() => {
      const inputs = this.toInputs(data);
      const isSample = Object.keys(this.features).some(
        (name) => rankOf(this.name, name, data[name] as FeatureValue) === 0,
      );
      const encoded = graph.encode(inputs);
      return isSample ? withoutBatch(encoded) : encoded;
    }) as Encoded<M, Tensor>;
  }

  /** Returns what a model of `getInputs` takes, by the names of features: each as a column, strings and hashes as integers. */
  toInputs(data: FeatureData): Record<string, Tensor> {
    this.#requireBuilt();
    return inputsOf(this.name, this.features, data);
  }

  /**
   * Returns the symbolic inputs by the names of features, for a model. Those of strings and hashes take what `toInputs` makes of them.
   * Errors: ValueError before `adapt`.
   */
  getInputs(): Record<string, KerasTensor> {
    return { ...this.#requireBuilt().inputs };
  }

  /** Returns the encoded features of `getInputs` as symbolic tensors. Errors: ValueError before `adapt`. */
  getEncodedFeatures(): Encoded<M, KerasTensor> {
    return this.#requireBuilt().encoded as Encoded<M, KerasTensor>;
  }

  /** Returns all options, with vocabularies and boundaries of bins that were learned. */
  getConfig(): FeatureSpaceOptions<M> & { features: Record<string, ConfiguredFeature> } {
    const { outputMode, crossingDim, hashingDim, numDiscretizationBins, name } = this;
    const features = Object.entries(this.features).map(
      ([key, feature]) => [key, writeFeature(feature)] as const,
    );
    const crosses = this.crosses.map(({ featureNames, crossingDim: buckets, outputMode: mode }) => ({
      featureNames,
      crossingDim: buckets,
      outputMode: mode,
    }));
    const sizes = { crossingDim, hashingDim, numDiscretizationBins };
    return { features: Object.fromEntries(features), outputMode, crosses, ...sizes, name };
  }

  /**
   * Saves it to a `.keras` file, which Keras's `load_model` and `FeatureSpace.load` read.
   * Errors: ValueError before `adapt`, and for a target that can't be written to; FormatError for layers without a name in files.
   */
  async save(target: SaveTarget, options: { signal?: AbortSignal } = {}): Promise<void> {
    checkOptions(`${this.name}.save`, options, ['signal']);
    this.#requireBuilt();
    const { saveFeatureSpace } = await import('./saveFeatureSpace.ts');
    await saveFeatureSpace(this, target, options);
  }

  /**
   * Marks it as adapted and creates the weights of its layers, whose values are in a file.
   * @internal
   */
  buildLoaded(): void {
    this.#isAdapted = true;
    this.#graph ??= new FeatureGraph(this);
  }

  /** Frees the weights of its layers. */
  dispose(): void {
    for (const layer of Object.values(this.preprocessors)) if (!isOnHost(layer)) layer.dispose();
    for (const layer of Object.values({ ...this.crossers, ...this.oneHotEncoders })) layer.dispose();
    this.concat?.dispose();
  }

  #layer(name: string): Preprocessor {
    return this.preprocessors[name] as Preprocessor;
  }

  #requireBuilt(): FeatureGraph {
    if (this.#graph) return this.#graph;
    if (!this.#isAdapted && Object.values(this.preprocessors).some(learns)) {
      throw new ValueError({
        op: this.name,
        rule: 'its layers learn from data before it is used.',
        received: 'a feature space that was not adapted',
        hint: 'await space.adapt(data) first.',
      });
    }
    this.#graph = new FeatureGraph(this);
    return this.#graph;
  }
}

const categorical = { maxTokens: true, numOovIndices: true, outputMode: true, name: true };
const hashed = { numBins: true, outputMode: true, name: true };

/** Takes the axis of the only sample away. */
function withoutBatch(encoded: Tensor | Record<string, Tensor>): Tensor | Record<string, Tensor> {
  if (encoded instanceof Tensor) return squeeze(encoded, { axis: 0 });
  const entries = Object.entries(encoded).map(([name, feature]) => {
    const isRow = feature.rank === 2 && feature.shape[0] === 1;
    return [name, isRow ? squeeze(feature, { axis: 0 }) : feature] as const;
  });
  return Object.fromEntries(entries);
}

function noFeatures(op: string, received: unknown): ValueError {
  return new ValueError({
    op,
    rule: '`features` are one or more, by their names.',
    received: `features: ${describe(received)}`,
    hint: "pass { age: 'floatNormalized', sex: 'stringCategorical' }.",
  });
}
