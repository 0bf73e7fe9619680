/**
 * @file Notes which `trainable` properties a call reads. They decide what tapes, layers and optimizers do, so a recording of the
 * call holds only while they stay as they were.
 */

/** A variable or a layer. */
export interface HasTrainable {
  readonly trainable: boolean;
}

type Reads = Map<HasTrainable, boolean | null>;

let open: readonly Reads[] = [];
let changes = 0;

/** Increases whenever a property may have changed. */
export function trainableChanges(): number {
  return changes;
}

/** Runs `body`, and returns its result with what it read, as it was at the first read; null where it set the property before. */
export function notingTrainable<T>(body: () => T): { result: T; reads: Reads } {
  const before = open;
  const reads: Reads = new Map();
  open = [...before, reads];
  try {
    return { result: body(), reads };
  } finally {
    open = before;
  }
}

/** Call it where the property of `owner` is read. */
export function noteTrainableRead(owner: HasTrainable, value: boolean): void {
  for (const reads of open) if (!reads.has(owner)) reads.set(owner, value);
}

/** Call it where the property of `owner` is set. */
export function noteTrainableSet(owner: HasTrainable): void {
  changes++;
  for (const reads of open) if (!reads.has(owner)) reads.set(owner, null);
}
