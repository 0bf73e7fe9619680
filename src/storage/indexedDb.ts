/**
 * @file Files in IndexedDB, each a Blob under its path; each file of a model of several files has its own path. The browser
 * keeps Blobs on disk, so neither writing nor reading holds a file in memory. One transaction stores a complete file: until
 * it commits, the old one remains.
 */
import { FormatError, ValueError } from '../core/errors.ts';
import { blobSource, type ByteSource } from '../formats/byteSource.ts';
import type { BrowserStore } from './browserStore.ts';
import { blobOf } from './fileTarget.ts';
import { openTfjsModel } from './tfjsDatabase.ts';

const database = 'retrograd';
const files = 'files';

/** The record stored under a path. */
interface Entry {
  readonly blob: Blob;
  readonly modified: Date;
}

export const indexedDbFiles: BrowserStore = {
  open: async ({ path, text }) => {
    const entry = await entryAt(path);
    if (entry) return withSiblings(entry.blob, text, path.slice(0, path.lastIndexOf('/') + 1));
    const model = await entryAt(`${path}/model.json`);
    return model
      ? withSiblings(model.blob, `${text}/model.json`, `${path}/`)
      : openTfjsModel(path, `${text}/model.json`);
  },

  target: ({ path }) => ({
    write: async (pieces) => {
      requireIndexedDb('save');
      const entry: Entry = { blob: await blobOf(pieces), modified: new Date() };
      await run('save', 'readwrite', (store) => store.put(entry, path));
    },
  }),

  list: async (path) => {
    const [keys, entries] = await Promise.all([
      run<IDBValidKey[]>('listFiles', 'readonly', (store) => store.getAllKeys()),
      run<Entry[]>('listFiles', 'readonly', (store) => store.getAll()),
    ]);
    return keys.flatMap((key, i) => {
      const { blob, modified } = entries[i] as Entry;
      const isBelow = path === '' || key === path || String(key).startsWith(`${path}/`);
      return isBelow ? [{ url: `indexeddb://${key}`, bytes: blob.size, modified }] : [];
    });
  },

  remove: async (path) => {
    const found = await run<number>('removeFile', 'readonly', (store) => store.count(path));
    if (found > 0) await run('removeFile', 'readwrite', (store) => store.delete(path));
    return found > 0;
  },
};

const entryAt = (path: string) => run<Entry | undefined>('load', 'readonly', (store) => store.get(path));

/** Returns a file, with access to the files whose paths start with `folder`. */
function withSiblings(blob: Blob, name: string, folder: string): ByteSource {
  const sibling = async (other: string) => {
    const found = await entryAt(folder + other);
    if (found) return blobSource(found.blob, other);
    throw new FormatError({
      op: name,
      rule: `'${other}' is stored next to it.`,
      received: 'no such file',
      hint: 'save the model again.',
    });
  };
  return { ...blobSource(blob, name), sibling };
}

/** Returns the result of a request, once its transaction is complete. */
async function run<T>(
  op: string,
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  const opened = await openDatabase(op);
  try {
    const transaction = opened.transaction(files, mode, { durability: 'strict' });
    const asked = request(transaction.objectStore(files));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? asked.error);
    });
    return asked.result as T;
  } finally {
    opened.close();
  }
}

async function openDatabase(op: string): Promise<IDBDatabase> {
  const request = requireIndexedDb(op).open(database, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(files);
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(invalid(op, String(request.error), request.error));
  });
}

function requireIndexedDb(op: string): IDBFactory {
  const { indexedDB } = globalThis as { indexedDB?: IDBFactory };
  if (indexedDB) return indexedDB;
  throw invalid(op, 'an environment without indexedDB');
}

function invalid(op: string, received: string, cause?: unknown): ValueError {
  return new ValueError({
    op,
    rule: 'indexeddb:// needs IndexedDB: a page or worker whose browser lets the site store data.',
    received,
    hint: "in Node pass a path, such as 'net.keras'.",
    cause,
  });
}
