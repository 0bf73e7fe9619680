/**
 * @file Targets for models of several files. The file that refers to the others is written last, so that an older model stays
 * complete until it is replaced.
 */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { type BrowserAddress, browserAddress } from './addresses.ts';
import { openStored, removeFile } from './browserStores.ts';
import { blobOf, type FilePieces, streamTarget } from './fileTarget.ts';
import { nodeModule } from './nodeModule.ts';
import { targetOf } from './targets.ts';

/** A file to be written. */
export interface NewFile {
  readonly name: string;
  readonly pieces: FilePieces;
}

/** Writes files that belong together, in order. */
export interface FolderTarget {
  writeFile(file: NewFile): Promise<void>;
  /** The text of a file; null if there is none. */
  readText?(name: string): Promise<string | null>;
  remove?(name: string): Promise<void>;
}

/** A target that keeps files in memory: `loadModel(target.files)` reads them. */
export class FilesTarget implements FolderTarget {
  readonly files: File[] = [];

  async writeFile({ name, pieces }: NewFile): Promise<void> {
    const file = new File([await blobOf(pieces)], name);
    await this.remove(name);
    this.files.push(file);
  }

  async readText(name: string): Promise<string | null> {
    return this.files.find((file) => file.name === name)?.text() ?? null;
  }

  async remove(name: string): Promise<void> {
    const at = this.files.findIndex((file) => file.name === name);
    if (at >= 0) this.files.splice(at, 1);
  }
}

/** A target for a model of several files. A string is the path of a folder in Node, or `opfs://models/net`. */
export type SaveFolder = string | URL | FolderTarget | FileSystemDirectoryHandle;

/** Returns whether files can be written into `given`. */
export function isFolder(given: unknown): given is FolderTarget | FileSystemDirectoryHandle {
  const { writeFile, getDirectoryHandle } = (given ?? {}) as Partial<
    FolderTarget & FileSystemDirectoryHandle
  >;
  return typeof writeFile === 'function' || typeof getDirectoryHandle === 'function';
}

/** Errors: ValueError for anything that files can't be written to. */
export function folderOf(given: unknown): FolderTarget {
  if (typeof given === 'string' || given instanceof URL) return pathFolder(given);
  if (!isFolder(given)) throw notAFolder(given);
  return 'writeFile' in given ? given : handleFolder(given);
}

function handleFolder(folder: FileSystemDirectoryHandle): FolderTarget {
  return {
    writeFile: async ({ name, pieces }) => {
      const isNew = (await folder.getFileHandle(name).catch(() => null)) === null;
      const file = await folder.getFileHandle(name, { create: true });
      try {
        await streamTarget(() => file.createWritable()).write(pieces);
      } catch (error) {
        // A stream can only be opened on an existing file, so an empty one was created.
        if (isNew) await folder.removeEntry(name);
        throw error;
      }
    },
    readText: async (name) => {
      const file = await folder.getFileHandle(name).catch(() => null);
      return file && (await file.getFile()).text();
    },
    remove: (name) => folder.removeEntry(name),
  };
}

/** The parts of Node's module that are used here. */
interface NodeFiles {
  mkdir(path: string, options: { recursive: true }): Promise<unknown>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  rm(path: string, options: { force: true }): Promise<void>;
}

function pathFolder(given: string | URL): FolderTarget {
  const address = browserAddress('save', given);
  if (address) return storedFolder(address);
  const fs = nodeModule<NodeFiles>('fs/promises');
  if (!fs || /^(https?|blob|data):/i.test(String(given))) throw notAFolder(String(given));
  const urls = nodeModule<{ fileURLToPath(url: URL): string }>('url');
  const path = given instanceof URL ? (urls?.fileURLToPath(given) ?? given.pathname) : given;
  const folder = folderPath(path) || '.';
  const at = (name: string) => `${folder}/${name}`;
  return {
    writeFile: async ({ name, pieces }) => {
      await fs.mkdir(folder, { recursive: true });
      await targetOf(at(name)).write(pieces);
    },
    readText: (name) => fs.readFile(at(name), 'utf8').catch(() => null),
    remove: (name) => fs.rm(at(name), { force: true }),
  };
}

/** A folder of OPFS, files of IndexedDB with the same prefix, or the user's downloads. */
function storedFolder({ place, path }: BrowserAddress): FolderTarget {
  const folder = folderPath(path);
  const at = (name: string) => `${place}://${folder === '' ? '' : `${folder}/`}${name}`;
  const writeFile = ({ name, pieces }: NewFile) => targetOf(at(name)).write(pieces);
  if (place === 'downloads') return { writeFile };
  return {
    writeFile,
    readText: async (name) => {
      const address = browserAddress('save', at(name)) as BrowserAddress;
      const source = await openStored(address).catch(() => null);
      return source && new TextDecoder().decode(await source.read(0, source.size));
    },
    remove: async (name) => {
      await removeFile(at(name));
    },
  };
}

/** Returns the folder of a path, which may name the model.json in it. */
function folderPath(path: string): string {
  return path.replace(/(^|[\\/])model\.json$/, '').replace(/[\\/]+$/, '');
}

function notAFolder(given: unknown): ValueError {
  return new ValueError({
    op: 'save',
    rule: 'a model of TF.js is several files: it is written to a folder.',
    received: typeof given === 'string' ? given : describe(given),
    hint: "pass the path of a folder in Node, the handle of showDirectoryPicker(), 'opfs://models/net', or new FilesTarget().",
  });
}
