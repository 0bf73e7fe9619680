/** @file What `transcribe` takes, and the parts that it gives. */
import type { OptionNames } from '../../core/options.ts';
import { type GenerateOptions, generateOptionNames } from './generateOptions.ts';

/** Options of `transcribe`, `transcribeSegments` and `streamSegments`. */
export interface TranscribeOptions extends GenerateOptions {
  /** How many tokens are added to each window at most. Default: as many as the network has positions for. */
  readonly maxNewTokens?: number | undefined;
  /** The tokens that each text begins with. Default: those of the model, with the language and the task. */
  readonly startTokens?: readonly number[] | undefined;
  /** The language of the sounds, or of each: 'en', 'english' or '<|en|>'. Default: that of the model, or the one that it detects. */
  readonly language?: string | readonly string[] | undefined;
  /** 'transcribe', or 'translate' into English. Default: that of the model. */
  readonly task?: string | undefined;
  /** Whether tokens of times are written. Default: for sounds longer than a window, which need them. */
  readonly returnTimestamps?: boolean | undefined;
  /** Whether a window's text continues that of the windows before, unless the last one was written at a temperature from 0.5 on. Default false. */
  readonly conditionOnPreviousText?: boolean | undefined;
  /**
   * Tried one after the other: a window whose text fails a threshold is written again at the next one. Instead of `temperature`. The text
   * of the last one is taken.
   */
  readonly temperatures?: readonly number[] | undefined;
  /** A text whose tokens compress better repeats itself, and fails: 1.35 is usual. The ratio is that of zlib. Default: any is taken. */
  readonly compressionRatioThreshold?: number | undefined;
  /**
   * A text fails whose mean log probability is less: -1 is usual. Probabilities are among the tokens that may follow, at temperature 1,
   * without `topK`, `repetitionPenalty` and the like. Default: any is taken.
   */
  readonly logprobThreshold?: number | undefined;
  /**
   * A window is left out if nothing is said with more than this probability, and its text is less probable than `logprobThreshold`: 0.6 is
   * usual. Default: none is left out.
   */
  readonly noSpeechThreshold?: number | undefined;
  /** How many frames of each sound are sound, for several that are longer than a window; others are padding. Default: all of one sound. */
  readonly frameCounts?: readonly number[] | undefined;
}

/** A part of what is said. */
export interface SpeechSegment {
  /** The number of the sound. */
  readonly sound: number;
  /** Seconds from the beginning of the sound. */
  readonly start: number;
  readonly end: number;
  /** With those of times. */
  readonly tokens: readonly number[];
}

/** The options of all transcriptions. */
export const transcribeOptionNames: OptionNames<TranscribeOptions> = {
  startTokens: false,
  language: false,
  task: false,
  returnTimestamps: false,
  conditionOnPreviousText: false,
  temperatures: false,
  compressionRatioThreshold: false,
  logprobThreshold: false,
  noSpeechThreshold: false,
  frameCounts: false,
  ...generateOptionNames,
};
