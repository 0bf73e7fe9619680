/** @file Options and their defaults. */
import { checkOptions } from '../core/options.ts';

/**
 * Returns the options, with `defaults` for those that are missing or undefined.
 * Errors: ValueError for an option that has no default and is not in `more`.
 */
export function completeOptions<O extends object>(
  op: string,
  given: Partial<O>,
  defaults: Required<O>,
  { more = [], hint }: { more?: readonly string[]; hint?: string },
): Required<O> {
  checkOptions(op, given, [...Object.keys(defaults), ...more], hint);
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}
