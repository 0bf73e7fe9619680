/**
 * @file Writes what is said in sounds of any length, window by window. With times, a window begins where the last complete part of the
 * one before ended. As transformers' WhisperForConditionalGeneration.generate.
 */
import { describe } from '../../core/describe.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions } from '../../core/options.ts';
import { describe as describeShape, requireBoolean } from '../../core/shape.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { repeat } from '../../ops/arrangement/repeat.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { AttentionCache } from '../layers/attentionCache.ts';
import { featuresAt } from '../models/featuresAt.ts';
import type { SpeechTokens } from '../models/speechTokens.ts';
import { never } from './adjustments.ts';
import { generate } from './generate.ts';
import type { Block, Generator, LogitsRules } from './generation.ts';
import type { GenerateOptions } from './generateOptions.ts';
import { segmentsOf, secondsPerFrame } from './speechSegments.ts';
import { startsOf } from './speechStarts.ts';
import { TimestampRules } from './timestampRules.ts';
import { type SpeechSegment, type TranscribeOptions, transcribeOptionNames } from './transcribeOptions.ts';

/** The part of an AudioToText that is used here. */
export interface Transcriber {
  readonly startTokens: readonly number[];
  readonly stopTokens: readonly number[];
  readonly suppressedTokens: readonly number[];
  readonly suppressedFirstTokens: readonly number[];
  readonly speech: SpeechTokens;
  readonly backbone: {
    readonly encoder: {
      apply(frames: Tensor): Tensor;
      readonly maxSequenceLength: number;
      readonly numMels: number;
    };
    readonly decoder: {
      apply(inputs: object, options: { cache?: AttentionCache; training: boolean }): Tensor;
      readonly tokenEmbedding: { readonly inputDim: number };
      readonly transformerLayers: readonly Block[];
      readonly maxSequenceLength: number;
    };
  };
  logits(features: Tensor): Tensor;
}

/** Options that were checked. */
interface Checked {
  readonly conditionOnPreviousText: boolean;
  readonly frameCounts: readonly number[];
  /** Those of the generation. */
  readonly others: GenerateOptions;
}

/** As `AudioToText.transcribe`. */
export async function transcribe(
  op: string,
  net: Transcriber,
  frames: Tensor,
  options: TranscribeOptions,
): Promise<number[][]> {
  if (!isTimed(net, frames, options)) return plainTexts(op, net, frames, options);
  const texts = Array.from({ length: countOf(frames) }, (): number[] => []);
  for await (const { sound, tokens } of streamSegments(op, net, frames, options))
    texts[sound]?.push(...tokens);
  return texts;
}

/** Whether there are several windows, or times are asked for. */
function isTimed(net: Transcriber, frames: Tensor, { returnTimestamps }: TranscribeOptions): boolean {
  return returnTimestamps ?? (frames instanceof Tensor && lengthOf(frames) > windowOf(net));
}

async function plainTexts(
  op: string,
  net: Transcriber,
  frames: Tensor,
  options: TranscribeOptions,
): Promise<number[][]> {
  const { others } = checked(op, net, frames, options, false);
  const sounds = encoded(net, frames);
  try {
    const starts = await startsOf(op, net, options, false, countOf(frames), () => languagesOf(net, sounds));
    return await withGenerator(net, sounds, false, (generator) =>
      generate(generator, starts, limited(op, net, starts, others)),
    );
  } finally {
    sounds.dispose();
  }
}

