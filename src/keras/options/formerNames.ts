/** @file Options under the names that they have in TF.js and Keras 2: they are accepted, with one note that says the present name. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/options.ts';
import { warnOnce } from '../../core/warn.ts';

/** Present names, by the former ones. */
export type FormerNames = Readonly<Record<string, string>>;

/** Returns `options` under their present names. Errors: ValueError for an option that is given under both. */
export function underPresentNames<O>(op: string, options: O, names: FormerNames): O {
  if (!isPlainObject(options)) return options;
  const given: Record<string, unknown> = { ...options };
  for (const [former, present] of Object.entries(names)) {
    const value = given[former];
    delete given[former];
    if (value === undefined || value === null) continue;
    if (given[present] !== undefined) {
      throw new ValueError({
        op,
        rule: `\`${former}\` is the former name of \`${present}\`: one of them is given.`,
        received: `${former}: ${describe(value)}, ${present}: ${describe(given[present])}`,
        hint: `leave out ${former}.`,
      });
    }
    warnOnce(`\`${former}\` of ${op} is now \`${present}\`.`);
    given[present] = value;
  }
  return given as O;
}
