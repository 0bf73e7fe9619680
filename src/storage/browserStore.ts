/** @file The interface of a browser's file storages. */
import type { ByteSource } from '../formats/byteSource.ts';
import type { BrowserAddress } from './addresses.ts';
import type { FileTarget } from './fileTarget.ts';

/** A stored file, as listed by `listFiles`. */
export interface StoredFile {
  /** Its address, for `loadModel` and others. */
  readonly url: string;
  readonly bytes: number;
  readonly modified: Date;
}

/** A file storage. Its methods throw ValueError if the browser doesn't have it. */
export interface BrowserStore {
  /** Opens a file; null if there is no such file. */
  open(address: BrowserAddress): Promise<ByteSource | null>;
  target(address: BrowserAddress): FileTarget;
  /** Files whose path is `path` or below it; all of them for the empty path. */
  list(path: string): Promise<StoredFile[]>;
  /** Removes a file, and returns whether there was one. */
  remove(path: string): Promise<boolean>;
}
