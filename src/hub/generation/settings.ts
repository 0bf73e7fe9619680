/** @file The settings of a generation: options that were checked, and when a text ends. */
import { checkSignal } from '../../core/abortSignal.ts';
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions } from '../../core/options.ts';
import { requireFinite, requireInteger, requireOneOf } from '../../core/shape.ts';
import { checkSeed } from '../../ops/define/seeds.ts';
import { type Generator, longestOf } from './generation.ts';
import { generateOptionNames, type GenerateOptions, type Prompts } from './generateOptions.ts';

/** The options with their defaults. */
export interface Settings extends GenerateOptions {
  readonly maxNewTokens: number;
  readonly numBeams: number;
  readonly lengthPenalty: number;
  readonly earlyStopping: boolean | 'never';
  readonly numReturnSequences: number;
  readonly stops: ReadonlySet<number>;
}

/** Errors: ValueError for prompts and options. */
export function settingsOf(model: Generator, prompts: Prompts, options: GenerateOptions): Settings {
  const op = 'generate';
  checkOptions(op, options, generateOptionNames);
  const { inputDim: count } = model.backbone.tokenEmbedding;
  requirePrompts(count, prompts);
  const room = roomFor(model, prompts);
  const { maxNewTokens = Math.min(50, room), stopTokens = model.stopTokens, signal, seed } = options;
  const { repetitionPenalty = 1, noRepeatNgramSize = 0, minNewTokens = 0, badWords = [], minP = 0 } = options;
  const { typicalP = 1 } = options;
  const { numBeams = 1, lengthPenalty = 1, earlyStopping = false, numReturnSequences = 1 } = options;
  requireInteger(op, 'maxNewTokens', maxNewTokens, 1);
  if (maxNewTokens > room)
    throw invalid(
      `with these prompts, there are positions for ${room} more tokens.`,
      `maxNewTokens: ${maxNewTokens}`,
      'pass fewer, or leave it out.',
    );
  requireFinite(op, 'repetitionPenalty', repetitionPenalty, Number.MIN_VALUE);
  requireInteger(op, 'noRepeatNgramSize', noRepeatNgramSize, 0);
  requireInteger(op, 'minNewTokens', minNewTokens, 0);
  requireFinite(op, 'minP', minP, 0);
  requireFinite(op, 'lengthPenalty', lengthPenalty);
  requireInteger(op, 'numBeams', numBeams, 1);
  requireInteger(op, 'numReturnSequences', numReturnSequences, 1);
  if (typeof earlyStopping !== 'boolean') requireOneOf(op, 'earlyStopping', earlyStopping, ['never']);
  if (minP > 1) throw invalid('`minP` is at most 1.', `minP: ${minP}`, 'pass 0.05.');
  requireFinite(op, 'typicalP', typicalP, Number.MIN_VALUE);
  if (typicalP > 1) throw invalid('`typicalP` is at most 1.', `typicalP: ${typicalP}`, 'pass 0.9.');
  for (const name of ['suppressTokens', 'beginSuppressTokens'] as const) {
    const { [name]: tokens = [] } = options;
    if (isListOf(tokens, (token) => isTokens([token], count))) continue;
    throw invalid(`\`${name}\` are tokens, from 0 to ${count - 1}.`, describe(tokens), 'pass [220, 50256].');
  }
  if (!isListOf(badWords, (words) => isTokens(words, count)))
    throw invalid('`badWords` are lists of tokens.', describe(badWords), 'pass [[464], [2068, 7586]].');
  requireStopStrings(options);
  requireSearch({ ...options, numBeams, numReturnSequences });
  checkSeed(op, seed);
  checkSignal(op, signal);
  const stops = new Set(stopTokens);
  return { ...options, maxNewTokens, numBeams, lengthPenalty, earlyStopping, numReturnSequences, stops };
}

/** How many tokens the prompts may be continued by. Errors: ValueError for prompts that are too long. */
function roomFor({ backbone }: Generator, prompts: Prompts): number {
  const { sequenceLength: positions = Infinity } = backbone.embeddings?.positionEmbedding ?? {};
  const longest = longestOf(prompts);
  // The last token isn't read.
  if (longest <= positions) return positions - longest + 1;
  throw invalid(
    `a prompt has at most ${positions} tokens: the network has as many positions.`,
    `${longest} tokens`,
    'leave out its beginning: tokens.slice(-100).',
  );
}

function requireStopStrings({ stopStrings = [], decode }: GenerateOptions): void {
  const isFilledText = (text: unknown) => typeof text === 'string' && text !== '';
  if (isListOf(stopStrings, isFilledText) && (stopStrings.length === 0 || typeof decode === 'function'))
    return;
  throw invalid(
    '`stopStrings` are texts, and `decode` makes tokens a text.',
    `stopStrings: ${describe(stopStrings)}, decode: ${describe(decode)}`,
    "pass { stopStrings: ['\\n'], decode: (tokens) => tokenizer.decode(tokens) }.",
  );
}

function requireSearch({ numBeams = 1, numReturnSequences = 1, temperature = 0 }: GenerateOptions): void {
  if (numBeams > 1 && temperature !== 0)
    throw invalid(
      'tokens are drawn, or the most probable texts are searched for.',
      `numBeams: ${numBeams}, temperature: ${temperature}`,
      'leave out one of them.',
    );
  if (temperature !== 0 || numReturnSequences <= numBeams) return;
  throw invalid(
    'without `temperature`, `numReturnSequences` is at most `numBeams`: others would be the same.',
    `numBeams: ${numBeams}, numReturnSequences: ${numReturnSequences}`,
    'pass a temperature, or more beams.',
  );
}

/** Whether a text ends with its last token: by that token, or by a stop string that it completes. */
export function hasEnded({ stops, stopStrings = [], decode }: Settings, text: readonly number[]): boolean {
  if (stops.has(text.at(-1) as number)) return true;
  if (stopStrings.length === 0 || !decode) return false;
  // A character has up to four tokens.
  const longest = Math.max(...stopStrings.map(({ length }) => length));
  const tail = text.slice(-4 * longest - 8);
  const [before, after] = [decode(tail.slice(0, -1)), decode(tail)];
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  return stopStrings.some((stop) => {
    const at = after.lastIndexOf(stop);
    return at >= 0 && at + stop.length > same;
  });
}

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

function isTokens(list: unknown, count: number): boolean {
  const isToken = (token: unknown) =>
    Number.isInteger(token) && (token as number) >= 0 && (token as number) < count;
  return isFilled(list) && isListOf(list, isToken);
}

function requirePrompts(count: number, prompts: unknown): void {
  if (isFilled(prompts) && isListOf(prompts, (prompt) => isTokens(prompt, count))) return;
  throw invalid(
    `prompts are lists of at least one token each, integers from 0 to ${count - 1}.`,
    describe(prompts),
    'pass [[464, 2068]]; a tokenizer makes tokens of a text.',
  );
}

function invalid(rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op: 'generate', rule, received, hint });
}
