/**
 * @file The optimizers that TF.js has in the form of Keras, and the losses and metrics that both compute. TF.js keeps the state
 * of an optimizer as weights: the number of steps, then one slot after another, each for all variables.
 */
import type { Json } from '../json/document.ts';

/** An optimizer in both. */
export interface LayersOptimizer {
  /** In TF.js. */
  readonly className: string;
  /** Keras's. */
  readonly keras: string;
  /** Names of options in TF.js, and Keras's. */
  readonly options: Readonly<Record<string, string>>;
  /** Ends of the names of slots in TF.js, in the order of both. */
  readonly slots: readonly string[];
  /** Whether Keras has the slots of each variable next to each other, rather than each slot of all variables. */
  readonly isByVariable?: boolean;
  /** Slots of TF.js that Keras doesn't have. */
  readonly unused?: readonly string[];
  /** What a slot of TF.js is multiplied with to become Keras's: Keras keeps moves, TF.js sums of gradients. */
  readonly scale?: (learningRate: number) => number;
  /** Whether it is this one, of those with its class in Keras. */
  readonly fits?: (options: Readonly<Record<string, Json>>) => boolean;
}

const hasMomentum = ({ momentum }: Readonly<Record<string, Json>>) => Boolean(momentum);
const rmsOptions = { learningRate: 'learning_rate', decay: 'rho', momentum: 'momentum', epsilon: 'epsilon' };

/**
 * Adadelta divides by the mean before the step in TF.js, and Adamax can't be saved there. RMSprop with `centered` subtracts
 * epsilon there and adds it here.
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

/** Losses by their names in Keras, and in the files of TF.js. */
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

/** Names of losses or metrics in a nest: as TF.js has them, or as Keras has them; undefined where one isn't in both. */
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
