/** @file The classes that files may use without registration: layers and models. */
import { layerClasses } from '../json/layerClasses.ts';
import { Identity } from '../layers/core/identity.ts';
import { Concatenate } from '../layers/merging/concatenate.ts';
import { Functional } from '../models/functional.ts';
import { Sequential } from '../models/sequential.ts';
import type { Registrable } from '../serialization/registered.ts';

let classes: ReadonlyMap<string, Registrable> | null = null;

/** Layers and models by class name, collected at the first call. */
export function builtInClasses(): ReadonlyMap<string, Registrable> {
  classes ??= new Map<string, Registrable>([
    ...layerClasses(),
    ['Functional', Functional],
    // The parts of a FeatureSpace in the graph of a model.
    ['TFDConcat', Concatenate],
    ['TFDIdentity', Identity],
    ['Sequential', Sequential],
  ]);
  return classes;
}
