/** @file Lists of tokens as options of models. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';

/** Errors: ValueError for anything but integers of at least 0. */
export function tokenList(op: string, what: string, given: unknown): void {
  if (isListOf(given, (token) => Number.isSafeInteger(token) && (token as number) >= 0)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a list of tokens.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass integers of at least 0.',
  });
}
