/** @file File sinks: for Node, for pages, and in memory. */
import { requireNonEmpty } from './callbackOptions.ts';

/** Stores files by name. `load` returns null for a missing file. */
export interface FileSink {
  save(name: string, bytes: Uint8Array<ArrayBuffer>): void | Promise<void>;
  load?(name: string): Uint8Array | null | Promise<Uint8Array | null>;
  remove?(name: string): void | Promise<void>;
}

/** Files in memory, to pass on or for tests. */
export interface MemorySink extends FileSink {
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  load(name: string): Uint8Array<ArrayBuffer> | null;
}

/** The environment's file storage: the working directory in Node, the origin-private file system in a page. */
export function defaultFiles(): FileSink {
  return nodeModule('fs/promises') ? nodeFiles() : originFiles();
}

/** Files in memory, lost when the page is closed. Errors: none. */
export function memoryFiles(): MemorySink {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    files,
    save: (name, bytes) => {
      files.set(name, bytes.slice());
    },
    load: (name) => files.get(name)?.slice() ?? null,
    remove: (name) => {
      files.delete(name);
    },
  };
}

/** The part of `node:fs/promises` that is used here. */
interface NodeFiles {
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
  writeFile(path: string, data: Uint8Array): Promise<void>;
  readFile(path: string): Promise<Uint8Array>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
}

interface NodePaths {
  join(...parts: string[]): string;
  dirname(path: string): string;
}

/**
 * Files below `directory`, in Node; without one, names are paths, which may be absolute. A file is written under another name and
 * then renamed, so that it is never incomplete.
 * Errors: ValueError outside of Node.
 */
export function nodeFiles(directory = ''): FileSink {
  const fs = requireNode<NodeFiles>('fs/promises');
  const path = requireNode<NodePaths>('path');
  return {
    save: async (name, bytes) => {
      const file = path.join(directory, name);
      await fs.mkdir(path.dirname(file), { recursive: true });
      await fs.writeFile(`${file}.part`, bytes);
      await fs.rename(`${file}.part`, file);
    },
    load: async (name) => {
      try {
        return await fs.readFile(path.join(directory, name));
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return null;
        throw error;
      }
    },
    remove: (name) => fs.rm(path.join(directory, name), { force: true }),
  };
}

/**
 * Files in the origin-private file system, below `directory`, in a page or a worker. They are kept until the site's data
 * are cleared.
 * Errors: ValueError if the environment does not support it.
 */
export function originFiles(directory = 'retrograd'): FileSink {
  const { storage } = (globalThis.navigator ?? {}) as Partial<Navigator>;
  const files = requireNonEmpty(
    'sinks.originFiles',
    typeof storage?.getDirectory === 'function' ? storage : null,
    'files of the origin are there in pages and workers of a secure context (https, or localhost).',
    'serve the page over https; in Node pass sinks.nodeFiles().',
  );
  const open = async (name: string, create: boolean) => {
    const parts = [...directory.split('/'), ...name.split('/')].filter((part) => part !== '');
    const file = parts.pop() as string;
    let folder = await files.getDirectory();
    for (const part of parts) folder = await folder.getDirectoryHandle(part, { create });
    return { folder, file };
  };
  const orNull = async <T>(body: () => Promise<T>): Promise<T | null> => {
    try {
      return await body();
    } catch (error) {
      if ((error as { name?: string }).name === 'NotFoundError') return null;
      throw error;
    }
  };
  return {
    save: async (name, bytes) => {
      const { folder, file } = await open(name, true);
      const stream = await (await folder.getFileHandle(file, { create: true })).createWritable();
      try {
        await stream.write(bytes);
      } catch (error) {
        // Keeps the old file.
        await stream.abort();
        throw error;
      }
      await stream.close();
    },
    load: (name) =>
      orNull(async () => {
        const { folder, file } = await open(name, false);
        const contents = await (await folder.getFileHandle(file)).getFile();
        return new Uint8Array(await contents.arrayBuffer());
      }),
    remove: async (name) => {
      await orNull(async () => {
        const { folder, file } = await open(name, false);
        await folder.removeEntry(file);
      });
    },
  };
}

/**
 * Offers each file as a download, in a page. It cannot load files.
 * Errors: ValueError outside of a page.
 */
export function downloads(): FileSink {
  const page = requireNonEmpty(
    'sinks.downloads',
    globalThis.document ?? null,
    'downloads start in a page.',
    'in a worker pass (name, bytes) => postMessage({ name, bytes }), and save them in the page.',
  );
  return {
    save: (name, bytes) => {
      const link = page.createElement('a');
      link.href = URL.createObjectURL(new Blob([bytes]));
      link.download = name.slice(name.lastIndexOf('/') + 1);
      link.click();
      // The download has started by then.
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    },
  };
}

function requireNode<T>(name: string): T {
  return requireNonEmpty<T>(
    'sinks.nodeFiles',
    nodeModule(name) as T | null,
    'files of Node are there in Node 22 and later.',
    'pass sinks.originFiles() in a page, or a sink of your own.',
  );
}

/** Returns a Node module, without an import that would break bundles for pages. Null outside of Node. */
function nodeModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(`node:${name}`) ?? null;
}
