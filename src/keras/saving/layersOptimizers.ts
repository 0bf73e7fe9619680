/**
 * @file The optimizers, losses and metrics that TF.js and Keras have in common. TF.js keeps the state
 * of an optimizer as weights: the number of steps, then one slot after another, each for all variables.
 */
import type { Json } from '../json/document.ts';

/** An optimizer that both have. */
export interface LayersOptimizer {
  /** The class in TF.js. */
  readonly className: string;
  /** The class in Keras. */
  readonly keras: string;
  /** Names of options in TF.js, with Keras's names. */
  readonly options: Readonly<Record<string, string>>;
  /** Suffixes of the names of slots in TF.js, in the order of both. */
  readonly slots: readonly string[];
  /** Whether Keras orders slots by variable, rather than one slot after another. */
  readonly isByVariable?: boolean;
  /** Slots of TF.js that Keras doesn't have. */
  readonly unused?: readonly string[];
  /** The factor that converts a slot of TF.js to Keras's: momentum in Keras includes the learning rate, in TF.js it doesn't. */
  readonly scale?: (learningRate: number) => number;
  /** Whether options select this entry, among those with the same class in Keras. */
  readonly fits?: (options: Readonly<Record<string, Json>>) => boolean;
}

const hasMomentum = ({ momentum }: Readonly<Record<string, Json>>) => Boolean(momentum);
const rmsOptions = { learningRate: 'learning_rate', decay: 'rho', momentum: 'momentum', epsilon: 'epsilon' };

/**
 * Not included: Adadelta, which divides by the old mean in TF.js; Adamax, which can't be saved there; and RMSprop with
 * `centered`, which subtracts epsilon there and adds it here.
 */
export const layersOptimizers: readonly LayersOptimizer[] = [
  {
    className: 'SGD',
    keras: 'SGD',
    options: { learningRate: 'learning_rate' },
    slots: [],
    fits: (options) => !hasMomentum(options),
  },
  {
    className: 'Momentum',
    keras: 'SGD',
    options: { learningRate: 'learning_rate', momentum: 'momentum', useNesterov: 'nesterov' },
    slots: ['momentum'],
    scale: (learningRate) => -learningRate,
    fits: hasMomentum,
  },
  {
    className: 'Adam',
    keras: 'Adam',
    options: { learningRate: 'learning_rate', beta1: 'beta_1', beta2: 'beta_2', epsilon: 'epsilon' },
    slots: ['m', 'v'],
    isByVariable: true,
  },
  {
    className: 'Adagrad',
    keras: 'Adagrad',
    options: { learningRate: 'learning_rate', initialAccumulatorValue: 'initial_accumulator_value' },
    slots: ['accumulator'],
  },
  {
    className: 'RMSProp',
    keras: 'RMSprop',
    options: rmsOptions,
    slots: ['rms', 'momentum'],
    fits: hasMomentum,
  },
  {
    className: 'RMSProp',
    keras: 'RMSprop',
    options: rmsOptions,
    slots: ['rms'],
    unused: ['momentum'],
    fits: (options) => !hasMomentum(options),
  },
];

/** Losses: Keras's names and those in files of TF.js. */
const losses: Readonly<Record<string, string>> = {
  mean_squared_error: 'mean_squared_error',
  mse: 'mean_squared_error',
  mean_absolute_error: 'mean_absolute_error',
  mae: 'mean_absolute_error',
  mean_absolute_percentage_error: 'mean_absolute_percentage_error',
  mape: 'mean_absolute_percentage_error',
  mean_squared_logarithmic_error: 'mean_squared_logarithmic_error',
  msle: 'mean_squared_logarithmic_error',
  squared_hinge: 'squared_hinge',
  hinge: 'hinge',
  categorical_hinge: 'categorical_hinge',
  log_cosh: 'logcosh',
  logcosh: 'logcosh',
  categorical_crossentropy: 'categorical_crossentropy',
  sparse_categorical_crossentropy: 'sparse_categorical_crossentropy',
  binary_crossentropy: 'binary_crossentropy',
  kl_divergence: 'kullback_leibler_divergence',
  kld: 'kullback_leibler_divergence',
  poisson: 'poisson',
};

const metrics: Readonly<Record<string, string>> = {
  accuracy: 'accuracy',
  acc: 'acc',
  binary_accuracy: 'binary_accuracy',
  categorical_accuracy: 'categorical_accuracy',
  categorical_crossentropy: 'categorical_crossentropy',
  mse: 'mse',
  mean_squared_error: 'mse',
  mae: 'mae',
  mean_absolute_error: 'mae',
  mape: 'mape',
};

/**
 * Returns the names of losses or metrics in a nest, converted to those of TF.js or of Keras; undefined if one doesn't exist in
 * both.
 */
export function renamed(kind: 'losses' | 'metrics', to: 'tfjs' | 'keras', nest: Json): Json | undefined {
  if (nest === null) return null;
  const table = kind === 'losses' ? losses : metrics;
  if (typeof nest === 'string') {
    if (to === 'tfjs') return Object.hasOwn(table, nest) ? table[nest] : undefined;
    return Object.keys(table).find((name) => table[name] === nest);
  }
  if (typeof nest !== 'object') return undefined;
  const entries = Object.entries(nest).map(([key, value]) => [key, renamed(kind, to, value)] as const);
  if (entries.some(([, value]) => value === undefined)) return undefined;
  if (Array.isArray(nest)) return entries.map(([, value]) => value as Json);
  return Object.fromEntries(entries) as Json;
}
