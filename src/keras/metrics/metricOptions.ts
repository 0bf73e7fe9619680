/** @file Options of metrics. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** The options with `defaults` in place of what wasn't given. Errors: ValueError for an option that isn't known. */
export function requireOptions<O extends object>(op: string, given: O, defaults: Required<O>): Required<O> {
  const known = Object.keys(defaults);
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw new ValueError({
      op,
      rule: `its options are ${[...known, 'name'].join(', ')}.`,
      received: unknown
        .map((key) => `${key}: ${describe((given as Record<string, unknown>)[key])}`)
        .join(', '),
      hint: 'check the spelling.',
    });
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) } as Required<O>;
}