/** As `AudioToText.streamSegments`. */
export async function* streamSegments(
  op: string,
  net: Transcriber,
  frames: Tensor,
  options: TranscribeOptions,
): AsyncGenerator<SpeechSegment> {
  const { others, frameCounts, conditionOnPreviousText } = checked(op, net, frames, options, true);
  const begin = (net.speech.noTimestamps as number) + 1;
  const starts = await startsOf(op, net, options, true, countOf(frames), () =>
    detectedLanguages(net, frames),
  );
  limited(op, net, starts, others);
  const positions = frameCounts.map(() => 0);
  const texts = frameCounts.map((): number[] => []);
  for (;;) {
    const active = positions.flatMap((at, i) => (at < (frameCounts[i] as number) ? [i] : []));
    if (active.length === 0) return;
    const windows = active.map((sound) => {
      const at = positions[sound] as number;
      return { sound, at, count: Math.min(windowOf(net), (frameCounts[sound] as number) - at) };
    });
    const prompts = windows.map(({ sound }) => {
      const start = starts[sound] as readonly number[];
      return conditionOnPreviousText ? continued(net, texts[sound] as number[], start) : start;
    });
    const sounds = unrecorded(() => tidy(() => keep(net.backbone.encoder.apply(cut(net, frames, windows)))));
    let made: number[][];
    try {
      const { onToken } = others;
      made = await withGenerator(net, sounds, true, (generator) =>
        generate(generator, prompts, {
          ...limited(op, net, prompts, others, false),
          ...(onToken && { onToken: (token, row) => onToken(token, windows[row]?.sound as number) }),
        }),
      );
    } finally {
      sounds.dispose();
    }
    for (const [row, { sound, at, count }] of windows.entries()) {
      const text = withoutEnd(net, made[row] ?? []);
      const { segments, next } = segmentsOf(text, { begin, frames: count });
      positions[sound] = at + next;
      for (const { start, end, tokens } of segments) {
        (texts[sound] as number[]).push(...withoutSecondTime(tokens, begin));
        const offset = at * secondsPerFrame;
        yield { sound, start: offset + start, end: offset + end, tokens };
      }
    }
  }
}

/** As `AudioToText.detectLanguage`. */
export async function detectLanguages(op: string, net: Transcriber, frames: Tensor): Promise<string[]> {
  requireFrames(op, net, frames, true);
  const { languages = {} } = net.speech;
  if (Object.keys(languages).length === 0)
    throw invalid(op, 'the network knows several languages.', 'one language', 'leave out the call.');
  const found = await detectedLanguages(net, frames);
  return found.map((token) => Object.keys(languages).find((name) => languages[name] === token) as string);
}

/** Of the first window of each sound. */
async function detectedLanguages(net: Transcriber, frames: Tensor): Promise<number[]> {
  const [batch, length, bands] = frames.shape as [number, number, number];
  const size = [batch, Math.min(length, windowOf(net)), bands];
  const sounds = unrecorded(() =>
    tidy(() => keep(net.backbone.encoder.apply(slice(frames, { begin: [0, 0, 0], size })))),
  );
  try {
    return await languagesOf(net, sounds);
  } finally {
    sounds.dispose();
  }
}

/** The most probable language after the first token. */
async function languagesOf(net: Transcriber, sounds: Tensor): Promise<number[]> {
  const batch = sounds.shape[0] as number;
  const logits = unrecorded(() =>
    tidy(() => {
      const first = new Int32Array(batch).fill(net.startTokens[0] as number);
      const tokenIds = tensor(first, { shape: [batch, 1] });
      const features = net.backbone.decoder.apply({ tokenIds, encoderSequence: sounds }, { training: false });
      return keep(net.logits(featuresAt(features, 0)));
    }),
  );
  try {
    const values = await logits.data();
    const count = values.length / batch;
    const tokens = Object.values(net.speech.languages ?? {}).sort((a, b) => a - b);
    return Array.from({ length: batch }, (_, i) => {
      const at = (token: number) => values[i * count + token] as number;
      return tokens.reduce((best, token) => (at(token) > at(best) ? token : best));
    });
  } finally {
    logits.dispose();
  }
}

const windowOf = (net: Transcriber) => net.backbone.encoder.maxSequenceLength;
const countOf = (frames: Tensor) => frames.shape[0] as number;
const lengthOf = (frames: Tensor) => frames.shape[1] as number;

function encoded(net: Transcriber, frames: Tensor): Tensor {
  return unrecorded(() => tidy(() => keep(net.backbone.encoder.apply(frames))));
}

interface Window {
  readonly sound: number;
  readonly at: number;
  readonly count: number;
}

