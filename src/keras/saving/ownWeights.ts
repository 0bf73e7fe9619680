/** @file The weights that belong to the layers of a model themselves, each layer visited once however deep models are nested. */
import type { Pieces } from '../../core/pieces.ts';
import type { Variable } from '../../tensor/variable.ts';
import type { AnyLayer } from '../layers/base/layer.ts';

/**
 * Returns a function to the weights of a layer of `model` that don't belong to a layer inside it. A property of a wrapper may hold
 * a weight of the layer inside.
 */
export function* ownWeightsIn(model: AnyLayer): Pieces<(layer: AnyLayer) => readonly Variable[]> {
  const owners = new Map<Variable, number>();
  for (const layer of [model, ...model.layersInside]) {
    for (const weight of listed(layer)) owners.set(weight, (owners.get(weight) ?? 0) + 1);
    yield;
  }
  return (layer) => {
    const own = listed(layer);
    if (own.every((weight) => owners.get(weight) === 1)) return own;
    const inside = new Set(layer.layersInside.flatMap(listed));
    return own.filter((weight) => !inside.has(weight));
  };
}

/** A class with a getter of its own for `weights` lists those inside it there, too. */
function listed(layer: AnyLayer): readonly Variable[] {
  return overridesWeights(layer) ? layer.weights : layer.ownWeights;
}

/** Whether a class between that of `layer` and the base, which has both getters, has one for `weights`. */
function overridesWeights(layer: AnyLayer): boolean {
  for (let at: object = layer; !Object.hasOwn(at, 'ownWeights'); at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'weights')) return true;
  return false;
}
