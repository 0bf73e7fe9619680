/** @file How the layers of transformers are built: what is done with each before it gets its weights. */
import type { OpenShape } from '../../core/shape.ts';

interface Buildable {
  readonly built: boolean;
  ensureBuilt(inputShape: OpenShape): void;
}

/** Called with a layer that is about to be built. */
export type BeforeBuild = (layer: object) => void;

let current: BeforeBuild | null = null;

/** Runs `body`, in which `each` is called with each layer before it is built. */
export function withBeforeBuild<T>(each: BeforeBuild, body: () => T): T {
  const before = current;
  current = each;
  try {
    return body();
  } finally {
    current = before;
  }
}

/** Builds a layer that may have a matrix, unless it is built. */
export function ensureBuilt(layer: Buildable, inputShape: OpenShape): void {
  if (!layer.built) current?.(layer);
  layer.ensureBuilt(inputShape);
}
