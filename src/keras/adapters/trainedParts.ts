/** @file Freezes a model but for some layers and its adapters, and undoes it. */
import type { Variable } from '../../tensor/variable.ts';
import type { AdaptedLayer } from '../layers/base/adapter.ts';
import { variablesOf } from '../layers/base/adapterValues.ts';
import type { AnyLayer } from '../layers/base/layer.ts';

/** What was trainable before. */
interface Flags {
  readonly layers: ReadonlyMap<AnyLayer, boolean>;
  readonly weights: ReadonlyMap<Variable, boolean>;
}

const flagsBefore = new WeakMap<AnyLayer, Flags>();

/** Notes what is trained. Call it before adapters are added. */
export function rememberTrained(model: AnyLayer): void {
  if (!flagsBefore.has(model)) flagsBefore.set(model, flagsOf(model));
}

/**
 * Freezes `model`, except adapters in use, the layers `whole` and the weights `single`. Layers around those stay trainable, since a
 * frozen layer trains nothing inside it.
 */
export function trainOnlyAdapters(
  model: AnyLayer,
  whole: ReadonlySet<AnyLayer>,
  single: ReadonlySet<Variable> = new Set(),
): void {
  model.trainable = true;
  const visited = new Map<AnyLayer, boolean>();
  /** Returns whether anything in `layer` is trained. */
  const visit = (layer: AnyLayer): boolean => {
    const known = visited.get(layer);
    if (known !== undefined) return known;
    visited.set(layer, true);
    if (whole.has(layer)) return true;
    const inside = layer.sublayers.filter(visit).length > 0;
    const own = ownWeights(layer);
    const trained = new Set([...adapterWeights(layer), ...own.filter((weight) => single.has(weight))]);
    const isTrained = inside || trained.size > 0;
    visited.set(layer, isTrained);
    if (!isTrained) layer.trainable = false;
    else for (const weight of own) if (!trained.has(weight)) weight.trainable = false;
    return isTrained;
  };
  visit(model);
}

/** Trains again what was trained before the first adapter. */
export function restoreTrained(model: AnyLayer): void {
  const flags = flagsBefore.get(model);
  flagsBefore.delete(model);
  // Layers around others come first: they set those inside.
  for (const [layer, trainable] of flags?.layers ?? []) layer.trainable = trainable;
  for (const [weight, trainable] of flags?.weights ?? []) if (!weight.disposed) weight.trainable = trainable;
}

function flagsOf(model: AnyLayer): Flags {
  const layers = [model, ...model.layersInside];
  return {
    layers: new Map(layers.map((layer) => [layer, layer.trainable])),
    weights: new Map(model.weights.map((weight) => [weight, weight.trainable])),
  };
}

function adapterWeights(layer: AnyLayer): ReadonlySet<Variable> {
  const { adapters } = layer as Partial<AdaptedLayer>;
  return new Set([...(adapters?.values() ?? [])].flatMap(variablesOf));
}

function ownWeights(layer: AnyLayer): Variable[] {
  const others = new Set(layer.sublayers.flatMap(({ weights }) => weights));
  return layer.weights.filter((weight) => !others.has(weight));
}
