/**
 * @file Takes references to the state of a model, before the code that saves it is loaded. No values are copied: a variable that gets
 * others leaves the held ones behind.
 */
import { SeedSequence } from '../../ops/define/seeds.ts';
import { Variable } from '../../tensor/variable.ts';
import { findInProperties } from '../layers/base/findInProperties.ts';
import type { HostVariable } from '../optimizers/hostVariable.ts';

/** The part of a model that is held. */
export interface HeldModel {
  readonly weights: readonly Variable[];
  readonly layersInside: readonly object[];
  readonly compileOptions: object | null;
  readonly optimizer: { readonly variables: readonly (Variable | HostVariable)[] } | null;
}

/** What was held, each with its values. The storages have to be released. */
export interface HeldParts {
  readonly storages: Map<Variable, Variable['current']>;
  readonly numbers: Map<HostVariable, number>;
  readonly seeds: Map<SeedSequence, number>;
}

export function holdState(model: HeldModel): HeldParts {
  const held: HeldParts = { storages: new Map(), numbers: new Map(), seeds: new Map() };
  const { variables = [] } = (model.compileOptions && model.optimizer) || {};
  for (const one of new Set([...model.weights, ...variables]))
    if (one instanceof Variable) held.storages.set(one, one.current.retain());
    else held.numbers.set(one, one.value);
  const isSeeds = (value: unknown): value is SeedSequence => value instanceof SeedSequence;
  for (const layer of [model, ...model.layersInside])
    for (const seeds of findInProperties(layer, isSeeds)) held.seeds.set(seeds, seeds.position);
  return held;
}
