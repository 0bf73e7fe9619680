/** @file Token ids as examples for a causal language model: rows of one length, the next tokens as targets, weights that ignore prompts. */
import { ValueError } from '../../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../../core/options.ts';
import { describe, requireBoolean, requireInteger } from '../../core/shape.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Token ids. */
export type TokenIds = readonly number[] | Int32Array | Uint32Array;

/** A text as token ids: the loss counts all of them, or those of the completion alone. */
export type CausalExample = TokenIds | { readonly prompt: TokenIds; readonly completion: TokenIds };

export interface CausalExamplesOptions {
  /** Number of tokens in a row. Default: that of the longest example, less the last token. */
  length?: number;
  /** Whether several examples share a row, one after the other; an example goes on in the next row. Default false. */
  pack?: boolean;
  /** The id after each example, such as the end of a text; the model learns it. Default null: none. */
  separator?: number | null;
  /** The id that fills rows up. Its positions have weight 0. Default 0. */
  padding?: number;
  /** Where rows that are too short are filled up. Default 'right'. */
  paddingSide?: 'left' | 'right';
  /** Whether the loss counts the tokens of prompts, too. Default false. */
  learnPrompts?: boolean;
  /** What happens to an example that is longer than a row: its end is left out, or its start. Default 'end'. Not for `pack`. */
  truncate?: 'end' | 'start';
}

const optionNames: OptionNames<CausalExamplesOptions> = {
  length: false,
  pack: false,
  separator: false,
  padding: false,
  paddingSide: false,
  learnPrompts: false,
  truncate: false,
};

/** Examples as `fit` takes them: `net.fit(x, y, { sampleWeight })`. All are [rows, length]. */
export interface CausalTable {
  /** The tokens, int32. */
  readonly x: Tensor;
  /** The token after each, int32. */
  readonly y: Tensor;
  /** 1 where the loss counts, 0 at prompts and padding. */
  readonly sampleWeight: Tensor;
  /** The number of the example that each token belongs to, from 1 on, int32; 0 is padding. */
  readonly segments: Tensor;
}

interface Row {
  readonly tokens: number[];
  readonly targets: number[];
  readonly weights: number[];
  readonly segments: number[];
}

/**
 * Makes examples for a causal language model: each token predicts the next one. Padding and prompts have weight 0, so a loss such as
 * sparseCategoricalCrossentropy with `sampleWeight` ignores them.
 *
 *     const { x, y, sampleWeight } = utils.causalExamples([{ prompt, completion }], { length: 256, separator: 50256 });
 *     await net.fit(x, y, { sampleWeight, batchSize: 4 });
 *
 * Packed rows have no padding but in the last one. A model then also sees the examples before in its row; `segments` tells them apart
 * for an attention mask. Errors: ValueError for examples that aren't token ids, and without any that have two tokens.
 */
export function causalExamples(
  examples: readonly CausalExample[],
  options: CausalExamplesOptions = {},
): CausalTable {
  const op = 'causalExamples';
  checkOptions(op, options, optionNames);
  const { pack = false, separator = null, padding = 0, paddingSide = 'right' } = options;
  const { learnPrompts = false, truncate = 'end' } = options;
  requireBoolean(op, 'pack', pack);
  requireBoolean(op, 'learnPrompts', learnPrompts);
  requireInteger(op, 'padding', padding, 0);
  if (separator !== null) requireInteger(op, 'separator', separator, 0);
  requireOneOf(op, 'paddingSide', paddingSide, ['left', 'right']);
  requireOneOf(op, 'truncate', truncate, ['end', 'start']);
  if (!Array.isArray(examples)) throw notExamples(op, examples);
  const shifted = examples.flatMap((example, i) => {
    const { tokens, learned } = tokensOf(op, example, separator, learnPrompts);
    return tokens.length < 2 ? [] : [shift(tokens, learned, i + 1)];
  });
  if (shifted.length === 0) throw notExamples(op, examples);
  const length = options.length ?? shifted.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  requireInteger(op, 'length', length, 1);
  const rows = pack
    ? cut(joined(shifted), length)
    : shifted.map((row) =>
        part(row, truncate === 'end' ? 0 : Math.max(0, row.tokens.length - length), length),
      );
  return tableOf(rows, { length, padding, isLeft: paddingSide === 'left' });
}

function tokensOf(op: string, example: unknown, separator: number | null, learnPrompts: boolean) {
  const { prompt, completion } = isPlainObject(example)
    ? (example as { prompt: unknown; completion: unknown })
    : { prompt: [], completion: example };
  const [first, second] = [idsOf(op, prompt), idsOf(op, completion)];
  const tokens = [...first, ...second, ...(separator === null ? [] : [separator])];
  return { tokens, learned: (i: number) => learnPrompts || i >= first.length };
}

function idsOf(op: string, given: unknown): readonly number[] {
  const ids = Array.isArray(given) || ArrayBuffer.isView(given) ? Array.from(given as number[]) : null;
  if (ids?.every((id) => Number.isInteger(id) && id >= 0)) return ids;
  throw notExamples(op, given);
}

/** Each token with the next one, which counts if it is learned. */
function shift(tokens: readonly number[], learned: (i: number) => boolean, segment: number): Row {
  const targets = tokens.slice(1);
  return {
    tokens: tokens.slice(0, -1),
    targets,
    weights: targets.map((_, i) => Number(learned(i + 1))),
    segments: targets.map(() => segment),
  };
}

function joined(rows: readonly Row[]): Row {
  return {
    tokens: rows.flatMap(({ tokens }) => tokens),
    targets: rows.flatMap(({ targets }) => targets),
    weights: rows.flatMap(({ weights }) => weights),
    segments: rows.flatMap(({ segments }) => segments),
  };
}

function cut(row: Row, length: number): Row[] {
  const count = Math.ceil(row.tokens.length / length);
  return Array.from({ length: count }, (_, i) => part(row, i * length, length));
}

function part({ tokens, targets, weights, segments }: Row, begin: number, length: number): Row {
  const of = (values: readonly number[]) => values.slice(begin, begin + length);
  return { tokens: of(tokens), targets: of(targets), weights: of(weights), segments: of(segments) };
}

function tableOf(
  rows: readonly Row[],
  { length, padding, isLeft }: { length: number; padding: number; isLeft: boolean },
): CausalTable {
  const filled = (values: Int32Array | Float32Array, of: keyof Row) => {
    for (const [i, row] of rows.entries()) {
      const start = i * length + (isLeft ? length - row.tokens.length : 0);
      values.set(row[of], start);
    }
    return tensor(values, { shape: [rows.length, length] });
  };
  const size = rows.length * length;
  return {
    x: filled(new Int32Array(size).fill(padding), 'tokens'),
    y: filled(new Int32Array(size).fill(padding), 'targets'),
    sampleWeight: filled(new Float32Array(size), 'weights'),
    segments: filled(new Int32Array(size), 'segments'),
  };
}

function requireOneOf(op: string, option: string, value: unknown, allowed: readonly string[]): void {
  if (allowed.includes(value as string)) return;
  throw new ValueError({
    op,
    rule: `\`${option}\` is ${allowed.map((each) => `'${each}'`).join(' or ')}.`,
    received: `${option}: ${describe(value)}`,
    hint: `leave it out for the default.`,
  });
}

function notExamples(op: string, given: unknown): ValueError {
  return new ValueError({
    op,
    rule: 'examples are lists of token ids, or { prompt, completion } with such lists, and one has two tokens at least.',
    received: describe(given),
    hint: 'pass [tokenizer.encode(text)], or [{ prompt: ids, completion: ids }].',
  });
}
