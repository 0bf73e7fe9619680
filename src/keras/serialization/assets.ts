/** @file What a layer learned that Keras keeps in files next to the weights of a `.keras` archive, such as a vocabulary. */

export interface LearnedFiles {
  /** Options that the files stand for: null in the configuration of the archive. */
  readonly options: readonly string[];
  /** Texts by the names of their files. */
  readonly files: Readonly<Record<string, string>>;
}

/** A layer that may have such files. */
export interface WithAssets {
  /** Null where the options have everything. */
  readonly assets: LearnedFiles | null;
  /**
   * Takes what the files have; `read` gives null for one that isn't there.
   * Errors: ValueError for texts that the layer wouldn't have written.
   */
  loadAssets(read: (name: string) => Promise<string | null>): Promise<void>;
}

export function hasAssets<T extends object>(layer: T): layer is T & WithAssets {
  return 'loadAssets' in layer;
}
