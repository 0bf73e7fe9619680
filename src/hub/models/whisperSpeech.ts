/** @file The tokens that Whisper's files have for languages, tasks and times, in `generation_config.json`. */
import { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import { tokensIn } from '../checkpoints/tokensIn.ts';
import type { SpeechTokens } from './speechTokens.ts';

interface Speech {
  readonly startTokens: readonly number[];
  readonly speech: SpeechTokens;
}

/** `count` is that of all tokens. Errors: FormatError for tokens that there aren't, and for fields of another form. */
export function speechIn(fields: JsonObject, count: number): Speech {
  const one = (name: keyof SpeechTokens, field: string) => {
    const [token] = tokensIn(field, fields[field], count);
    return token === undefined ? {} : { [name]: token };
  };
  // Networks of one language may have these fields from others.
  const isOfOne = fields.is_multilingual === false;
  const languages = isOfOne ? {} : namedTokens(fields, 'lang_to_id', count);
  const tasks = isOfOne ? {} : namedTokens(fields, 'task_to_id', count);
  const speech: SpeechTokens = {
    ...(isFilled(languages) && { languages, ...nameIn(fields, 'language') }),
    ...(isFilled(tasks) && { tasks, ...nameIn(fields, 'task') }),
    ...one('noTimestamps', 'no_timestamps_token_id'),
    ...stepsIn(fields),
    // Older files have it among those that are suppressed only.
    previousText: tokensIn('suppress_tokens', fields.suppress_tokens, count).at(-2) ?? null,
    ...one('previousText', 'prev_sot_token_id'),
  };
  const first = tokensIn('decoder_start_token_id', fields.decoder_start_token_id, count);
  return { startTokens: [...first, ...forcedTokens(fields.forced_decoder_ids, count)], speech };
}

const isFilled = (record: object) => Object.keys(record).length > 0;

/** The fields of `generation_config.json`. */
export function speechFields({ startTokens, speech }: Speech): JsonObject {
  const { languages, tasks, noTimestamps, maxInitialTimestamp, previousText, language, task } = speech;
  const forced = startTokens.slice(1).map((token, i) => [i + 1, token]);
  const fields: Readonly<Record<string, unknown>> = {
    forced_decoder_ids: forced.length > 0 ? forced : null,
    is_multilingual: languages ? true : null,
    lang_to_id: languages,
    task_to_id: tasks,
    no_timestamps_token_id: noTimestamps,
    max_initial_timestamp_index: maxInitialTimestamp,
    prev_sot_token_id: previousText,
    language,
    task,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as JsonObject;
}

/** Tokens at the positions from 1 on; null is for a language that is detected. */
function forcedTokens(given: Json | undefined, count: number): readonly number[] {
  const pairs = given ?? [];
  const isPair = (pair: Json, i: number) => Array.isArray(pair) && pair.length === 2 && pair[0] === i + 1;
  if (!Array.isArray(pairs) || !pairs.every(isPair))
    throw invalid('forced_decoder_ids', 'has a token for each position from 1', given);
  return (pairs as [number, number | null][]).flatMap(([, token]) =>
    tokensIn('forced_decoder_ids', token, count),
  );
}

/** A number of steps, which may be larger than there are. */
function stepsIn({ max_initial_timestamp_index: steps = null }: JsonObject): SpeechTokens {
  if (steps === null) return {};
  if (Number.isSafeInteger(steps) && (steps as number) >= 0) return { maxInitialTimestamp: steps as number };
  throw invalid('max_initial_timestamp_index', 'is a non-negative integer', steps);
}

function namedTokens(fields: JsonObject, name: string, count: number): Readonly<Record<string, number>> {
  const given = fields[name] ?? {};
  if (!isObject(given)) throw invalid(name, 'has a token for each name', given);
  for (const token of Object.values(given))
    if (tokensIn(name, token, count).length !== 1 || Array.isArray(token))
      throw invalid(name, 'has a token for each name', token);
  return given as Readonly<Record<string, number>>;
}

function nameIn(fields: JsonObject, name: 'language' | 'task'): SpeechTokens {
  const given = fields[name] ?? null;
  if (given === null) return {};
  if (typeof given === 'string') return { [name]: given };
  throw invalid(name, 'is a name', given);
}

function invalid(field: string, rule: string, received: Json | undefined): FormatError {
  return new FormatError({
    op: 'config.json, generation_config.json',
    rule: `\`${field}\` ${rule}.`,
    received: JSON.stringify(received) ?? 'none',
    hint: 'the file is damaged, or of another kind of model.',
  });
}
