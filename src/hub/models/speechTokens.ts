/** @file SpeechTokens: which tokens say in what language, and for which task, a network writes what is said, and which are times. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';

/** Tokens with a meaning of their own. */
export interface SpeechTokens {
  /** Tokens of languages by their texts: { '<|en|>': 50259 }. Default: the network has one language. */
  readonly languages?: Readonly<Record<string, number>>;
  /** Tokens of tasks by their names: { transcribe: 50359, translate: 50358 }. Default: none. */
  readonly tasks?: Readonly<Record<string, number>>;
  /** Follows the language and task of a text without times. The tokens of times, in steps of 0.02 s, are those after it. Default: none. */
  readonly noTimestamps?: number | null;
  /** The largest time that a text may begin with, in steps. Default: any. */
  readonly maxInitialTimestamp?: number | null;
  /** Comes before what was said earlier. Default: none. */
  readonly previousText?: number | null;
  /** The language of all sounds. Default null: it is detected if there are several, unless the start tokens have one. */
  readonly language?: string | null;
  /** The task for all sounds. Default: that of the start tokens. */
  readonly task?: string | null;
}

const isToken = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTokenOrNone = (value: unknown) => value === null || isToken(value);
const isNameOrNone = (value: unknown) => value === null || typeof value === 'string';
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areTokens = (value: unknown) => isRecord(value) && Object.values(value).every(isToken);

const kinds: Readonly<Record<keyof SpeechTokens, (value: unknown) => boolean>> = {
  languages: areTokens,
  tasks: areTokens,
  noTimestamps: isTokenOrNone,
  maxInitialTimestamp: isTokenOrNone,
  previousText: isTokenOrNone,
  language: isNameOrNone,
  task: isNameOrNone,
};

/** Errors: ValueError for anything but such tokens. */
export function speechTokens(op: string, what: string, given: unknown): void {
  const fits = ([name, value]: readonly [string, unknown]) =>
    value === undefined || (Object.hasOwn(kinds, name) && kinds[name as keyof SpeechTokens](value));
  const wrong = isRecord(given) ? Object.entries(given).find((entry) => !fits(entry)) : [what, given];
  if (!wrong) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` has ${Object.keys(kinds).join(', ')}: tokens, or names.`,
    received: `${wrong[0]}: ${describe(wrong[1])}`,
    hint: "pass { languages: { '<|en|>': 50259 }, tasks: { transcribe: 50359 }, noTimestamps: 50363 }.",
  });
}