/** The frames of windows, with zeros after the end of a sound: [windows, frames, bands]. */
function cut(net: Transcriber, frames: Tensor, windows: readonly Window[]): Tensor {
  const bands = frames.shape[2] as number;
  const parts = windows.map(({ sound, at, count }) => {
    const part = slice(frames, { begin: [sound, at, 0], size: [1, count, bands] });
    const rest = windowOf(net) - count;
    return rest === 0
      ? part
      : pad(part, {
          paddings: [
            [0, 0],
            [0, rest],
            [0, 0],
          ],
        });
  });
  return concat(parts, { axis: 0 });
}

/** A prompt of what was said before, at most half of the positions. */
function continued(net: Transcriber, text: readonly number[], start: readonly number[]): readonly number[] {
  if (text.length === 0) return start;
  const room = Math.floor(net.backbone.decoder.maxSequenceLength / 2) - 1;
  const { previousText = null } = net.speech;
  const before = room > 0 ? text.slice(-room) : [];
  return [...(previousText === null ? [] : [previousText]), ...before, ...start];
}

function withoutEnd({ stopTokens }: Transcriber, text: readonly number[]): readonly number[] {
  return stopTokens.includes(text.at(-1) as number) ? text.slice(0, -1) : text;
}

/** A segment that ends with two times says the end of the next one's beginning, too. */
function withoutSecondTime(tokens: readonly number[], begin: number): readonly number[] {
  return tokens.length > 2 && (tokens.at(-2) as number) >= begin ? tokens.slice(0, -1) : tokens;
}

/** Runs a generation over encoded sounds. */
async function withGenerator<T>(
  net: Transcriber,
  sounds: Tensor,
  isInTime: boolean,
  run: (generator: Generator) => Promise<T>,
): Promise<T> {
  const { decoder } = net.backbone;
  const { inputDim: count } = decoder.tokenEmbedding;
  const { suppressedTokens: always, suppressedFirstTokens: atFirst, stopTokens, speech } = net;
  const masks = { later: maskOf(count, always), first: maskOf(count, [...always, ...atFirst]) };
  const begin = (speech.noTimestamps ?? count) + 1;
  const { maxInitialTimestamp: maxInitial = null } = speech;
  const times = isInTime
    ? new TimestampRules({ count, begin, end: stopTokens[0] ?? begin, maxInitial })
    : null;
  // A search adds up the probabilities of logits before they are changed.
  const rules: LogitsRules = {
    tensors: (made) => times?.tensors(made) ?? [],
    apply: (logits, tensors, isFirst) => {
      const mask = isFirst ? masks.first : masks.later;
      const found = mask ? add(logits, mask) : logits;
      return times ? times.apply(found, tensors) : found;
    },
  };
  let repeated: Tensor | null = null;
  /** Each sound as often as it has texts. */
  const ofTexts = (tokenIds: Tensor) => {
    const times = countOf(tokenIds) / countOf(sounds);
    if (times === 1) return sounds;
    repeated ??= keep(repeat(sounds, { repeats: times, axis: 0 }));
    return repeated;
  };
  try {
    return await run({
      stopTokens,
      rules,
      backbone: {
        apply: (tokenIds, call) => decoder.apply({ tokenIds, encoderSequence: ofTexts(tokenIds) }, call),
        tokenEmbedding: decoder.tokenEmbedding,
        transformerLayers: decoder.transformerLayers,
      },
      logits: (features) => net.logits(features),
    });
  } finally {
    for (const kept of [masks.later, masks.first, times, repeated as Tensor | null]) kept?.dispose();
  }
}

/** What is added to logits, so that some tokens are never the largest; null for none. */
function maskOf(count: number, tokens: readonly number[]): Tensor | null {
  if (tokens.length === 0) return null;
  const values = new Float32Array(count);
  for (const token of tokens) if (token < count) values[token] = never;
  return keep(tensor(values));
}

