/** @file encodeTexts: makes texts, or pairs of texts, rows of tokens of one length. As the call of a tokenizer of transformers. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { requireBoolean, requireInteger, requireOneOf } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { cutPair, partsOf } from './cutTokens.ts';

/** The part of a tokenizer of `@huggingface/tokenizers` that is used here. */
export interface TextTokenizer {
  encode(
    text: string,
    options?: { text_pair?: string | null; add_special_tokens?: boolean; return_token_type_ids?: true },
  ): { readonly ids: readonly number[]; readonly token_type_ids?: readonly number[] };
  token_to_id(token: string): number | undefined;
}

/** Options of `encodeTexts`. */
export interface EncodeTextsOptions {
  /** The second text of each pair, such as the text that a question is about. Default: none. */
  readonly pairs?: readonly string[] | undefined;
  /** The longest row, with special tokens. Default: texts aren't cut. */
  readonly maxLength?: number | undefined;
  /** Which text of a pair is cut. Default 'longestFirst': the longer one, then both. */
  readonly truncate?: 'longestFirst' | 'onlyFirst' | 'onlySecond' | undefined;
  /** The side on which texts are cut. Default 'right'. */
  readonly truncationSide?: 'right' | 'left' | undefined;
  /**
   * What is cut makes further rows, which begin with this many tokens of the row before: of a single text, or of one of a pair with
   * `truncate`, that is cut on the right. Default null: it is left out.
   */
  readonly stride?: number | null | undefined;
  /** Whether rows are as long as the longest, or as `maxLength`. Default 'longest'. */
  readonly padding?: 'longest' | 'maxLength' | undefined;
  /** The length of rows is a multiple of it. Default 1. */
  readonly padToMultipleOf?: number | undefined;
  /** The side on which rows are filled up. Default 'right'. */
  readonly paddingSide?: 'right' | 'left' | undefined;
  /** The token that fills rows up. Default: `[PAD]`, `<pad>` or `<|endoftext|>`, if the tokenizer has it; otherwise 0. */
  readonly paddingToken?: number | undefined;
  /** Whether rows have special tokens, as of the beginning and the end. Default true. */
  readonly addSpecialTokens?: boolean | undefined;
}

const optionNames: OptionNames<EncodeTextsOptions> = {
  pairs: false,
  maxLength: false,
  truncate: false,
  truncationSide: false,
  stride: false,
  padding: false,
  padToMultipleOf: false,
  paddingSide: false,
  paddingToken: false,
  addSpecialTokens: false,
};

/** Rows of tokens, as networks take them. All tensors are int32 [rows, length]. */
export interface EncodedTexts {
  readonly tokenIds: Tensor;
  /** 0 where a token is padding. */
  readonly paddingMask: Tensor;
  /** 1 at the second text of a pair, for tokenizers that distinguish them. */
  readonly segmentIds: Tensor;
  /** The number of the text that each row is of. */
  readonly rows: readonly number[];
}

/**
 * Makes texts rows of tokens of one length, which networks take: as the call of a tokenizer of `transformers` with `padding` and
 * `truncation`.
 *
 *     const { tokenIds, paddingMask, segmentIds } = encodeTexts(tokenizer, questions, { pairs: texts, maxLength: 384, truncate: 'onlySecond' });
 *     const logits = net.apply({ tokenIds, paddingMask, segmentIds });
 *
 * Errors: ValueError for anything but texts, for invalid options, and for rows that are too short for special tokens, or for the text
 * that isn't cut.
 */
