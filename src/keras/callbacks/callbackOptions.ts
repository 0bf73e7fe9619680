/** @file Options that callbacks share. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** What writes a message of its own line. */
export type Say = (text: string) => void;

export interface VerboseOptions {
  /** 1 tells what is done. Default 0. */
  verbose?: 0 | 1;
  /** Where to. Default: the console. */
  say?: Say;
}

/** Writes messages where `verbose` asks for it. Errors: ValueError for options. */
export function sayer(op: string, { verbose = 0, say = console.log }: VerboseOptions): Say {
  if (verbose !== 0 && verbose !== 1) {
    throw refusal(op, '`verbose` is 0 or 1.', `verbose: ${describe(verbose)}`, 'pass 1 for messages.');
  }
  if (typeof say !== 'function') {
    throw refusal(op, '`say` is a function of a text.', `say: ${describe(say)}`, 'pass (text) => ….');
  }
  return verbose === 1 ? say : () => {};
}

export function refusal(op: string, rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}

/** `value`, which is there. */
export function requireNonEmpty<T>(op: string, value: T | null, rule: string, hint: string): T {
  if (value !== null) return value;
  throw refusal(op, rule, 'an environment without them', hint);
}
