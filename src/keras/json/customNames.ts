/**
 * @file How files name the classes of an app: by module and class of Python, next to the registered name. Here they mean
 * nothing, but a file that is written again has them, as Keras would write it.
 */
import type { JsonObject } from './document.ts';

interface PythonNames {
  readonly module: string | null;
  readonly class_name: string;
}

const stored = new WeakMap<object, PythonNames>();

export function rememberNames(layer: object, { module, class_name: className }: JsonObject): void {
  if (typeof className !== 'string') return;
  stored.set(layer, { module: typeof module === 'string' ? module : null, class_name: className });
}

/** Returns the names that the layer had in its file; undefined for one that was made here. */
export function storedNames(layer: object): PythonNames | undefined {
  return stored.get(layer);
}
