/**
 * @file State that a layer has learned and Keras stores in files next to the weights of a `.keras` archive, such as a
 * vocabulary.
 */

export interface LearnedFiles {
  /** Options that are stored in the files, and are null in the configuration of the archive. */
  readonly options: readonly string[];
  /** Texts by the names of their files. */
  readonly files: Readonly<Record<string, string>>;
}

/** A layer that may have such files. */
export interface WithAssets {
  /** Null if the options contain the complete state. */
  readonly assets: LearnedFiles | null;
  /**
   * Restores the state from the files; `read` returns null for a missing file.
   * Errors: ValueError for texts that the layer wouldn't have written.
   */
  loadAssets(read: (name: string) => Promise<string | null>): Promise<void>;
}

export function hasAssets<T extends object>(layer: T): layer is T & WithAssets {
  return 'loadAssets' in layer;
}
