/** @file What a place for files in a browser offers. */
import type { ByteSource } from '../formats/byteSource.ts';
import type { BrowserAddress } from './addresses.ts';
import type { FileTarget } from './fileTarget.ts';

/** A file that is stored, as `listFiles` says it. */
export interface StoredFile {
  /** Its address, for `loadModel` and others. */
  readonly url: string;
  readonly bytes: number;
  readonly modified: Date;
}

/** A place of files. Its methods throw ValueError where the browser has no such place. */
export interface BrowserStore {
  /** Null where there is no such file. */
  open(address: BrowserAddress): Promise<ByteSource | null>;
  target(address: BrowserAddress): FileTarget;
  /** Files whose path is `path` or below it; all of them for the empty path. */
  list(path: string): Promise<StoredFile[]>;
  /** Whether there was such a file. */
  remove(path: string): Promise<boolean>;
}
