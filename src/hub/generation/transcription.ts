/**
 * @file Writes what is said in sounds of any length, window by window. With times, a window begins where the last complete part of the
 * one before ended. As transformers' WhisperForConditionalGeneration.generate
 * of one sound; several are written as they are one by one.
 */
import { concat } from '../../ops/arrangement/concat.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { repeat } from '../../ops/arrangement/repeat.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { unrecorded } from '../../ops/define/recorders.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { tensor } from '../../tensor/create.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { never } from './adjustments.ts';
import type { FallbackSettings } from './checkFallback.ts';
import { checked, limited } from './checkTranscription.ts';
import { type Prompt, writtenWithFallback, type Written } from './fallback.ts';
import { generate } from './generate.ts';
import type { GenerateOptions } from './generateOptions.ts';
import type { Generator, LogitsRules } from './generation.ts';
import { segmentsOf, secondsPerFrame } from './speechSegments.ts';
import { startsOf } from './speechStarts.ts';
import { detectedLanguages, languagesOf } from './spokenLanguages.ts';
import { TimestampRules } from './timestampRules.ts';
import { countOf, encoded, lengthOf, type Transcriber, windowOf } from './transcriber.ts';
import type { SpeechSegment, TranscribeOptions } from './transcribeOptions.ts';

// One module is loaded for all that hears: shared by two, its parts would be in an app's first file.
export { detectLanguages } from './spokenLanguages.ts';

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
  const { others, fallback } = checked(op, net, frames, options, false);
  const sounds = encoded(net, () => frames);
  try {
    const starts = await startsOf(op, net, options, false, countOf(frames), () => languagesOf(net, sounds));
    const limits = limited(op, net, starts, others);
    if (fallback) {
      const windows = starts.map((prompt) => ({ prompt, start: 0 }));
      const written = await writtenAt(net, sounds, false, windows, fallback, limits);
      return written.map(({ tokens, isSilent }) => (isSilent ? [] : [...tokens]));
    }
    return await withGenerator(net, sounds, false, (generator) => generate(generator, starts, limits));
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
  const { others, frameCounts, conditionOnPreviousText, fallback } = checked(op, net, frames, options, true);
  const begin = (net.speech.noTimestamps as number) + 1;
  const starts = await startsOf(op, net, options, true, countOf(frames), () =>
    detectedLanguages(net, frames),
  );
  limited(op, net, starts, others);
  const positions = frameCounts.map(() => 0);
  const texts = frameCounts.map((): number[] => []);
  const isContinued = frameCounts.map(() => conditionOnPreviousText);
  for (;;) {
    const active = positions.flatMap((at, i) => (at < (frameCounts[i] as number) ? [i] : []));
    if (active.length === 0) return;
    const windows = active.map((sound) => {
      const at = positions[sound] as number;
      return { sound, at, count: Math.min(windowOf(net), (frameCounts[sound] as number) - at) };
    });
    const prompts = windows.map(({ sound }) => {
      const start = starts[sound] as readonly number[];
      return isContinued[sound] ? continued(net, texts[sound] as number[], start) : start;
    });
    const sounds = encoded(net, () => cut(net, frames, windows));
    const { onToken } = others;
    const limits = {
      ...limited(op, net, prompts, others, false),
      ...(onToken && {
        onToken: (token: number, row: number) => onToken(token, windows[row]?.sound as number),
      }),
    };
    const asked = windows.map(({ sound }, i) => {
      const [prompt, start] = [prompts[i], starts[sound]] as [readonly number[], readonly number[]];
      return { prompt, start: prompt.length - start.length };
    });
    let written: readonly Written[];
    try {
      written = await writtenAt(net, sounds, true, asked, fallback, limits);
    } finally {
      sounds.dispose();
    }
    for (const [row, { sound, at, count }] of windows.entries()) {
      const { tokens: found, temperature, isSilent } = written[row] as Written;
      isContinued[sound] = conditionOnPreviousText && temperature < hotFrom;
      if (isSilent) {
        positions[sound] = at + count;
        continue;
      }
      const text = withoutEnd(net, found);
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

/** A text that was written at such a temperature isn't continued. */
const hotFrom = 0.5;

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

/** Writes windows, each at one temperature or at the first whose text is taken. */
async function writtenAt(
  net: Transcriber,
  sounds: Tensor,
  isInTime: boolean,
  windows: readonly Prompt[],
  fallback: FallbackSettings | null,
  limits: GenerateOptions,
): Promise<readonly Written[]> {
  const { temperature = 0 } = limits;
  if (!fallback) {
    const prompts = windows.map(({ prompt }) => prompt);
    const made = await withGenerator(net, sounds, isInTime, (generator) =>
      generate(generator, prompts, limits),
    );
    return made.map((tokens) => ({ tokens, temperature, isSilent: false }));
  }
  return writtenWithFallback(windows, {
    ...fallback,
    count: net.backbone.decoder.tokenEmbedding.inputDim,
    noSpeechToken: (net.speech.noTimestamps ?? 0) - 1,
    generate: (generator, prompts, temperature) => generate(generator, prompts, { ...limits, temperature }),
    withGenerator: async (rows, run) => {
      const chosen = rowsOf(sounds, rows);
      try {
        return await withGenerator(net, chosen, isInTime, run);
      } finally {
        chosen.dispose();
      }
    },
  });
}

/** A copy of some of the encoded sounds. */
function rowsOf(sounds: Tensor, rows: readonly number[]): Tensor {
  const indices = () => tensor([...rows], { dtype: 'int32' });
  return unrecorded(() => tidy(() => keep(gather(sounds, indices(), { axis: 0 }))));
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
