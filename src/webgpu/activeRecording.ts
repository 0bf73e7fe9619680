/**
 * @file The recording that is being made, if one is. It stands apart from what recordings do: whatever computes asks here, and
 * an app that captures nothing has no use for the rest.
 */
import { TapeError } from '../core/errors.ts';
import type { DryRunState, Recording } from './recording.ts';

let active: Recording | null = null;

/** The recording that is being made. */
export function activeRecording(): Recording | null {
  return active;
}

/** Runs `body` with `recording` as the active one; with null nothing of it is recorded, and in a dry run it is real. */
export function withRecording<T>(recording: Recording | null, body: () => T): T {
  const before = active;
  active = recording;
  try {
    if (!recording) before?.dry?.interrupt();
    return body();
  } finally {
    active = before;
  }
}

/** The dry run that is under way. */
export function activeDryRun(): DryRunState | null {
  return active?.dry ?? null;
}

/** Runs `body`, for real in a dry run, too: it makes what lasts. */
export function forReal<T>(body: () => T): T {
  return activeDryRun() ? withRecording(null, body) : body();
}

/** Throws where work is being recorded: a replay waits for nothing. Errors: TapeError. */
export function requireNoRecording(): void {
  if (!active) return;
  if (active.dry) {
    throw new TapeError({
      op: 'warmup',
      rule: 'a dry run has no values: only what launches work can be prepared.',
      received: 'a readback inside of it',
      hint: 'warm up the function up to there, and read values outside.',
    });
  }
  throw new TapeError({
    op: 'compile',
    rule: 'a compiled function computes on the device alone: its launches are replayed without its JavaScript.',
    received: 'a readback inside of it',
    hint: 'return the tensor, and read it from the result.',
  });
}
