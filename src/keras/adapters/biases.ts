/** @file The biases that are trained next to adapters. */
import type { Variable } from '../../tensor/variable.ts';
import type { AnyLayer } from '../layers/base/layer.ts';

/** Which biases are trained: none, those of all layers, or those of layers with an adapter. */
export type TrainedBiases = 'none' | 'all' | 'loraOnly';

/** The biases that are trained, where `adapted` are the layers with an adapter. Those of normalizations are called beta. */
export function trainedBiases(
  model: AnyLayer,
  which: TrainedBiases,
  adapted: readonly { readonly weights: readonly Variable[] }[],
): ReadonlySet<Variable> {
  if (which === 'none') return new Set();
  const layers = which === 'all' ? model.layersInside : adapted;
  const weights = layers.flatMap(({ weights }) => weights);
  return new Set(weights.filter(({ path }) => /(^|\/)(bias|beta)$/.test(path)));
}
