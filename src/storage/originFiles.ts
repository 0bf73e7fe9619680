/**
 * @file Files in the origin-private file system (OPFS). Its writable streams write to a copy, which replaces the file when
 * the stream is closed: an interrupted write leaves the old file.
 */
import { ValueError } from '../core/errors.ts';
import { blobSource, type ByteSource } from '../formats/byteSource.ts';
import type { BrowserAddress } from './addresses.ts';
import type { BrowserStore, StoredFile } from './browserStore.ts';
import { streamTarget } from './fileTarget.ts';
import { entriesOf, openFolder, openIn } from './folders.ts';

export const originFiles: BrowserStore = {
  open: (address) => unlessMissing(() => open(address)),

  target: ({ path, text }) => ({
    write: async (pieces) => {
      const { folder, name } = await parentOf('save', path, true);
      const isNew = (await unlessMissing(() => folder.getFileHandle(name))) === null;
      const handle = await folder.getFileHandle(name, { create: true });
      try {
        requireWritable(handle, text);
        await streamTarget(() => handle.createWritable()).write(pieces);
      } catch (error) {
        // A stream can only be opened on an existing file, so an empty one was created.
        if (isNew) await unlessMissing(() => folder.removeEntry(name));
        throw error;
      }
    },
  }),

  list: async (path) => {
    const root = await requireRoot('listFiles');
    const found: StoredFile[] = [];
    const folder = await unlessMissing(() => folderAt(root, path.split('/').filter(Boolean), false));
    if (folder) await collect(folder, path === '' ? '' : `${path}/`, found);
    return found;
  },

  remove: async (path) => {
    const removed = await unlessMissing(async () => {
      const { folder, name } = await parentOf('removeFile', path, false);
      await folder.removeEntry(name);
      return true;
    });
    return removed ?? false;
  },
};

/** Returns a file, with access to those next to it; or the file to open in a folder. */
async function open({ path, text }: BrowserAddress): Promise<ByteSource> {
  const { folder, name } = await parentOf('load', path, false);
  const handle = await folder.getFileHandle(name).catch((error: Error) => {
    if (error.name === 'TypeMismatchError') return null;
    throw error;
  });
  if (!handle) return openFolder(await folder.getDirectoryHandle(name), text);
  return { ...blobSource(await handle.getFile(), text), sibling: (other) => openIn(folder, other) };
}

/** Returns a folder and the name of an entry in it. */
async function parentOf(op: string, path: string, create: boolean) {
  const parts = path.split('/');
  const name = parts.pop() as string;
  return { folder: await folderAt(await requireRoot(op), parts, create), name };
}

async function requireRoot(op: string): Promise<FileSystemDirectoryHandle> {
  const { storage } = (globalThis.navigator ?? {}) as Partial<Navigator>;
  if (typeof storage?.getDirectory === 'function') return storage.getDirectory();
  throw new ValueError({
    op,
    rule: 'opfs:// needs the origin-private file system: pages and workers of a secure context (https, or localhost).',
    received: 'an environment without navigator.storage.getDirectory',
    hint: "serve the page over https; in Node pass a path, such as 'net.keras'.",
  });
}

async function folderAt(
  root: FileSystemDirectoryHandle,
  parts: readonly string[],
  create: boolean,
): Promise<FileSystemDirectoryHandle> {
  let folder = root;
  for (const part of parts) folder = await folder.getDirectoryHandle(part, { create });
  return folder;
}

/** Adds all files of a folder, and of those in it. */
async function collect(folder: FileSystemDirectoryHandle, path: string, found: StoredFile[]): Promise<void> {
  for await (const [name, handle] of entriesOf(folder)) {
    if (handle.kind === 'directory') {
      await collect(handle as FileSystemDirectoryHandle, `${path}${name}/`, found);
      continue;
    }
    const { size, lastModified } = await (handle as FileSystemFileHandle).getFile();
    found.push({ url: `opfs://${path}${name}`, bytes: size, modified: new Date(lastModified) });
  }
}

/** Errors: ValueError if files can only be read. */
function requireWritable(handle: FileSystemFileHandle, text: string): void {
  if (typeof handle.createWritable === 'function') return;
  throw new ValueError({
    op: 'save',
    rule: 'opfs:// needs FileSystemFileHandle.createWritable, which replaces a file as a whole.',
    received: `'${text}' in a browser without it, such as Safari before 26`,
    hint: "pass an indexeddb:// address, such as 'indexeddb://net'.",
  });
}

/** Null if a file or a folder in its path doesn't exist. */
async function unlessMissing<T>(body: () => Promise<T>): Promise<T | null> {
  try {
    return await body();
  } catch (error) {
    if ((error as { name?: unknown }).name === 'NotFoundError') return null;
    throw error;
  }
}
