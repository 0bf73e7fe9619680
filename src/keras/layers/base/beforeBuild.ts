/** @file withBeforeBuild: what is done with each layer before it gets its weights. */

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

export function noteBuild(layer: object): void {
  current?.(layer);
}
