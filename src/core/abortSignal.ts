/** @file The `signal` of options. */
import { describe } from './describe.ts';
import { ValueError } from './errors.ts';

/** Throws the signal's reason if it is already aborted. Errors: ValueError if it isn't an AbortSignal. */
export function checkSignal(op: string, signal: unknown): void {
  if (signal === undefined || signal === null) return;
  const { throwIfAborted } = signal as Partial<AbortSignal>;
  if (typeof throwIfAborted === 'function') throwIfAborted.call(signal);
  else
    throw new ValueError({
      op,
      rule: '`signal` is an AbortSignal.',
      received: `signal: ${describe(signal)}`,
      hint: 'pass the `signal` of an AbortController.',
    });
}