export function encodeTexts(
  tokenizer: TextTokenizer,
  texts: readonly string[],
  options: EncodeTextsOptions = {},
): EncodedTexts {
  checkOptions(op, options, optionNames);
  const { pairs, maxLength = null, paddingSide = 'right', addSpecialTokens = true } = options;
  requireSettings(options);
  requireTexts('texts', texts);
  if (pairs !== undefined) requireTexts('pairs', pairs, texts.length);
  if (typeof tokenizer?.encode !== 'function')
    throw invalid('it takes a tokenizer.', describe(tokenizer), 'pass that of loadTokenizer.');
  const plain = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  const whole = frameOf(tokenizer, [...texts, ...(pairs ?? [])], pairs !== undefined);
  const frame = addSpecialTokens ? whole : { ...none, types: whole.types };
  const room = maxLength === null ? Infinity : maxLength - frame.count;
  if (room < 0)
    throw invalid(
      '`maxLength` has room for special tokens.',
      `maxLength: ${maxLength}, and ${frame.count} special tokens`,
      'pass more.',
    );
  if (pairs === undefined && (options.stride ?? -1) >= room) throw tooShort(options, room);
  const rows = texts.flatMap((text, number) => {
    const second = pairs?.[number];
    const made = second === undefined ? [] : plain(second);
    const parts =
      second === undefined
        ? partsOf(plain(text), room, options).map((first) => [first, made] as const)
        : cutPair(plain(text), made, room, options);
    if (parts === null) throw tooShort(options, room);
    return parts.map(([first, other]) => ({ number, ...framed(frame, first, other, second !== undefined) }));
  });
  const longest = rows.reduce((most, { ids }) => Math.max(most, ids.length), 0);
  const length = roundedUp(options.padding === 'maxLength' ? (maxLength as number) : longest, options);
  const fill = options.paddingToken ?? paddingIn(tokenizer);
  const isLeft = paddingSide === 'left';
  const table = (
    of: (row: { ids: readonly number[]; types: readonly number[] }) => readonly number[],
    value: number,
  ) => {
    const values = new Int32Array(rows.length * length).fill(value);
    for (const [i, row] of rows.entries()) {
      const found = of(row);
      values.set(found, i * length + (isLeft ? length - found.length : 0));
    }
    return tensor(values, { shape: [rows.length, length] });
  };
  return {
    tokenIds: table(({ ids }) => ids, fill),
    paddingMask: table(({ ids }) => ids.map(() => 1), 0),
    segmentIds: table(({ types }) => types, 0),
    rows: rows.map(({ number }) => number),
  };
}

const op = 'encodeTexts';

/** The special tokens around texts. */
interface Frame {
  readonly before: readonly Token[];
  readonly between: readonly Token[];
  readonly after: readonly Token[];
  /** The segments of both texts. */
  readonly types: readonly [number, number];
  readonly count: number;
}

interface Token {
  readonly id: number;
  readonly type: number;
}

const none = { before: [], between: [], after: [], count: 0 };

/** Finds the special tokens: those of a row that its texts by themselves haven't. */
function frameOf(tokenizer: TextTokenizer, texts: readonly string[], isPair: boolean): Frame {
  // A text that has tokens, and such that none of them is special.
  const sample = ['a', ...texts].find(
    (text) => tokenizer.encode(text, { add_special_tokens: false }).ids.length > 0,
  );
  const text = sample ?? '';
  const own = tokenizer.encode(text, { add_special_tokens: false }).ids;
  const { ids, token_type_ids: types = [] } = tokenizer.encode(text, {
    ...(isPair && { text_pair: text }),
    return_token_type_ids: true,
  });
  const isAt = (at: number) => own.every((id, i) => ids[at + i] === id);
  const places = ids.flatMap((_, at) => (isAt(at) ? [at] : []));
  const first = own.length > 0 ? (places[0] as number) : ids.length;
  const last = isPair ? (places.findLast((at) => at >= first + own.length) ?? ids.length) : first;
  const tokens = ids.map((id, at) => ({ id, type: types[at] ?? 0 }));
  const between = isPair ? tokens.slice(first + own.length, last) : [];
  const [before, after] = [tokens.slice(0, first), tokens.slice(last + own.length)];
  return {
    before,
    between,
    after,
    types: [types[first] ?? 0, types[last] ?? 0],
    count: before.length + between.length + after.length,
  };
}

function framed(
  { before, between, after, types }: Frame,
  first: readonly number[],
  second: readonly number[],
  isPair: boolean,
) {
  const typed = (ids: readonly number[], type: number) => ids.map((id) => ({ id, type }));
  const row = [
    ...before,
    ...typed(first, types[0]),
    ...(isPair ? [...between, ...typed(second, types[1])] : []),
    ...after,
  ];
  return { ids: row.map(({ id }) => id), types: row.map(({ type }) => type) };
}

