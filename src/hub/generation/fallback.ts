/**
 * @file Writes a window again at a higher temperature where its text repeats itself or is improbable, and leaves out windows in which
 * nothing is said. As transformers' `generate_with_fallback`.
 */
import { compressionRatio } from './compressionRatio.ts';
import type { Generator } from './generation.ts';
import { figuresOf } from './speechFigures.ts';
import { type Thresholds, type Verdict, verdictOf } from './verdict.ts';

/** A text of a window, and the temperature at which it was written. */
export interface Written {
  readonly tokens: readonly number[];
  readonly temperature: number;
  /** Whether nothing is said. */
  readonly isSilent: boolean;
}

/** A window that is to be written. */
export interface Prompt {
  readonly prompt: readonly number[];
  readonly start: number;
}

interface Fallback {
  readonly temperatures: readonly number[];
  readonly thresholds: Thresholds;
  /** The number of all tokens. */
  readonly count: number;
  readonly noSpeechToken: number;
  /** Calls `run` with what writes the windows of these numbers. */
  withGenerator<T>(windows: readonly number[], run: (generator: Generator) => Promise<T>): Promise<T>;
  /** Writes at a temperature. */
  generate(
    generator: Generator,
    prompts: readonly (readonly number[])[],
    temperature: number,
  ): Promise<number[][]>;
}

/** For thresholds that aren't used. */
const unknown = { logProbability: 0, noSpeech: 0 };

/** Writes each window, at the first temperature whose text is taken, or else at the last one. */
export async function writtenWithFallback(
  windows: readonly Prompt[],
  { temperatures, thresholds, count, noSpeechToken, withGenerator, generate }: Fallback,
): Promise<Written[]> {
  const written: Written[] = [];
  let left = windows.map((_, i) => i);
  for (const temperature of temperatures) {
    const verdicts = await withGenerator(left, async (generator) => {
      const asked = left.map((i) => windows[i] as Prompt);
      const made = await generate(
        generator,
        asked.map(({ prompt }) => prompt),
        temperature,
      );
      const texts = asked.map((window, i) => ({ ...window, tokens: made[i] as number[] }));
      const noSpeech = thresholds.noSpeech === null ? null : noSpeechToken;
      const figures = thresholds.logProbability === null ? null : await figuresOf(generator, texts, noSpeech);
      const ratios = await Promise.all(
        texts.map(({ tokens }) =>
          thresholds.compressionRatio === null ? 0 : compressionRatio(tokens, count),
        ),
      );
      return texts.map(({ tokens }, i): readonly [readonly number[], Verdict] => [
        tokens,
        verdictOf(figures?.[i] ?? unknown, ratios[i] as number, thresholds),
      ]);
    });
    for (const [i, window] of left.entries()) {
      const [tokens, verdict] = verdicts[i] as readonly [readonly number[], Verdict];
      written[window] = { tokens, temperature, isSilent: verdict === 'silent' };
    }
    left = left.filter((_, i) => verdicts[i]?.[1] === 'again');
    if (left.length === 0) break;
  }
  return written;
}
