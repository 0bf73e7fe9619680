/** @file Messages between the page and the Worker that runs a program. */
import type { Fault, Output } from '../../../examples/notebook/protocol.ts';
import type { Transpiled } from '../language/protocol.ts';

export type ToRunner =
  | ({ type: 'run' } & Transpiled)
  | { type: 'event'; slot: number; name: string; value: unknown };

export type FromRunner =
  | { type: 'show'; slot: number; output: Output }
  | { type: 'done' }
  | { type: 'failed'; fault: Fault; isUnreadable?: boolean }
  | { type: 'recovered' };
