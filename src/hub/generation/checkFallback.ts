/** @file What `transcribe` checks of temperatures and the thresholds between them. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { requireFinite } from '../../core/shape.ts';
import type { Transcriber } from './transcriber.ts';
import type { TranscribeOptions } from './transcribeOptions.ts';
import type { Thresholds } from './verdict.ts';

/** Temperatures that are tried one after the other, and when. */
export interface FallbackSettings {
  readonly temperatures: readonly number[];
  readonly thresholds: Thresholds;
}

/** Null without such options. Errors: ValueError for values of other kinds, and for those that would change nothing. */
export function fallbackIn(
  op: string,
  { speech }: Transcriber,
  options: TranscribeOptions,
): FallbackSettings | null {
  const { temperatures = null, temperature = null } = options;
  const { compressionRatioThreshold, logprobThreshold, noSpeechThreshold } = options;
  const given = { compressionRatioThreshold, logprobThreshold, noSpeechThreshold };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) requireFinite(op, name, value);
  const isAnyGiven = Object.values(given).some((value) => value !== undefined);
  if (temperatures === null && !isAnyGiven) return null;
  const isTemperature = (value: unknown) => Number.isFinite(value) && (value as number) >= 0;
  if (temperatures !== null && (!isListOf(temperatures, isTemperature) || temperatures.length === 0))
    throw invalid(
      op,
      '`temperatures` are numbers from 0 on.',
      describe(temperatures),
      'pass [0, 0.2, 0.4, 0.6, 0.8, 1].',
    );
  if (temperatures !== null && temperature !== null)
    throw invalid(
      op,
      'there is one temperature, or a list.',
      '`temperature` and `temperatures`',
      'leave out one of them.',
    );
  const tried = temperatures ?? [temperature ?? 0];
  const isAgain = compressionRatioThreshold !== undefined || logprobThreshold !== undefined;
  const hint = 'pass { temperatures: [0, 0.2, 0.4], compressionRatioThreshold: 1.35, logprobThreshold: -1 }.';
  if (tried.length > 1 && !isAgain)
    throw invalid(
      op,
      'a threshold says when the next of `temperatures` is tried.',
      'temperatures without one',
      hint,
    );
  const isOfSilence = compressionRatioThreshold === undefined && noSpeechThreshold !== undefined;
  if (tried.length === 1 && isAgain && !isOfSilence)
    throw invalid(
      op,
      'thresholds say when the next of several `temperatures` is tried.',
      'one temperature',
      hint,
    );
  requireNoSpeech(op, speech.noTimestamps ?? null, options);
  requireOneText(op, options);
  return {
    temperatures: tried,
    thresholds: {
      compressionRatio: compressionRatioThreshold ?? null,
      logProbability: logprobThreshold ?? null,
      noSpeech: noSpeechThreshold ?? null,
    },
  };
}

function requireNoSpeech(op: string, noTimestamps: number | null, options: TranscribeOptions): void {
  if (options.noSpeechThreshold === undefined) return;
  if (options.logprobThreshold === undefined)
    throw invalid(
      op,
      'with `noSpeechThreshold`, windows are left out whose text is improbable, too.',
      'no `logprobThreshold`',
      'pass { logprobThreshold: -1, noSpeechThreshold: 0.6 }.',
    );
  if (noTimestamps === null || noTimestamps < 1)
    throw invalid(
      op,
      '`noSpeechThreshold` needs the token for no speech, the one before `noTimestamps`.',
      'a network without it',
      'leave it out.',
    );
}

function requireOneText(op: string, { numBeams = 1, numReturnSequences = 1, onToken }: TranscribeOptions) {
  const others = {
    numBeams: numBeams !== 1,
    numReturnSequences: numReturnSequences !== 1,
    onToken: !!onToken,
  };
  const [other] = Object.entries(others).find(([, isGiven]) => isGiven) ?? [];
  if (other === undefined) return;
  throw invalid(
    op,
    'with thresholds, one text of each window is drawn at a time, and known once it is taken.',
    `\`${other}\``,
    'leave it out.',
  );
}

function invalid(op: string, rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}
