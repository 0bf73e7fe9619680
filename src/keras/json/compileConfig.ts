/** @file Writes how a model was compiled, in the form of Keras's JSON. */
import type { ClassConfig, Configured } from '../namedObjects.ts';
import { isObject, type Json, type JsonObject } from './document.ts';
import { snake } from './optionNames.ts';
import type { WrittenModel } from './writtenModel.ts';
import { type Writer, writeConfig } from './writeValue.ts';

/**
 * Optimizer, losses, their weights and metrics. Empty for a model that isn't compiled, or whose losses, metrics or map of
 * optimizers are functions: they must be given again when the model is loaded.
 */
export function compileConfig(writer: Writer, model: WrittenModel, optimizer: Configured | null): JsonObject {
  const compiled = lossesConfig(writer, model);
  if (!optimizer || Object.keys(compiled).length === 0) return compiled;
  const config = optimizer.getConfig();
  if (typeof config.optimizerMap === 'function') return {};
  const entry = optimizerEntry(writer, optimizer.className, config, 'compile_config.optimizer');
  return { optimizer: entry, ...compiled };
}

function lossesConfig(writer: Writer, model: WrittenModel): JsonObject {
  const options = model.compileOptions;
  if (!options) return {};
  const { loss, lossWeights, metrics, weightedMetrics, runEagerly = false, stepsPerExecution = 1 } = options;
  const losses = entriesIn(writer, 'keras.losses', loss ?? null);
  const measured = entriesIn(writer, 'keras.metrics', metrics ?? null);
  const weighted = entriesIn(writer, 'keras.metrics', weightedMetrics ?? null);
  if (losses === undefined || measured === undefined || weighted === undefined) return {};
  return {
    loss: losses,
    loss_weights: (lossWeights ?? null) as Json,
    metrics: measured,
    weighted_metrics: weighted,
    run_eagerly: runEagerly,
    steps_per_execution: stepsPerExecution,
    jit_compile: false,
  };
}

function optimizerEntry(
  writer: Writer,
  className: string,
  { name, learningRate, innerOptimizer, optimizerMap, ...options }: Readonly<Record<string, unknown>>,
  place: string,
): JsonObject {
  const nested = ({ className: type, config }: ClassConfig) =>
    optimizerEntry(writer, type, config ?? {}, place);
  const inner = innerOptimizer as ClassConfig | undefined;
  const map = optimizerMap as ClassConfig | undefined;
  const config = {
    name: name as string,
    ...(learningRate === undefined ? {} : { learning_rate: rateEntry(writer, learningRate) }),
    ...(inner ? { inner_optimizer: nested(inner) } : {}),
    ...(map ? { optimizer_map: mapEntry(map, nested) } : {}),
    ...writeConfig(writer, options, place),
  };
  return classEntry('keras.optimizers', className, config);
}

/** Returns which optimizer updates which variables. */
function mapEntry(
  { className, config = {} }: ClassConfig,
  nested: (inner: ClassConfig) => JsonObject,
): JsonObject {
  const { defaultOptimizer, optimizerMap } = config as {
    defaultOptimizer: ClassConfig;
    optimizerMap: Record<string, ClassConfig>;
  };
  const entries = Object.entries(optimizerMap).map(([pattern, inner]) => [pattern, nested(inner)] as const);
  return classEntry('keras.optimizers', className, {
    default_optimizer: nested(defaultOptimizer),
    optimizer_map: Object.fromEntries(entries),
  });
}

function rateEntry(writer: Writer, rate: unknown): Json {
  if (!isObject(rate)) return rate as number;
  return objectEntry(writer, 'keras.optimizers.schedules', rate as Partial<Configured>) ?? null;
}

/** Returns the losses or metrics of a nest; undefined if something in it has no name in files. */
function entriesIn(writer: Writer, module: string, nest: unknown): Json | undefined {
  if (nest === null) return null;
  // A class is written by its own name, such as AUC.
  if (typeof nest === 'string') return /^[A-Z]/.test(nest) ? nest : snake(nest);
  if (Array.isArray(nest)) {
    const entries = nest.map((item) => entriesIn(writer, module, item));
    return entries.includes(undefined) ? undefined : (entries as Json[]);
  }
  if (typeof nest !== 'object') return undefined;
  if (typeof (nest as Partial<Configured>).className === 'string') return objectEntry(writer, module, nest);
  if (Object.getPrototypeOf(nest) !== Object.prototype) return undefined;
  const entries = Object.entries(nest).map(
    ([key, value]) => [key, entriesIn(writer, module, value)] as const,
  );
  return entries.some(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(entries) as JsonObject);
}

/** Returns an object by its class, or by `{ className, config }`. Undefined if its configuration isn't plain JSON. */
function objectEntry(
  writer: Writer,
  module: string,
  given: Partial<Configured> & { config?: unknown },
): Json | undefined {
  const { className, config } = given;
  const options = typeof given.getConfig === 'function' ? given.getConfig() : (config ?? {});
  const isPlain = !Object.values(options).some((value) => typeof value === 'function');
  if (!isPlain || className === undefined) return undefined;
  return classEntry(module, className, writeConfig(writer, options as JsonObject, className));
}

/** Returns an object of a class of Keras, or of a registered class. */
function classEntry(module: string, className: string, config: JsonObject): JsonObject {
  const isRegistered = className.includes('>');
  return {
    module: isRegistered ? null : module,
    class_name: className.slice(className.indexOf('>') + 1),
    config,
    registered_name: isRegistered ? className : null,
  };
}
