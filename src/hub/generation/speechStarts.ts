/** @file The tokens that texts of sounds begin with: their language, their task, and whether they have times. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import type { SpeechTokens } from '../models/speechTokens.ts';

interface Starting {
  readonly startTokens: readonly number[];
  readonly speech: SpeechTokens;
}

interface Wanted {
  readonly startTokens?: readonly number[] | undefined;
  readonly language?: string | readonly string[] | undefined;
  readonly task?: string | undefined;
}

/**
 * The tokens that each of `count` texts begins with, as transformers' `_retrieve_init_tokens`. `detect` finds the language of each sound.
 * Errors: ValueError for languages and tasks that the network doesn't know, and for both those and tokens.
 */
export async function startsOf(
  op: string,
  { startTokens, speech }: Starting,
  wanted: Wanted,
  isInTime: boolean,
  count: number,
  detect: () => Promise<readonly number[]>,
): Promise<(readonly number[])[]> {
  const { noTimestamps = null, languages = {}, tasks = {} } = speech;
  const whole = (tokens: readonly number[]) => {
    if (!isInTime || tokens.at(-1) !== noTimestamps) return tokens;
    return tokens.slice(0, -1);
  };
  if (wanted.startTokens !== undefined) {
    if (wanted.language === undefined && wanted.task === undefined)
      return new Array<readonly number[]>(count).fill(whole(wanted.startTokens));
    throw invalid(
      op,
      '`startTokens` say the language and the task.',
      '`startTokens` with `language` or `task`',
      'leave out one of them.',
    );
  }
  const { language = speech.language ?? null, task = speech.task ?? null } = wanted;
  const taskToken = task === null ? null : taskOf(op, tasks, task);
  const given = language === null ? null : languagesOf(op, languages, language, count);
  const isPlain = given === null && taskToken === null;
  const [first = [], rest] = [startTokens.slice(0, 1), isPlain ? startTokens.slice(1) : []];
  const ofLanguages = Object.values(languages);
  const isKnown = ofLanguages.length === 0 || rest.some((token) => ofLanguages.includes(token));
  const found = given ?? (isKnown ? null : await detect());
  // Where a language is asked for, and no task, it is written as it is spoken.
  const byDefault = given && Object.hasOwn(tasks, 'transcribe') ? (tasks.transcribe as number) : null;
  const chosen = taskToken ?? byDefault;
  return Array.from({ length: count }, (_, i) => {
    const tokens = [
      ...first,
      ...(found ? [found[i] as number] : []),
      ...rest,
      ...(chosen === null ? [] : [chosen]),
    ];
    const isEnded = isInTime || noTimestamps === null || tokens.at(-1) === noTimestamps;
    return isEnded ? whole(tokens) : [...tokens, noTimestamps];
  });
}

function taskOf(op: string, tasks: Readonly<Record<string, number>>, task: unknown): number {
  const names = Object.keys(tasks);
  if (typeof task === 'string' && Object.hasOwn(tasks, task)) return tasks[task] as number;
  throw invalid(
    op,
    names.length > 0 ? `a task is one of ${names.join(', ')}.` : 'the network knows one task.',
    `task: ${describe(task)}`,
    'leave it out.',
  );
}

function languagesOf(
  op: string,
  languages: Readonly<Record<string, number>>,
  given: unknown,
  count: number,
): readonly number[] {
  const list = typeof given === 'string' ? new Array<string>(count).fill(given) : given;
  if (!isListOf(list, (name) => typeof name === 'string') || (list as readonly string[]).length !== count)
    throw invalid(
      op,
      `\`language\` is a language, or a list of one for each of ${count} sounds.`,
      describe(given),
      "pass 'en'.",
    );
  return (list as readonly string[]).map((name) => {
    const key = Object.keys(languages).find((token) => isNamed(token, name.toLowerCase()));
    if (key !== undefined) return languages[key] as number;
    const known = Object.keys(languages).join(' ');
    throw invalid(
      op,
      known === '' ? 'the network knows one language.' : `a language is one of ${known}.`,
      `language: ${describe(name)}`,
      known === '' ? 'leave it out.' : "pass a code or an English name: 'en', 'english'.",
    );
  });
}

/** Whether a language's token, '<|en|>', is that of a code or an English name. */
function isNamed(token: string, name: string): boolean {
  const code = token.replace(/^<\|/, '').replace(/\|>$/, '');
  return token === name || code === name || englishName(code) === name;
}

let names: Intl.DisplayNames | null = null;

function englishName(code: string): string | null {
  try {
    names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    return names.of(code)?.toLowerCase() ?? null;
  } catch {
    // A token that isn't one of a language code.
    return null;
  }
}

function invalid(op: string, rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}
