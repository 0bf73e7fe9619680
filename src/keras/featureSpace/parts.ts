/** @file What files hold of a feature space: its options and the layers that have state, by the paths under which Keras saves them. */
import type { Tensor } from '../../tensor/tensor.ts';
import { type AnyLayer, Layer } from '../layers/base/layer.ts';
import { snakeCase } from '../names.ts';
import { type Cross, type Feature, isOnHost, type Preprocessor, type TextPreprocessor } from './features.ts';

/** A feature space, as far as files know it. */
export interface SavedSpace {
  readonly name: string;
  readonly features: Readonly<Record<string, Feature>>;
  readonly outputMode: string;
  readonly crosses: readonly Cross[];
  readonly crossingDim: number | null;
  readonly hashingDim: number;
  readonly numDiscretizationBins: number;
  readonly preprocessors: Readonly<Record<string, Preprocessor>>;
  readonly crossers: Readonly<Record<string, object>>;
  readonly oneHotEncoders: Readonly<Record<string, object>>;
  readonly concat: object | null;
}

/** The module of Keras's classes of features. */
export const module = 'keras.src.layers.preprocessing.feature_space';

/** The layers of a feature space in the properties of one. */
class Parts extends Layer {
  static override readonly className = 'FeatureSpace';
  readonly preprocessors: object;
  readonly crossers: object;
  readonly oneHotEncoders: object;
  readonly concat: object | null;

  constructor({ name, preprocessors, crossers, oneHotEncoders, concat }: SavedSpace) {
    super({ name });
    this.preprocessors = { ...preprocessors };
    this.crossers = { ...crossers };
    this.oneHotEncoders = { ...oneHotEncoders };
    this.concat = concat;
  }

  override call(x: Tensor): Tensor {
    return x;
  }
}

export function partsOf(space: SavedSpace): AnyLayer {
  return new Parts(space) as unknown as AnyLayer;
}

/** Layers of strings by their paths: they are no layers of a model, whose paths are found by its properties. */
export function textLayersOf({ preprocessors }: SavedSpace): ReadonlyMap<string, TextPreprocessor> {
  const counts = new Map<string, number>();
  const found = new Map<string, TextPreprocessor>();
  for (const layer of Object.values(preprocessors)) {
    if (!isOnHost(layer)) continue;
    const kind = snakeCase(layer.className);
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    found.set(`preprocessors/${kind}${count === 0 ? '' : `_${count}`}`, layer);
  }
  return found;
}
