/** @file Parts of what is said in a window, by the times between them. As transformers' `_retrieve_segment`. */

/** Of the spectrograms of Whisper. */
export const secondsPerFrame = 0.01;
/** Tokens of times are apart by so many frames. */
const framesPerStep = 2;

export interface WindowSegment {
  /** Seconds from the beginning of the window. */
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly number[];
}

/**
 * Divides the tokens of a window of `frames` frames where two times follow each other; `begin` is the token of 0 s. `next` is how many
 * frames later the next window begins: after the last part that is complete, or at the end if no other has begun.
 */
export function segmentsOf(
  tokens: readonly number[],
  { begin, frames }: { readonly begin: number; readonly frames: number },
): { readonly segments: readonly WindowSegment[]; readonly next: number } {
  const isTime = (at: number) => at >= 0 && (tokens[at] as number) >= begin;
  const seconds = (token: number | undefined) =>
    ((token as number) - begin) * framesPerStep * secondsPerFrame;
  const last = tokens.length - 1;
  const isComplete = isTime(last) && !isTime(last - 1) && last > 0;
  const ends = tokens.flatMap((_, at) => (isTime(at) && isTime(at - 1) ? [at] : []));
  if (ends.length === 0) {
    const time = tokens.findLast((token) => token >= begin);
    const hasTime = time !== undefined && time !== begin;
    const end = hasTime
      ? seconds(time)
      : Math.floor(frames / framesPerStep) * framesPerStep * secondsPerFrame;
    return { segments: [{ start: 0, end, tokens }], next: frames };
  }
  // The last part that is kept has both times of its end, so that it is known to be complete.
  if (isComplete) ends.push(tokens.length);
  else ends.push((ends.pop() as number) + 1);
  const segments = ends.map((end, i) => {
    const part = tokens.slice(i === 0 ? 0 : ends[i - 1], end);
    const isDouble = i === ends.length - 1 && !isComplete;
    return { start: seconds(part[0]), end: seconds(part.at(isDouble ? -2 : -1)), tokens: part };
  });
  if (isComplete) return { segments, next: frames };
  const time = tokens[(ends.at(-1) as number) - 2] as number;
  // Never the same window again.
  return { segments, next: Math.max(1, time - begin) * framesPerStep };
}
