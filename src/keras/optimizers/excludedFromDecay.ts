/** @file Variables excluded from weight decay, as passed to `excludeFromWeightDecay`. */
import { checkOptions } from '../../core/options.ts';
import { Variable } from '../../tensor/variable.ts';
import { requireOption } from './optionChecks.ts';

/** Variables, and parts of the paths of variables. */
export interface ExcludedFromDecay {
  variables?: readonly Variable[];
  names?: readonly string[];
}

const op = 'excludeFromWeightDecay';

/** Errors: ValueError for anything but lists of variables and of names; a single string would count as a list of letters. */
export function requireExcluded(excluded: ExcludedFromDecay): ExcludedFromDecay {
  checkOptions(op, excluded, ['variables', 'names']);
  const { variables = [], names = [] } = excluded;
  const isListOf = (list: unknown, fits: (item: unknown) => boolean) =>
    Array.isArray(list) && list.every(fits);
  const areVariables = isListOf(variables, (item) => item instanceof Variable);
  requireOption(op, 'variables', variables, areVariables, 'a list of variables');
  const areNames = isListOf(names, (item) => typeof item === 'string' && item !== '');
  requireOption(op, 'names', names, areNames, "a list of names, such as ['bias']");
  return excluded;
}