/** The options of a generation, whose texts stay within the positions. */
function limited(
  op: string,
  net: Transcriber,
  prompts: readonly (readonly number[])[],
  { maxNewTokens, ...others }: GenerateOptions,
  isStrict = true,
): GenerateOptions {
  const { maxSequenceLength: length } = net.backbone.decoder;
  const longest = Math.max(...prompts.map((prompt) => prompt.length));
  const room = length - longest;
  if (room < 1 || (isStrict && maxNewTokens !== undefined && maxNewTokens > room))
    throw invalid(
      op,
      `the network has ${length} positions for the tokens that a text begins with and those that are added.`,
      `${longest} and maxNewTokens: ${maxNewTokens}`,
      room < 1 ? 'begin with fewer tokens.' : `pass at most ${room}, or leave it out.`,
    );
  return { ...others, maxNewTokens: Math.min(maxNewTokens ?? room, room) };
}

/** Errors: ValueError for invalid options; ShapeError for spectrograms of other sizes. */
function checked(
  op: string,
  net: Transcriber,
  frames: Tensor,
  options: TranscribeOptions,
  isInTime: boolean,
): Checked {
  checkOptions(op, options, transcribeOptionNames);
  const { startTokens: _, language: __, task: ___, returnTimestamps, frameCounts: counts, ...rest } = options;
  const { conditionOnPreviousText = false, ...others } = rest;
  if (returnTimestamps !== undefined) requireBoolean(op, 'returnTimestamps', returnTimestamps);
  requireBoolean(op, 'conditionOnPreviousText', conditionOnPreviousText);
  requireFrames(op, net, frames, isInTime);
  if (isInTime) {
    const { noTimestamps = null } = net.speech;
    const { inputDim: count } = net.backbone.decoder.tokenEmbedding;
    if (noTimestamps === null || noTimestamps + 1 >= count)
      throw invalid(
        op,
        'times, and sounds longer than a window, need the tokens of times.',
        'a network without them',
        'load one whose generation_config.json has `no_timestamps_token_id`, or cut the sound.',
      );
    if ((others.numReturnSequences ?? 1) > 1)
      throw invalid(op, 'with times, one text is made of each sound.', 'numReturnSequences', 'leave it out.');
  }
  return { conditionOnPreviousText, frameCounts: countsOf(op, net, frames, counts), others };
}

function countsOf(op: string, net: Transcriber, frames: Tensor, given: readonly number[] | undefined) {
  const [batch, length] = frames.shape as [number, number];
  if (given === undefined && batch > 1 && length > windowOf(net))
    throw invalid(
      op,
      'of several sounds longer than a window, `frameCounts` says where each ends.',
      `${batch} sounds of ${length} frames`,
      `pass { frameCounts: [${length}, …] }, or one sound after the other.`,
    );
  const counts = given ?? new Array<number>(batch).fill(length);
  const isCount = (count: unknown) =>
    Number.isInteger(count) && (count as number) >= 1 && (count as number) <= length;
  if (isListOf(counts, isCount) && counts.length === batch) return counts;
  throw invalid(
    op,
    `\`frameCounts\` are ${batch} numbers from 1 to ${length}.`,
    describe(given),
    'pass the length of each sound, divided by 160.',
  );
}

function requireFrames(op: string, net: Transcriber, frames: unknown, isLong: boolean): void {
  const { maxSequenceLength: window, numMels } = net.backbone.encoder;
  if (!(frames instanceof Tensor))
    throw invalid(
      op,
      'it takes spectrograms, a tensor.',
      describe(frames),
      'make them with loadAudioConverter.',
    );
  const [batch = 0, length = 0, bands] = frames.shape;
  const fits = isLong ? length >= window : length === window;
  if (frames.rank === 3 && batch > 0 && fits && bands === numMels) return;
  throw new ShapeError({
    op,
    rule: `spectrograms are [batch, frames, ${numMels}], of ${isLong ? `at least ${window} frames` : `${window} frames, or more with times`}.`,
    received: describeShape(frames.shape),
    hint: 'make them with the converter of loadAudioConverter, which pads short sounds.',
  });
}

function invalid(op: string, rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}
