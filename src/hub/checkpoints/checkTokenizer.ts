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
  requireModel(model, vocab, merges, added);
  const growth = growthOf(parts.normalizer);
  if (growth > maxGrowth)
    throw invalid(`normalizers make texts at most ${maxGrowth} times as long`, Math.min(growth, 1e300));
  for (const pattern of patternsIn(parts)) {
    const fault = patternFault(pattern);
    if (fault)
      throw invalid(`a pattern is searched for in a time that texts don't determine: ${fault}`, pattern);
  }
}

/** Characters of a word: WordPiece takes a time of their square. */
const maxWord = 1000;

/** Errors: FormatError for a kind that there isn't, and for tokens that the vocabulary lacks. */
function requireModel(
  model: JsonObject,
  vocab: Json | undefined,
  merges: readonly Json[],
  added: readonly Json[],
): void {
  const { type = null, unk_token: unknown = null, max_input_chars_per_word: longest = null } = model;
  const kinds: readonly Json[] = ['BPE', 'WordPiece', 'Unigram', 'WordLevel', null];
  if (!kinds.includes(type)) throw invalid('`model.type` is BPE, WordPiece, Unigram or WordLevel', type);
  if (longest !== null && !(isId(longest) && (longest as number) <= maxWord))
    throw invalid(`\`model.max_input_chars_per_word\` is at most ${maxWord}`, longest);
  const { unk_id: place = null } = model;
  if (Array.isArray(vocab) && place !== null && !(isId(place) && (place as number) < vocab.length))
    throw invalid('`model.unk_id` is a place in the vocabulary', place);
  if (!isObject(vocab)) return;
  const contents = new Set(added.map((token) => (token as JsonObject).content));
  const isKnown = (token: Json) =>
    isText(token) && (Object.hasOwn(vocab, token as string) || contents.has(token));
  const needsUnknown = type === 'WordPiece' || type === 'WordLevel';
  if ((unknown !== null || needsUnknown) && !isKnown(unknown))
    throw invalid('`model.unk_token` is a token of the vocabulary', unknown);
  const { continuing_subword_prefix: prefix = null } = model;
  const cut = isText(prefix) ? (prefix as string).length : 0;
  for (const merge of merges) {
    const [first = '', second = '', more] = (
      isText(merge) ? (merge as string).split(' ') : merge
    ) as string[];
    if (
      more !== undefined ||
      ![first, second, first + second.slice(cut)].every((token) => Object.hasOwn(vocab, token))
    )
      throw invalid('`model.merges` are pairs of tokens of the vocabulary, and make such', merge);
  }
}

/** Far more than is needed: what is replaced is a character or two. */
const maxGrowth = 1024;

/** How many times as long normalizers make a text at most. */
function growthOf(normalizer: Json | undefined): number {
  if (!isObject(normalizer)) return 1;
  const { type, normalizers: parts, content, prepend } = normalizer;
  if (type === 'Sequence' && Array.isArray(parts))
    return parts.reduce<number>((growth, part) => growth * growthOf(part), 1);
  const added = type === 'Replace' ? content : type === 'Prepend' ? prepend : null;
  return typeof added === 'string' ? Math.max(1, added.length) : 1;
}

/** Whether it is a number of int32, in which tokens go to the device. */
const isId = (value: Json | undefined) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
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
