/** @file Reads how a model was compiled from Keras's JSON: optimizer, losses and metrics. */
import { isObject, type Json, type JsonObject } from './document.ts';
import { placed, invalid } from './jsonErrors.ts';
import { camelKey } from './optionNames.ts';
import { readValue } from './readValue.ts';
import type { Reader } from './reader.ts';
import type { WrittenCompileOptions } from './writtenModel.ts';

/** The options of `compile`, as read from a file. */
export interface StoredCompileOptions extends WrittenCompileOptions {
  readonly optimizer?: string | { readonly className: string; readonly config: Record<string, unknown> };
}

/** Options of optimizers that older versions of Keras wrote and that have no effect. */
const obsolete = new Set(['decay', 'jitCompile', 'isLegacyOptimizer']);

/**
 * Returns the options of a `compile_config`, or of the `training_config` of an older file; null for a model that wasn't compiled.
 * Errors: FormatError.
 */
export function readCompileConfig(reader: Reader, config: Json, place: string): StoredCompileOptions | null {
  if (config === null || (isObject(config) && Object.keys(config).length === 0)) return null;
  if (!isObject(config)) throw notOptions(reader, config, place);
  const { optimizer = null, optimizer_config: older = null, run_eagerly: runEagerly = false } = config;
  // 'auto', for which TensorFlow measures a value, is 1 here.
  const steps = Number.isInteger(config.steps_per_execution) ? (config.steps_per_execution as number) : 1;
  const read = (key: string) => nest(reader, config[key] ?? null, `${place}.${key}`);
  const given = optimizer ?? older;
  return {
    ...(given === null ? {} : { optimizer: readOptimizer(reader, given, place) }),
    loss: read('loss'),
    lossWeights: read('loss_weights'),
    metrics: read('metrics'),
    weightedMetrics: read('weighted_metrics'),
    runEagerly: runEagerly === true,
    ...(steps > 1 ? { stepsPerExecution: steps } : {}),
  };
}

/** Losses and metrics in their nest. Names are kept as they are. */
function nest(reader: Reader, value: Json, place: string): unknown {
  return placed(reader.source, place, () => readValue(reader, 'compile', value, place, () => null));
}

function readOptimizer(
  reader: Reader,
  given: Json,
  place: string,
): NonNullable<StoredCompileOptions['optimizer']> {
  if (typeof given === 'string') return given;
  const {
    class_name: className,
    config,
    registered_name: registered,
  } = isObject(given) ? given : ({} as JsonObject);
  if (typeof className !== 'string' || !isObject(config))
    throw notOptions(reader, given, `${place}.optimizer`);
  const at = `${place}.optimizer.config`;
  const entries = Object.entries(config)
    .filter(([key]) => !obsolete.has(camelKey(key)))
    .map(([key, value]) => [
      camelKey(key),
      readValue(reader, camelKey(key), value, `${at}.${key}`, () => null),
    ]);
  const isOwn = typeof registered === 'string' && registered.includes('>');
  return { className: isOwn ? registered : className, config: Object.fromEntries(entries) };
}

function notOptions({ source }: Reader, received: Json, place: string): Error {
  return invalid(source, {
    place,
    rule: 'how a model was compiled is an object of options.',
    received,
    hint: 'load it with { compile: false }, and compile it again.',
  });
}
