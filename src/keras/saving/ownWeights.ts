/** @file The weights that belong to the layers of a model themselves, each layer visited once however deep models are nested. */
import type { Variable } from '../../tensor/variable.ts';
import type { AnyLayer } from '../layers/base/layer.ts';

/**
 * Returns a function to the weights of a layer of `model` that don't belong to a layer inside it. A property of a wrapper may hold
 * a weight of the layer inside.
 */
export function ownWeightsIn(model: AnyLayer): (layer: AnyLayer) => readonly Variable[] {
  const owners = new Map<Variable, number>();
  for (const { ownWeights } of [model, ...model.layersInside])
    for (const weight of ownWeights) owners.set(weight, (owners.get(weight) ?? 0) + 1);
  return (layer) => {
    const { ownWeights } = layer;
    if (ownWeights.every((weight) => owners.get(weight) === 1)) return ownWeights;
    const inside = new Set(layer.layersInside.flatMap((inner) => inner.ownWeights));
    return ownWeights.filter((weight) => !inside.has(weight));
  };
}
