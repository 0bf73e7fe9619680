/**
 * @file The names of an app's classes in files: module and class of Python, next to the registered name. They have
 * no effect here, but are written again to files, as Keras would.
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
