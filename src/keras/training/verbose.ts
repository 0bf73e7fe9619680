/** @file The option `verbose`: how much a run prints. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** 0: silent, 1: progress bar, 2: one line per epoch; 'auto': 1 in a terminal, 0 elsewhere. */
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
