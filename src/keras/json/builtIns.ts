/** @file The classes that files may name without anything being registered. */
import * as layers from '../layers/index.ts';
import { Functional } from '../models/functional.ts';
import { Sequential } from '../models/sequential.ts';
import { nameOfItem, type Registrable } from '../serialization/registered.ts';

/** Base classes, which make no layer. */
const abstract = new Set(['Layer', 'RNNCell']);

let classes: ReadonlyMap<string, Registrable> | null = null;

/** Layers and models by their class's name. Gathered when it is first asked for. */
export function builtInClasses(): ReadonlyMap<string, Registrable> {
  classes ??= new Map(
    [...Object.values(layers), Functional, Sequential]
      .filter((item) => typeof item === 'function' && Object.hasOwn(item, 'className'))
      .map((item) => [nameOfItem(item as Registrable), item as Registrable] as const)
      .filter(([name]) => !abstract.has(name)),
  );
  return classes;
}
