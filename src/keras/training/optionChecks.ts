/** @file Checks of the options of `compile`, `fit`, `evaluate` and `predict`. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** Throws unless `value` is undefined or an integer of at least `min`. */
export function requireCount(
  op: string,
  what: string,
  value: unknown,
  min: number,
): asserts value is number | undefined {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= min)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer of at least ${min}.`,
    received: `${what}: ${describe(value)}`,
    hint: 'correct it, or omit it.',
  });
}

/** Throws unless `value` is at least 0 and below 1. */
export function requireShare(op: string, what: string, value: unknown): asserts value is number {
  if (typeof value === 'number' && value >= 0 && value < 1) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number of at least 0 and below 1.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 0.2 to hold out a fifth, or omit it.',
  });
}

/** How much a run prints. 0: silent, 1: progress bar, 2: one line per epoch; 'auto': 1 in a terminal, 0 elsewhere. */
export type Verbose = 'auto' | 0 | 1 | 2;

/** Returns `verbose` as a number. Errors: ValueError. */
export function verbosity(verbose: Verbose = 'auto'): 0 | 1 | 2 {
  if (verbose === 0 || verbose === 1 || verbose === 2) return verbose;
  if (verbose === 'auto') return isTerminal() ? 1 : 0;
  throw new ValueError({
    op: 'verbose',
    rule: "`verbose` must be 'auto', 0, 1 or 2.",
    received: `verbose: ${describe(verbose)}`,
    hint: 'pass 0 for no output, 1 for a progress bar, 2 for one line per epoch.',
  });
}

function isTerminal(): boolean {
  const { process } = globalThis as { process?: { stdout?: { isTTY?: boolean } } };
  return process?.stdout?.isTTY === true;
}
