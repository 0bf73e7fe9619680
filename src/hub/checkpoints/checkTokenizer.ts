/** @file checkTokenizer: refuses a `tokenizer.json` that isn't one, before a package of others reads it. */
import { FormatError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../keras/json/document.ts';
import { patternFault } from '../../core/patternFault.ts';

/** Errors: FormatError for a vocabulary, merges or added tokens of other forms, and for patterns that may take too long. */
export function checkTokenizer({ model, added_tokens: added = [], ...parts }: JsonObject): void {
  if (!isObject(model)) throw invalid('`model` is an object', model);
  const { vocab, merges = [] } = model;
  if (!isVocabulary(vocab)) throw invalid('`model.vocab` has a number for each token', vocab);
  if (!isListOf(merges, isMerge)) throw invalid('`model.merges` are pairs of tokens', merges);
  if (!isListOf(added, isAdded)) throw invalid('`added_tokens` have an `id` and a `content`', added);
  for (const pattern of patternsIn(parts)) {
    const fault = patternFault(pattern);
    if (fault)
      throw invalid(`a pattern is searched for in a time that texts don't determine: ${fault}`, pattern);
  }
}

const isId = (value: Json | undefined) => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: Json | undefined) => typeof value === 'string';

/** Numbers of tokens, or tokens with the logarithms of their frequencies. */
function isVocabulary(vocab: Json | undefined): boolean {
  if (isObject(vocab)) return Object.values(vocab).every(isId);
  return isListOf(vocab, (entry) => Array.isArray(entry) && isText(entry[0]) && Number.isFinite(entry[1]));
}

/** A text with a space, or a list of two. */
function isMerge(merge: Json): boolean {
  return isText(merge) || (isListOf(merge, isText) && merge.length === 2);
}

function isAdded(token: Json): boolean {
  return isObject(token) && isId(token.id) && isText(token.content);
}

function isListOf(list: Json | undefined, fits: (value: Json) => boolean): list is readonly Json[] {
  return Array.isArray(list) && list.every(fits);
}

/** The regular expressions in any of the parts. */
function patternsIn(value: Json): string[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  const own = isObject(value) && typeof value.Regex === 'string' ? [value.Regex] : [];
  return [...own, ...Object.values(value).flatMap(patternsIn)];
}

function invalid(rule: string, received: Json | undefined): FormatError {
  return new FormatError({
    op: 'tokenizer.json',
    rule: `${rule}.`,
    received: JSON.stringify(received) ?? 'none',
    hint: 'the file is damaged, or not one of @huggingface/tokenizers: fetch it again.',
  });
}
