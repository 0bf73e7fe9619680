/** @file What `transcribe` checks before it writes: options, spectrograms, and whether texts stay within the positions. */
import { describe } from '../../core/describe.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { checkOptions } from '../../core/options.ts';
import { describe as describeShape, requireBoolean } from '../../core/shape.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { fallbackIn, type FallbackSettings } from './checkFallback.ts';
import type { GenerateOptions } from './generateOptions.ts';
import { type Transcriber, windowOf } from './transcriber.ts';
import { type TranscribeOptions, transcribeOptionNames } from './transcribeOptions.ts';

/** Options that were checked. */
export interface Checked {
  readonly conditionOnPreviousText: boolean;
  readonly frameCounts: readonly number[];
  /** Null without temperatures and thresholds. */
  readonly fallback: FallbackSettings | null;
  /** Those of the generation. */
  readonly others: GenerateOptions;
}

/** The options of a generation, whose texts stay within the positions. */
export function limited(
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
export function checked(
  op: string,
  net: Transcriber,
  frames: Tensor,
  options: TranscribeOptions,
  isInTime: boolean,
): Checked {
  checkOptions(op, options, transcribeOptionNames);
  const { startTokens: _, language: __, task: ___, returnTimestamps, frameCounts: counts, ...rest } = options;
  const { conditionOnPreviousText = false, ...given } = rest;
  const { temperatures, compressionRatioThreshold, logprobThreshold, noSpeechThreshold, ...others } = given;
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
  const fallback = fallbackIn(op, net, options);
  return { conditionOnPreviousText, frameCounts: countsOf(op, net, frames, counts), fallback, others };
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

export function requireFrames(op: string, net: Transcriber, frames: unknown, isLong: boolean): void {
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

export function invalid(op: string, rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}
