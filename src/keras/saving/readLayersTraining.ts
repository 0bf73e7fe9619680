/** @file Reads how TF.js compiled a model that it saved with its optimizer, in the form of Keras, with the optimizer's state. */
import type { HostArray } from '../../formats/numbers.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { isObject, type Json, type JsonObject } from '../json/document.ts';
import { type LayersOptimizer, layersOptimizers, renamed } from './layersOptimizers.ts';

/** Compilation in the form of older Keras files. */
export interface LayersTraining {
  readonly config: JsonObject;
  /** Null if there is no matching state. */
  readonly state: readonly StoredTensor[] | null;
}

/**
 * `training` is TF.js's description; `weights` are the optimizer's, by name. Null if Keras doesn't have it, or computes it
 * differently.
 */
export function readLayersTraining(
  training: unknown,
  weights: ReadonlyMap<string, StoredTensor>,
): LayersTraining | null {
  if (!isObject(training) || !isObject(training.optimizer_config)) return null;
  const { loss = null, metrics: measured = null, optimizer_config: optimizer } = training;
  const [losses, metrics] = [renamed('losses', 'keras', loss), renamed('metrics', 'keras', measured)];
  const { class_name: className, config } = optimizer;
  const options = isObject(config) ? config : {};
  const rule = layersOptimizers.find(
    (found) => found.className === className && (found.fits?.(options) ?? true),
  );
  if (!rule || losses === undefined || metrics === undefined || options.centered === true) return null;
  const given = Object.entries(rule.options)
    .filter(([name]) => Object.hasOwn(options, name))
    .map(([name, theirs]): [string, Json] => [theirs, options[name] ?? null]);
  return {
    config: {
      loss: losses,
      metrics,
      optimizer_config: { class_name: rule.keras, config: Object.fromEntries(given) },
    },
    state: stateOf(rule, Number(options.learningRate), [...weights]),
  };
}

/** Returns the number of steps, the learning rate, and the slots in Keras's order. */
function stateOf(
  rule: LayersOptimizer,
  learningRate: number,
  [first, ...rest]: readonly (readonly [name: string, tensor: StoredTensor])[],
): StoredTensor[] | null {
  if (first?.[0] !== 'iter' || !Number.isFinite(learningRate)) return null;
  const all = [...rule.slots, ...(rule.unused ?? [])];
  const count = rest.length / Math.max(1, all.length);
  const slots = all.map((slot, i) =>
    rest.slice(i * count, (i + 1) * count).map((entry) => [slot, entry] as const),
  );
  const isSound = slots.flat().every(([slot, [name]]) => name.endsWith(`/${slot}`));
  if (!Number.isInteger(count) || !isSound || slots.flat().length !== rest.length) return null;
  const kept = slots
    .slice(0, rule.slots.length)
    .map((slot) => slot.map(([, [, tensor]]) => scaled(tensor, rule.scale?.(learningRate))));
  const rate: StoredTensor = {
    place: "option 'learningRate'",
    shape: [],
    dtype: 'float32',
    read: async () => Float32Array.of(learningRate),
  };
  return [first[1], rate, ...(rule.isByVariable ? byVariable(kept) : kept.flat())];
}

function byVariable(slots: readonly (readonly StoredTensor[])[]): StoredTensor[] {
  return (slots[0] ?? []).flatMap((_, i) => slots.map((slot) => slot[i] as StoredTensor));
}

function scaled(tensor: StoredTensor, by: number | undefined): StoredTensor {
  if (by === undefined) return tensor;
  const read = async (begin: number, end: number): Promise<HostArray> =>
    Float32Array.from(await tensor.read(begin, end), (value) => value * by);
  return { ...tensor, read };
}
