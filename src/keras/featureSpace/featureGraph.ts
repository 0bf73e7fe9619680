/** @file FeatureGraph: the layers that encode and join prepared features, and the same as a graph of symbolic tensors. */
import { ValueError } from '../../core/errors.ts';
import type { OpenSpec } from '../../core/spec.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { KerasTensor } from '../graph/kerasTensor.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { input } from '../layers/core/inputLayer.ts';
import { type Concatenate, concatenate } from '../layers/merging/concatenate.ts';
import { CategoryEncoding, categoryEncoding } from '../layers/preprocessing/categoryEncoding.ts';
import { Discretization } from '../layers/preprocessing/discretization.ts';
import type { HashedCrossing } from '../layers/preprocessing/hashedCrossing.ts';
import { Hashing } from '../layers/preprocessing/hashing.ts';
import { IntegerLookup } from '../layers/preprocessing/integerLookup.ts';
import { StringLookup } from '../layers/preprocessing/stringLookup.ts';
import { TextVectorization } from '../layers/preprocessing/textVectorization.ts';
import type { FeatureSpaceOutput } from './featureSpaceOptions.ts';
import { type Cross, type Feature, isOnHost } from './features.ts';

/** What is encoded, and how. */
export interface EncodedSpace {
  readonly name: string;
  readonly features: Readonly<Record<string, Feature>>;
  readonly crosses: readonly Cross[];
  readonly crossers: Readonly<Record<string, HashedCrossing>>;
  readonly outputMode: FeatureSpaceOutput;
}

/** Applies a layer to a tensor, or to a symbolic one. */
type Apply<T> = (layer: AnyLayer, x: T | readonly T[]) => T;

const applyToSymbols: Apply<KerasTensor> = (layer, x) => layer.apply(x as SymbolicTensor) as KerasTensor;
const applyToTensors: Apply<Tensor> = (layer, x) => layer.apply(x as Tensor) as Tensor;

export class FeatureGraph {
  readonly inputs: Readonly<Record<string, KerasTensor>>;
  readonly encoded: KerasTensor | Record<string, KerasTensor>;
  readonly oneHotEncoders: Readonly<Record<string, CategoryEncoding>>;
  /** Null where the features stay apart. */
  readonly concat: Concatenate | null;

