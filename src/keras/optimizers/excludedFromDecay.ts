/** @file DecayExclusions: the variables that weight decay leaves out, as passed to `excludeFromWeightDecay`. */
import { checkOptions } from '../../core/options.ts';
import { Variable } from '../../tensor/variable.ts';
import { requireOption } from './optionKinds.ts';

/** Variables, and parts of the paths of variables. */
export interface ExcludedFromDecay {
  variables?: readonly Variable[];
  names?: readonly string[];
}

export class DecayExclusions {
  readonly #variables = new Set<Variable>();
  readonly #names: string[] = [];

  /** Errors: ValueError for anything but lists of variables and of names. */
  add(excluded: ExcludedFromDecay): void {
    requireLists(excluded);
    for (const variable of excluded.variables ?? []) this.#variables.add(variable);
    this.#names.push(...(excluded.names ?? []));
  }

  /** Returns whether `variable` is excluded, itself or by a part of its path. */
  has(variable: Variable): boolean {
    return this.#variables.has(variable) || this.#names.some((name) => variable.path.includes(name));
  }
}

const op = 'excludeFromWeightDecay';

function requireLists(excluded: ExcludedFromDecay): void {
  checkOptions(op, excluded, ['variables', 'names']);
  const { variables = [], names = [] } = excluded;
  const isListOf = (list: unknown, fits: (item: unknown) => boolean) =>
    Array.isArray(list) && list.every(fits);
  const areVariables = isListOf(variables, (item) => item instanceof Variable);
  requireOption(op, 'variables', variables, areVariables, 'a list of variables');
  // A single string would count as a list of letters.
  const areNames = isListOf(names, (item) => typeof item === 'string' && item !== '');
  requireOption(op, 'names', names, areNames, "a list of names, such as ['bias']");
}
