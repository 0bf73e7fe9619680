/** @file Options and their defaults. An option that nobody reads is an error: a misspelt name must not be ignored. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';

/** Throws a ValueError unless `options` is an object whose keys are all in `known`. */
export function requireKnownOptions(
  op: string,
  options: unknown,
  known: readonly string[],
  hint = 'check the spelling.',
): void {
  const isRecord = typeof options === 'object' && options !== null && !Array.isArray(options);
  const unknown = isRecord ? Object.entries(options).filter(([key]) => !known.includes(key)) : [];
  if (isRecord && unknown.length === 0) return;
  throw new ValueError({
    op,
    rule: known.length > 0 ? `its options are ${known.join(', ')}.` : 'it has no options.',
    received: isRecord
      ? unknown.map(([key, value]) => `${key}: ${describe(value)}`).join(', ')
      : describe(options),
    hint,
  });
}

/**
 * The options, with `defaults` for those that are missing or undefined.
 * Errors: ValueError for an option that has no default and is not in `more`.
 */
export function completeOptions<O extends object>(
  op: string,
  given: Partial<O>,
  defaults: Required<O>,
  { more = [], hint }: { more?: readonly string[]; hint?: string } = {},
): Required<O> {
  requireKnownOptions(op, given, [...Object.keys(defaults), ...more], hint);
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}
