/** @file Stores for measurements between visits. */

/** Stores texts by name. A store that throws or rejects counts as empty. */
export interface TuningStore {
  read(name: string): string | null | undefined | Promise<string | null | undefined>;
  write(name: string, text: string): void | Promise<void>;
}

/** Returns the page's storage; null if there is none, or the page may not use it. */
export function pageStore(): TuningStore | null {
  try {
    const storage = (globalThis as { localStorage?: Storage }).localStorage;
    if (storage && typeof window !== 'undefined') {
      return {
        read: (name) => storage.getItem(name),
        write: (name, text) => storage.setItem(name, text),
      };
    }
    // Workers have no localStorage, but a database.
    return globalThis.indexedDB ? databaseStore(globalThis.indexedDB) : null;
  } catch {
    return null;
  }
}

const table = 'texts';

function databaseStore(factory: IDBFactory): TuningStore {
  const open = () => {
    const opening = factory.open('retrograd', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(table);
    return done(opening);
  };
  return {
    async read(name) {
      const database = await open();
      try {
        return await done<string | undefined>(database.transaction(table).objectStore(table).get(name));
      } finally {
        database.close();
      }
    },
    async write(name, text) {
      const database = await open();
      try {
        const transaction = database.transaction(table, 'readwrite');
        transaction.objectStore(table).put(text, name);
        // A page or a worker may end right afterwards: the write is complete when its transaction is.
        await new Promise<void>((resolve, reject) => {
          transaction.oncomplete = () => resolve();
          transaction.onabort = () => reject(transaction.error);
        });
      } finally {
        database.close();
      }
    },
  };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
