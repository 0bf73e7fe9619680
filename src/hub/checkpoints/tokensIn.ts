/** @file tokensIn: tokens that a file names. */
import { FormatError } from '../../core/errors.ts';

/**
 * Returns the tokens of `field`, which is one or a list of some; a negative number says that there is none. `count` is that of all tokens,
 * if it is known. Errors: FormatError for anything else.
 */
export function tokensIn(field: string, given: unknown, count = Number.MAX_SAFE_INTEGER): readonly number[] {
  const tokens = [given ?? []].flat();
  const isToken = (token: unknown): token is number =>
    Number.isSafeInteger(token) && (token as number) < count;
  if (tokens.every(isToken)) return tokens.filter((token) => token >= 0);
  throw new FormatError({
    op: 'config.json, generation_config.json',
    rule: `\`${field}\` is a token or a list of tokens${count < Number.MAX_SAFE_INTEGER ? `, of which there are ${count}` : ''}.`,
    received: JSON.stringify(tokens.find((token) => !isToken(token))),
    hint: 'the file is damaged, or of another kind of model.',
  });
}
