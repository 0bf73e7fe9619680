/**
 * @file Rewrites how Keras 2 compiled a model in the form of Keras 3: wrapped functions, options that were renamed, and decays
 * that were numbers of the optimizer.
 */
import { isObject, type Json, type JsonObject } from './document.ts';

/** Optimizers of Keras 2, whose files may name them as if an app had registered them. */
const optimizers = /^(SGD|RMSprop|Adam|AdamW|Adagrad|Adadelta|Adafactor|Adamax|Nadam|Ftrl|Lion)$/;

/** Classes that are one class in Keras 3. */
const renamedOptimizers: Readonly<Record<string, string>> = {
  LossScaleOptimizerV1: 'LossScaleOptimizer',
  LossScaleOptimizerV3: 'LossScaleOptimizer',
  NonFusedAdam: 'Adam',
};

/** Options that affect only how something is computed, or that have no effect. */
const obsolete: ReadonlySet<string> = new Set(['is_legacy_optimizer', 'jit_compile', 'schedule_decay']);

/** Classes that only hold a function: losses and metrics by their functions. */
const wrappers = /^(MeanMetricWrapper|SumOverBatchSizeMetricWrapper|LossFunctionWrapper)$/;

/** Returns a `training_config` of an HDF5 file, or a `compile_config`, as Keras 3 describes it. */
export function upgradeTraining(config: JsonObject): JsonObject {
  const upgraded = Object.entries(config).map(([key, value]): [string, Json] => {
    if (key === 'optimizer' || key === 'optimizer_config') return [key, upgradeOptimizer(value)];
    const measures = key === 'loss' || key === 'metrics' || key === 'weighted_metrics';
    return [key, measures ? upgradeMeasures(value) : value];
  });
  return Object.fromEntries(upgraded);
}

function upgradeOptimizer(given: Json): Json {
  if (!isObject(given) || typeof given.class_name !== 'string') return given;
  const plain = given.class_name.replace(/^Custom>/, '');
  const known = renamedOptimizers[plain] ?? plain;
  const isKeras = optimizers.test(known) || known === 'LossScaleOptimizer';
  const config = isObject(given.config) ? given.config : {};
  return {
    ...given,
    ...(isKeras ? { class_name: known, registered_name: null } : {}),
    config: known === 'LossScaleOptimizer' ? upgradeScaling(config) : upgradeOptions(config),
  };
}

function upgradeOptions({ lr = null, decay = null, ...config }: JsonObject): JsonObject {
  const { learning_rate: rate = lr, ...rest } = withoutNulls(config, obsolete);
  const upgraded = rate === null ? null : upgradeRate(rate, decay);
  return { ...rest, ...(upgraded === null ? {} : { learning_rate: upgraded }) };
}

/** A number with a decay is the schedule rate / (1 + decay · step). */
function upgradeRate(rate: Json, decay: Json): Json {
  if (isObject(rate)) {
    const { config = null } = rate;
    return { ...rest(rate), ...(isObject(config) ? { config: withoutNulls(config) } : {}) };
  }
  if (typeof rate !== 'number' || typeof decay !== 'number' || decay === 0) return rate;
  return {
    class_name: 'InverseTimeDecay',
    config: { initial_learning_rate: rate, decay_steps: 1, decay_rate: decay },
  };
}

/** Without the name under which Keras 2 registered its own classes. */
function rest({ registered_name: _, ...object }: JsonObject): JsonObject {
  return object;
}

/** The scale was an object in the first versions, which had only the kind that adapts. */
function upgradeScaling(config: JsonObject): JsonObject {
  const {
    optimizer = null,
    inner_optimizer: inner = optimizer,
    loss_scale: older = null,
    ...options
  } = config;
  const { dynamic = true, ...kept } = withoutNulls(options, obsolete);
  const scale = isObject(older) && isObject(older.config) ? older.config : {};
  const { initial_loss_scale: initialScale, increment_period: steps } = scale;
  return {
    inner_optimizer: upgradeOptimizer(inner),
    ...kept,
    ...(initialScale === undefined ? {} : { initial_scale: initialScale }),
    ...(steps === undefined ? {} : { dynamic_growth_steps: steps }),
    ...(dynamic === true ? {} : { dynamic }),
  };
}

/** Losses or metrics, in their nest. */
function upgradeMeasures(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => upgradeMeasures(item));
  if (!isObject(value)) return value;
  if (typeof value.class_name !== 'string')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, upgradeMeasures(item)]));
  if (!isObject(value.config)) return value;
  const { fn = null, reduction = null, ...config } = value.config;
  const name = isObject(fn) ? (fn.config ?? null) : fn;
  const isWrapped = wrappers.test(value.class_name) && typeof name === 'string';
  return {
    ...value,
    ...(isWrapped ? { class_name: name, registered_name: null } : {}),
    config: {
      ...config,
      ...(reduction === null ? {} : { reduction: reduction === 'auto' ? 'sum_over_batch_size' : reduction }),
    },
  };
}

/** Removes nulls, which meant the default: some options here don't accept null. */
export function withoutNulls(config: JsonObject, left: ReadonlySet<string> = new Set()): JsonObject {
  return Object.fromEntries(
    Object.entries(config).filter(([key, value]) => value !== null && !left.has(key)),
  );
}
