/** @file The classes of layers that files may use without registration. */
import { Layer } from '../layers/base/layer.ts';
import * as layers from '../layers/index.ts';
import { kerasClassName } from '../names.ts';
import { nameOfItem, type Registrable } from '../serialization/registered.ts';

/** Abstract base classes. */
const abstract = new Set(['Layer', 'RNNCell']);

let classes: ReadonlyMap<string, Registrable> | null = null;

/** Classes of layers by name, collected at the first call. */
export function layerClasses(): ReadonlyMap<string, Registrable> {
  if (classes) return classes;
  const found = new Map(
    Object.values(layers)
      // Layers of strings take no tensors, so models don't have them.
      .filter((item) => typeof item === 'function' && item.prototype instanceof Layer)
      .map((item) => [nameOfItem(item as Registrable), item as Registrable] as const)
      .filter(([name]) => !abstract.has(name)),
  );
  // Files of HDF5 have the name of the class, which isn't the public one.
  for (const [name, type] of [...found]) found.set(kerasClassName(name), type);
  classes = found;
  return found;
}
