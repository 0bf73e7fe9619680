/** @file Whether a text that was written of a sound is taken. As transformers' `_need_fallback`. */
import type { SpeechFigures } from './speechFigures.ts';

/** When a text isn't taken; null for a threshold that isn't used. */
export interface Thresholds {
  readonly compressionRatio: number | null;
  readonly logProbability: number | null;
  readonly noSpeech: number | null;
}

/** What is done with a text. */
export type Verdict = 'take' | 'again' | 'silent';

/** What becomes of a text with these figures. */
export function verdictOf(
  { logProbability, noSpeech }: SpeechFigures,
  ratio: number,
  thresholds: Thresholds,
): Verdict {
  const isImprobable = thresholds.logProbability !== null && logProbability < thresholds.logProbability;
  if (isImprobable && thresholds.noSpeech !== null && noSpeech > thresholds.noSpeech) return 'silent';
  const isRepetitive = thresholds.compressionRatio !== null && ratio > thresholds.compressionRatio;
  return isImprobable || isRepetitive ? 'again' : 'take';
}
