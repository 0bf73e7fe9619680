/**
 * @file Opens anything that an app passes as a file: bytes, Blobs, paths in Node, URLs, responses and streams. If possible,
 * nothing is read before it is needed: from a server that supports them, ranges are requested.
 */
import { checkSignal } from '../core/abortSignal.ts';
import { requireOptions } from '../core/arguments.ts';
import { describe } from '../core/shape.ts';
import { ValueError } from '../core/errors.ts';
import { isDetached } from '../core/detached.ts';
import { blobSource, type ByteSource, bytesSource, requireLength } from '../formats/byteSource.ts';
import { browserAddress } from './addresses.ts';
import { openStored } from './browserStores.ts';
import { openFiles, openFolder, requireEntry } from './folders.ts';
import { nodeModule } from './nodeModule.ts';
import { responseSource, unreadable } from './responseSource.ts';
import { baseName, openUrl } from './urlSource.ts';

/**
 * A source of a file. A string is a path in Node, unless it is a URL; elsewhere it is a URL. `opfs://models/net.keras`
 * and `indexeddb://net` are files in the browser's storage. In a folder or a list of files, one file refers to the others: a
 * model.json of TF.js, the config.json of an unpacked `.keras` file, or the index of shards.
 */
export type FileSource =
  | string
  | URL
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | Response
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | FileSystemFileHandle
  | FileSystemDirectoryHandle
  | readonly File[]
  | ByteSource;

export interface OpenOptions {
  /** The file's name, for errors and histories. Default: that of the source, or 'file'. */
  readonly file?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Errors: ValueError for anything that can't be read from; FormatError if a server or the disk has no such file. */
export async function openSource(given: FileSource, options: OpenOptions = {}): Promise<ByteSource> {
  requireOptions('load', options);
  const { file, signal } = options;
  checkSignal('load', signal);
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given))
    return bytesSource(bytesOf(given), file ?? 'file');
  if (typeof given === 'string' || given instanceof URL) return openNamed(given, file, signal);
  if (given instanceof Blob) return blobSource(given, file ?? nameOf(given));
  if (given instanceof Response) return responseSource(given, file ?? baseName(given.url), signal);
  if (given instanceof ReadableStream) return responseSource(new Response(given), file ?? 'stream', signal);
  if (isByteSource(given)) return renamed(given, file);
  if (isFileList(given)) return openFiles(given, file);
  if (isFolder(given)) return openFolder(given, file);
  if (isFileHandle(given)) return blobSource(await given.getFile(), file ?? given.name);
  throw notASource(given);
}

function renamed(source: ByteSource, file: string | undefined): ByteSource {
  return file === undefined ? source : { ...source, name: file };
}

function bytesOf(given: ArrayBuffer | ArrayBufferView): Uint8Array {
  const buffer = ArrayBuffer.isView(given) ? given.buffer : given;
  if (buffer instanceof ArrayBuffer && isDetached(buffer))
    throw notASource('an ArrayBuffer that was transferred');
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

/** Opens a path in Node, a URL, or the address of a file in the browser's storage. */
async function openNamed(
  given: string | URL,
  file: string | undefined,
  signal?: AbortSignal,
): Promise<ByteSource> {
  const address = browserAddress('load', given);
  if (address) return renamed(await openStored(address), file);
  const text = String(given);
  const fs = nodeModule<NodeFiles>('fs/promises');
  const isUrl = /^(https?|blob|data):/i.test(text);
  if (!fs || isUrl) return openUrl(text, file ?? baseName(text), signal);
  const path = text.startsWith('file:') ? (nodeModule<NodeUrls>('url')?.fileURLToPath(text) ?? text) : text;
  return openPath(fs, path, file ?? path);
}

/** The parts of Node's modules that are used here. */
interface NodeFiles {
  open(path: string, flags: string): Promise<NodeFile>;
  readdir(path: string, options: { withFileTypes: true }): Promise<NodeEntry[]>;
}
interface NodeEntry {
  readonly name: string;
  isDirectory(): boolean;
}
interface NodeUrls {
  fileURLToPath(url: string): string;
}
interface NodeFile {
  stat(): Promise<{ size: number; isFile(): boolean }>;
  read(
    into: Uint8Array<ArrayBuffer>,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

async function openPath(fs: NodeFiles, path: string, name: string): Promise<ByteSource> {
  const handle = await fs.open(path, 'r').catch((cause: Error) => {
    throw unreadable(name, cause.message, 'check the path.', cause);
  });
  const stat = await handle.stat();
  if (!stat.isFile()) {
    await handle.close();
    return openDirectory(fs, path, name);
  }
  const read: ByteSource['read'] = async (begin, end, memory) => {
    const bytes = memory?.take(end - begin) ?? new Uint8Array(end - begin);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, begin + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return requireLength(name, bytes.subarray(0, filled), begin, end);
  };
  const folder = path.replace(/[^\\/]*$/, '');
  const sibling = (other: string) => openPath(fs, folder + other, other);
  return { name, size: stat.size, isLocal: true, read, close: () => handle.close(), sibling };
}

/** Opens the file of a folder that refers to the others. */
async function openDirectory(fs: NodeFiles, path: string, name: string): Promise<ByteSource> {
  const found = await fs.readdir(path, { withFileTypes: true }).catch((cause: Error) => {
    throw unreadable(name, cause.message, 'pass the path of a file or a folder.', cause);
  });
  const files = found.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  const entry = requireEntry(name, files.sort());
  const inside = (folder: string) => `${folder.replace(/[\\/]$/, '')}/${entry}`;
  return openPath(fs, inside(path), inside(name));
}

function nameOf(blob: Blob): string {
  return blob instanceof File ? blob.name : 'file';
}

function isByteSource(given: unknown): given is ByteSource {
  const { read, size } = (given ?? {}) as Partial<ByteSource>;
  return typeof read === 'function' && typeof size === 'number';
}

function isFileList(given: unknown): given is readonly File[] {
  // Checks the first item before the others, because the list may have any length.
  return Array.isArray(given) && given[0] instanceof File && [...given].every((file) => file instanceof File);
}

function isFolder(given: unknown): given is FileSystemDirectoryHandle {
  return typeof (given as Partial<FileSystemDirectoryHandle> | null)?.getDirectoryHandle === 'function';
}

function isFileHandle(given: unknown): given is FileSystemFileHandle {
  return typeof (given as Partial<FileSystemFileHandle> | null)?.getFile === 'function';
}

function notASource(given: unknown): ValueError {
  return new ValueError({
    op: 'load',
    rule: "a file is a path in Node, a URL, bytes, a Blob or File, a Response, a stream, a file handle, or 'opfs://…' or 'indexeddb://…'.",
    received: typeof given === 'string' ? given : describe(given),
    hint: 'pass \'model.keras\', or the File of an <input type="file">.',
  });
}