  /** Errors: ValueError for features that can't be encoded or joined. */
  constructor(private readonly space: EncodedSpace) {
    this.inputs = Object.fromEntries(
      Object.entries(space.features).map(([name, feature]) => [name, inputOf(name, feature)]),
    );
    const prepared = this.#prepare(this.inputs, applyToSymbols);
    const crosses = Object.fromEntries(space.crosses.map((cross) => [cross.name, cross]));
    const outputs: Readonly<Record<string, Feature | Cross>> = { ...space.features, ...crosses };
    const encoders: Record<string, CategoryEncoding> = {};
    for (const name of this.#names) {
      if (outputs[name]?.outputMode === 'oneHot')
        encoders[name] = this.#encoderOf(name, prepared[name] as OpenSpec);
    }
    this.oneHotEncoders = encoders;
    this.concat = space.outputMode === 'concat' ? concatenate({ axis: -1 }) : null;
    if (this.concat)
      for (const name of this.#names)
        if (!encoders[name]) this.#requireFloats(name, prepared[name] as OpenSpec);
    this.encoded = this.#merge(prepared, applyToSymbols);
  }

  /** Encodes what `inputsOf` returns. */
  encode(inputs: Readonly<Record<string, Tensor>>): Tensor | Record<string, Tensor> {
    return this.#merge(this.#prepare(inputs, applyToTensors), applyToTensors);
  }

  #encoderOf(name: string, { dtype }: OpenSpec): CategoryEncoding {
    const { features, crossers } = this.space;
    const layer = features[name]?.preprocessor ?? crossers[name];
    if (dtype !== 'int32') {
      throw this.#notEncoded(
        `feature '${name}' has outputMode 'oneHot', so its layer returns integers.`,
        dtype,
        "use outputMode: 'float'.",
      );
    }
    const numTokens = cardinalityOf(layer);
    if (numTokens !== null) return categoryEncoding({ numTokens, outputMode: 'multiHot' });
    throw this.#notEncoded(
      `feature '${name}' has outputMode 'oneHot', so its layer has a known number of categories.`,
      String(layer),
      "use outputMode: 'int', or a lookup, a hash or bins.",
    );
  }

  #requireFloats(name: string, { dtype }: OpenSpec): void {
    if (dtype !== 'int32') return;
    const hint = "use outputMode: 'dict' of the feature space, or 'oneHot' of the feature.";
    throw this.#notEncoded(`features that are joined are floats; '${name}' isn't encoded.`, dtype, hint);
  }

  #notEncoded(rule: string, received: string, hint: string): ValueError {
    return new ValueError({ op: this.space.name, rule, received, hint });
  }

  /** Names in the order of the result. */
  get #names(): readonly string[] {
    return [...Object.keys(this.space.features).toSorted(), ...Object.keys(this.space.crossers).toSorted()];
  }

  /** Applies the layers of features and of combinations. Inputs of layers on the host are what those return. */
  #prepare<T>(inputs: Readonly<Record<string, T>>, apply: Apply<T>): Record<string, T> {
    const prepared: Record<string, T> = {};
    for (const [name, { preprocessor }] of Object.entries(this.space.features))
      prepared[name] = isOnHost(preprocessor)
        ? (inputs[name] as T)
        : apply(preprocessor as unknown as AnyLayer, inputs[name] as T);
    for (const { name, featureNames } of this.space.crosses) {
      const crosser = this.space.crossers[name] as unknown as AnyLayer;
      prepared[name] = apply(
        crosser,
        featureNames.map((feature) => prepared[feature] as T),
      );
    }
    return prepared;
  }

  #merge<T>(prepared: Readonly<Record<string, T>>, apply: Apply<T>): T | Record<string, T> {
    const encoded = this.#names.map((name) => {
      const encoder = this.oneHotEncoders[name];
      const feature = prepared[name] as T;
      return [name, encoder ? apply(encoder as unknown as AnyLayer, feature) : feature] as const;
    });
    if (!this.concat) return Object.fromEntries(encoded);
    return apply(
      this.concat as unknown as AnyLayer,
      encoded.map(([, feature]) => feature),
    );
  }
}

/** The symbolic input of a feature: what its layer takes, or what it returns if it runs on the host. */
function inputOf(name: string, { dtype, preprocessor }: Feature): KerasTensor {
  if (!isOnHost(preprocessor))
    return input({ shape: [1], dtype: dtype === 'string' ? 'int32' : dtype, name });
  const value = dtype === 'string' ? '' : 0;
  const found = tidy(() => {
    const { shape, dtype: type } = preprocessor.apply([[value]] as never) as Tensor;
    return { shape: shape.slice(1), dtype: type };
  });
  const isOpen =
    preprocessor instanceof TextVectorization &&
    found.dtype === 'int32' &&
    preprocessor.outputSequenceLength === null;
  return input({ shape: isOpen ? [null] : found.shape, dtype: found.dtype, name });
}

/** The number of integers that a layer returns; null if it is unknown. */
function cardinalityOf(layer: unknown): number | null {
  if (layer instanceof IntegerLookup || layer instanceof StringLookup) return layer.vocabularySize();
  if (layer instanceof CategoryEncoding) return layer.numTokens;
  if (layer instanceof Discretization) return layer.numBins ?? (layer.binBoundaries?.length ?? 0) + 1;
  const { numBins = null } = layer as Partial<HashedCrossing>;
  return layer instanceof Hashing || numBins !== null ? numBins : null;
}
