/**
 * @file What JavaScript does once for every run of captured work: counting a step, drawing a seed, setting a rate. The
 * launches of such work are replayed without the code that made them; effects named here run again before each replay.
 */
import { requireFunction } from '../core/arguments.ts';
import { activeDryRun } from './activeRecording.ts';

let listener: ((effect: () => void) => void) | null = null;

/**
 * Runs `effect` now and, where work is being captured, before each of its replays. It reads and writes host state and
 * LiveNumbers, and launches nothing. In a dry run it doesn't run.
 */
export function onReplay(effect: () => void): void {
  requireFunction('onReplay', 'effect', effect);
  if (!activeDryRun()) effect();
  listener?.(effect);
}

/** Tells `collect` of the effects that `body` names. */
export function collectEffects<T>(collect: (effect: () => void) => void, body: () => T): T {
  const before = listener;
  listener = collect;
  try {
    return body();
  } finally {
    listener = before;
  }
}