function roundedUp(length: number, { padToMultipleOf: multiple = 1 }: EncodeTextsOptions): number {
  return Math.ceil(length / multiple) * multiple;
}

function paddingIn(tokenizer: TextTokenizer): number {
  for (const token of ['[PAD]', '<pad>', '<|endoftext|>']) {
    const id = tokenizer.token_to_id(token);
    if (id !== undefined) return id;
  }
  return 0;
}

function requireSettings(options: EncodeTextsOptions): void {
  const { maxLength = null, stride = null, padToMultipleOf = 1, paddingToken = 0, pairs } = options;
  const {
    truncate = 'longestFirst',
    truncationSide = 'right',
    padding = 'longest',
    paddingSide = 'right',
  } = options;
  if (maxLength !== null) requireInteger(op, 'maxLength', maxLength, 1);
  if (stride !== null) requireInteger(op, 'stride', stride, 0);
  requireInteger(op, 'padToMultipleOf', padToMultipleOf, 1);
  requireInteger(op, 'paddingToken', paddingToken, 0);
  requireOneOf(op, 'truncate', truncate, ['longestFirst', 'onlyFirst', 'onlySecond'] as const);
  requireOneOf(op, 'truncationSide', truncationSide, ['right', 'left'] as const);
  requireOneOf(op, 'padding', padding, ['longest', 'maxLength'] as const);
  requireOneOf(op, 'paddingSide', paddingSide, ['right', 'left'] as const);
  if (options.addSpecialTokens !== undefined)
    requireBoolean(op, 'addSpecialTokens', options.addSpecialTokens);
  if (maxLength === null && (stride !== null || padding === 'maxLength'))
    throw invalid(
      "`stride`, and `padding` of 'maxLength', need a `maxLength`.",
      stride === null ? "padding: 'maxLength'" : `stride: ${stride}`,
      'pass { maxLength: 512 }.',
    );
  if (stride !== null && pairs !== undefined && truncate === 'longestFirst')
    throw invalid(
      '`stride` is of one text of a pair.',
      'pairs without `truncate`',
      "pass { truncate: 'onlySecond' }, or 'onlyFirst'.",
    );
  if (maxLength !== null && maxLength % padToMultipleOf > 0)
    throw invalid(
      '`maxLength` is a multiple of `padToMultipleOf`.',
      `maxLength: ${maxLength}, padToMultipleOf: ${padToMultipleOf}`,
      `pass ${Math.ceil(maxLength / padToMultipleOf) * padToMultipleOf}.`,
    );
  if (stride !== null && truncationSide === 'left')
    throw invalid(
      'rows that continue others begin at the beginning.',
      "`stride` with truncationSide: 'left'",
      'leave out one of them.',
    );
  if (truncate === 'onlySecond' && pairs === undefined)
    throw invalid(
      'a second text is one of a pair.',
      "truncate: 'onlySecond' without `pairs`",
      'leave it out.',
    );
}

function requireTexts(what: string, given: unknown, count?: number): void {
  const isText = (text: unknown) => typeof text === 'string';
  if (isListOf(given, isText) && (given as unknown[]).length > 0)
    if (count === undefined || (given as unknown[]).length === count) return;
  throw invalid(
    `\`${what}\` is a list of ${count === undefined ? 'at least one text' : `${count} texts`}.`,
    describe(given),
    "pass ['What is the sea?'].",
  );
}

function tooShort(
  { maxLength, stride, truncate = 'longestFirst' }: EncodeTextsOptions,
  room: number,
): ValueError {
  return invalid(
    "a row has room for the text that isn't cut, for at least one token of the other, and for more than `stride`.",
    `maxLength: ${maxLength}, of which ${room} aren't special; truncate: '${truncate}', stride: ${stride}`,
    "pass more, or { truncate: 'longestFirst' }.",
  );
}

function invalid(rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}
