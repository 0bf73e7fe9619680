/** @file The random sequences of a model: those of layers with a seed, such as dropout. */
import { SeedSequence } from '../../ops/seeds.ts';
import { findInProperties } from '../layers/base/findInProperties.ts';
import type { AnyLayer } from '../layers/base/layer.ts';

/** Returns the random sequences of the model and of layers inside it, in order. */
export function seedsOf(model: object): SeedSequence[] {
  const inside = (model as Partial<AnyLayer>).layersInside ?? [];
  const isSeeds = (value: unknown): value is SeedSequence => value instanceof SeedSequence;
  return [...new Set([model, ...inside].flatMap((layer) => findInProperties(layer, isSeeds)))];
}
