/**
 * @file The forms of the engine that are loaded apart from the core: those for GPUs, which software adapters don't need, and the
 * one on subgroup matrices, which few apps request.
 */
import type { GemmOptions, GemmTile, Problem } from './problem.ts';

type LoadedMemory = Exclude<GemmTile['memory'], 'registers'>;

interface LoadedForm {
  directives?(): string;
  write(options: GemmOptions, problem: Problem): string;
}

const forms: Partial<Record<LoadedMemory, LoadedForm>> = {};

/** Makes `form` the form of tiles with `memory`. */
export function provideForm(memory: LoadedMemory, form: LoadedForm): void {
  forms[memory] = form;
}

export function loadedForm(memory: LoadedMemory): LoadedForm {
  const form = forms[memory];
  if (!form) throw new TypeError(`the form of GEMMs for ${memory} must be loaded before it is used`);
  return form;
}
