/** @file Options that callbacks share. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { checked } from '../options/kinds.ts';
import type { Option } from '../options/option.ts';

/** Prints a message as a line. */
export type Say = (text: string) => void;

export interface VerboseOptions {
  /** 1 prints what the callback does. Default 0. */
  verbose?: 0 | 1;
  /** Prints the messages. Default: to the console. */
  say?: Say;
}

/** Prints messages if `verbose` is 1. Errors: ValueError for invalid options. */
export function sayer(op: string, { verbose = 0, say = console.log }: VerboseOptions): Say {
  if (verbose !== 0 && verbose !== 1) {
    throw invalid(op, '`verbose` is 0 or 1.', `verbose: ${describe(verbose)}`, 'pass 1 for messages.');
  }
  if (typeof say !== 'function') {
    throw invalid(op, '`say` is a function of a text.', `say: ${describe(say)}`, 'pass (text) => ….');
  }
  return verbose === 1 ? say : () => {};
}

export function invalid(op: string, rule: string, received: string, hint: string): ValueError {
  return new ValueError({ op, rule, received, hint });
}

/** Throws if `value` is null. */
export function requireNonEmpty<T>(op: string, value: T | null, rule: string, hint: string): T {
  if (value !== null) return value;
  throw invalid(op, rule, 'an environment without them', hint);
}

/** The kind of a text that isn't empty: `rule` says what it is for, and `hint` what to pass. */
export const text = (rule: string, hint: string, fallback?: string): Option<string> =>
  checked((op, what, given: unknown) => {
    if (typeof given !== 'string' || given === '')
      throw invalid(op, `\`${what}\` ${rule}.`, `${what}: ${describe(given)}`, hint);
  }, fallback);
