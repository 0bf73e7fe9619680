/** @file Factories of losses and metrics, by any of Keras's names for their products. */
import { foldName } from '../core/suggest.ts';
import { snakeCase } from './names.ts';

interface Names {
  readonly className: string;
  /** The default name of the created object. */
  readonly label?: string | null | undefined;
  readonly aliases?: readonly string[];
}

interface Named {
  readonly names: Names;
}

/** Returns the default name of an object: the label, or the class name in snake case. */
export function labelOf({ label, className }: Names): string {
  return label ?? snakeCase(className);
}

/** Returns the one of `makers` whose class, label or alias is `name`, however it is spelled; null if there is none. */
export function makerNamed<M extends Named>(makers: readonly M[], name: string): M | null {
  const wanted = foldName(name);
  return makers.find((maker) => namesOf(maker).includes(wanted)) ?? null;
}

function namesOf({ names: { className, label, aliases = [] } }: Named): string[] {
  return [className, ...(label ? [label] : []), ...aliases].map(foldName);
}
