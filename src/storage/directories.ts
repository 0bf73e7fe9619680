/** @file The files of a directory and of those in it: of a folder that the user chose, of a list of files, or of a path in Node. */
import { describe } from '../core/shape.ts';
import { FormatError, ValueError } from '../core/errors.ts';
import { entriesOf } from './folders.ts';
import { nodeModule } from './nodeModule.ts';
import type { FileSource } from './sources.ts';

/**
 * A directory: a handle of the user's folder or of OPFS; the files of an `<input type="file" webkitdirectory>`, whose paths begin with
 * the directory's name; or a path in Node.
 */
export type DirectorySource = string | URL | FileSystemDirectoryHandle | FileList | readonly File[];

/** A file of a directory. */
export interface DirectoryFile {
  /** Its path below the directory, with slashes. */
  readonly path: string;
  /** What opens it. */
  open(): Promise<FileSource>;
}

/** The contents of a directory. */
export interface Directory {
  readonly files: readonly DirectoryFile[];
  /** Names of the directories that are directly in it, also of empty ones where they are known. */
  readonly folders: readonly string[];
  /** The path of a file, for the app. */
  pathOf(file: DirectoryFile): string;
}

/**
 * Lists a directory. `followLinks`: whether links to directories are followed, in Node.
 * Errors: ValueError for what isn't a directory; FormatError for one that can't be read.
 */
export async function listDirectory(
  op: string,
  given: DirectorySource,
  followLinks: boolean,
): Promise<Directory> {
  if (typeof given === 'string' || given instanceof URL) return listPath(op, given, followLinks);
  if (isFolder(given)) return listFolder(given);
  if (typeof given === 'object' && given !== null && 'length' in given)
    return listFiles(op, Array.from(given));
  throw notADirectory(op, given);
}

/** Files whose paths begin with the name of the directory; those without a path are directly in it. Node's have none. */
function listFiles(op: string, given: readonly File[]): Directory {
  const other = given.find((file) => !(file instanceof File));
  if (other !== undefined) throw notADirectory(op, other);
  const files = given.map((file) => ({
    path: (file.webkitRelativePath ?? '').split('/').slice(1).join('/') || file.name,
    open: async () => file,
  }));
  const folders = new Set(
    files.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0] as string] : [])),
  );
  return { files, folders: [...folders], pathOf: ({ path }) => path };
}

async function listFolder(folder: FileSystemDirectoryHandle): Promise<Directory> {
  const files: DirectoryFile[] = [];
  const folders: string[] = [];
  const visit = async (handle: FileSystemDirectoryHandle, prefix: string): Promise<void> => {
    for await (const [name, entry] of entriesOf(handle)) {
      const path = `${prefix}${name}`;
      if (entry.kind === 'directory') {
        if (prefix === '') folders.push(name);
        await visit(entry as FileSystemDirectoryHandle, `${path}/`);
      } else {
        files.push({ path, open: () => (entry as FileSystemFileHandle).getFile() });
      }
    }
  };
  await visit(folder, '');
  return { files, folders, pathOf: ({ path }) => path };
}

/** The parts of Node's modules that are used here. */
interface NodeFiles {
  readdir(path: string, options: { withFileTypes: true }): Promise<NodeEntry[]>;
  stat(path: string): Promise<NodeKind>;
}
interface NodeKind {
  isDirectory(): boolean;
  isFile(): boolean;
}
interface NodeEntry extends NodeKind {
  readonly name: string;
  isSymbolicLink(): boolean;
}
interface NodeUrls {
  fileURLToPath(url: string): string;
}

async function listPath(op: string, given: string | URL, followLinks: boolean): Promise<Directory> {
  const text = String(given);
  const fs = nodeModule<NodeFiles>('fs/promises');
  if (!fs || /^(?!file:)\w{2,}:/.test(text)) throw notADirectory(op, given);
  const root = text.startsWith('file:') ? (nodeModule<NodeUrls>('url')?.fileURLToPath(text) ?? text) : text;
  const base = root.replace(/[\\/]+$/, '');
  const files: DirectoryFile[] = [];
  const folders: string[] = [];
  const visit = async (prefix: string): Promise<void> => {
    for (const entry of await entriesIn(op, fs, `${base}/${prefix}`)) {
      const path = `${prefix}${entry.name}`;
      const isLink = entry.isSymbolicLink();
      const kind = isLink ? await fs.stat(`${base}/${path}`).catch(() => entry) : entry;
      if (kind.isFile()) files.push({ path, open: async () => `${base}/${path}` });
      if (!kind.isDirectory()) continue;
      if (prefix === '') folders.push(entry.name);
      // As in Python: a class may be a link.
      if (!isLink || followLinks || prefix === '') await visit(`${path}/`);
    }
  };
  await visit('');
  return { files, folders, pathOf: ({ path }) => `${base}/${path}` };
}

async function entriesIn(op: string, fs: NodeFiles, path: string): Promise<NodeEntry[]> {
  return fs.readdir(path, { withFileTypes: true }).catch((cause: Error) => {
    throw new FormatError({
      op,
      rule: 'the directory exists and can be read.',
      received: cause.message,
      hint: 'check the path.',
      cause,
    });
  });
}

function isFolder(given: unknown): given is FileSystemDirectoryHandle {
  return typeof (given as Partial<FileSystemDirectoryHandle> | null)?.getDirectoryHandle === 'function';
}

function notADirectory(op: string, given: unknown): ValueError {
  return new ValueError({
    op,
    rule: 'a directory is a path in Node, a directory handle, or a list of files.',
    received: describe(given),
    hint: 'pass input.files of <input type="file" webkitdirectory>, or await showDirectoryPicker().',
  });
}
