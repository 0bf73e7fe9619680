/** @file Long work in pieces, between which a program that can wait lets other tasks run. */
import type { Pacer } from './pacer.ts';

/** Long work. It yields between two pieces. */
export type Pieces<T> = Generator<void, T, void>;

/** Calls `piece` until it returns false. */
export function* repeated(piece: () => boolean): Pieces<void> {
  while (piece()) yield;
}

/** Does each piece of `work` within `within`. */
export function* eachWithin<T>(work: Pieces<T>, within: <R>(piece: () => R) => R): Pieces<T> {
  try {
    for (;;) {
      const piece = within(() => work.next());
      if (piece.done) return piece.value;
      yield;
    }
  } finally {
    work.return(undefined as T);
  }
}

/** Does all pieces at once. */
export function atOnce<T>(work: Pieces<T>): T {
  let piece = work.next();
  while (!piece.done) piece = work.next();
  return piece.value;
}

/**
 * Does the pieces within `within`, as many as there is time for, and lets other tasks run in between. Work that is ended early frees
 * what it holds. Errors: those of the work, and the reason of the pacer's signal.
 */
export async function inTurns<T>(
  work: Pieces<T>,
  pacer: Pacer,
  within: <R>(piece: () => R) => R = (piece) => piece(),
): Promise<T> {
  try {
    for (;;) {
      let wait: Promise<void> | null = null;
      const piece = within(() => {
        let next = work.next();
        for (; !next.done; next = work.next()) {
          wait = pacer.step();
          if (wait) break;
        }
        return next;
      });
      if (piece.done) return piece.value;
      await wait;
    }
  } finally {
    work.return(undefined as T);
  }
}
