/** @file Losses: values that are not there, because the submission that should have written them did not run. */
import { DeviceError, OutOfMemoryError, type RetrogradError } from '../core/errors.ts';

/** What a failed submission left in the buffers that it should have written, and in what was computed from them. */
export interface Loss {
  /** Why the submission did not run. */
  readonly cause: RetrogradError;
  /** Whether older values are in their place, as in a variable that missed an update. Otherwise the contents are undefined. */
  readonly leavesOlder: boolean;
}

/** Returns the worse of two losses: contents that are undefined rather than older values. */
export function worseOf(a: Loss | null, b: Loss | null): Loss | null {
  if (!a || !b) return a ?? b;
  return a.leavesOlder && !b.leavesOlder ? b : a;
}

/** Returns the error of a readback of lost values. It has the type of the cause. */
export function lossError({ cause, leavesOlder }: Loss): RetrogradError {
  const Kind = cause instanceof OutOfMemoryError ? OutOfMemoryError : DeviceError;
  const left = leavesOlder
    ? 'an update did not run'
    : 'the work that computes them, or values before them, did not run';
  return new Kind({
    rule: 'values can be read if all work that they depend on ran.',
    received: `${left}, submitted with a command that failed: ${cause.received ?? cause.rule}`,
    hint: 'compute the values again, and the variables of failed updates.',
    cause,
  });
}
