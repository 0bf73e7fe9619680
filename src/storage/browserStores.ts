/** @file A browser's file storages, behind one interface. The code of each is loaded when an address refers to it. */
import type { ByteSource } from '../formats/byteSource.ts';
import { FormatError, RetrogradError, ValueError } from '../core/errors.ts';
import { type BrowserAddress, type BrowserPlace, browserAddress, requirePath } from './addresses.ts';
import type { BrowserStore, StoredFile } from './browserStore.ts';
import type { FileTarget } from './fileTarget.ts';

const stores: Record<BrowserPlace, () => Promise<BrowserStore>> = {
  opfs: async () => (await import('./originFiles.ts')).originFiles,
  indexeddb: async () => (await import('./indexedDb.ts')).indexedDbFiles,
  downloads: async () => (await import('./downloads.ts')).downloads,
};

/** Opens a stored file. Errors: FormatError if there is none; ValueError if the browser doesn't have the storage. */
export async function openStored(address: BrowserAddress): Promise<ByteSource> {
  requirePath('load', address);
  const found = await (await stores[address.place]()).open(address);
  if (found) return found;
  throw new FormatError({
    op: address.text,
    rule: 'the file must be there, and readable.',
    received: 'no such file in the storage of this site',
    hint: `await listFiles('${address.place}://') says what is there.`,
  });
}

/** Writes to a browser's storage. An older file is replaced once the new one is complete. */
export function storedTarget(address: BrowserAddress): FileTarget {
  requirePath('save', address);
  return {
    write: async (pieces) => {
      const store = await stores[address.place]();
      try {
        await store.target(address).write(pieces);
      } catch (error) {
        throw isQuota(error) ? outOfRoom(address, error) : error;
      }
    },
  };
}

/**
 * Returns the files that this site stores in `opfs://` (or a folder of it, `opfs://models`) or `indexeddb://`, by address.
 * Errors: ValueError for other storages, and if the browser doesn't have them.
 */
export async function listFiles(place: string): Promise<StoredFile[]> {
  const address = keptAddress('listFiles', place);
  const found = await (await stores[address.place]()).list(address.path);
  return found.sort((a, b) => (a.url < b.url ? -1 : 1));
}

/** Removes a file of `opfs://` or `indexeddb://`, and returns whether there was one. Errors: as `listFiles`. */
export async function removeFile(url: string): Promise<boolean> {
  const address = keptAddress('removeFile', url);
  requirePath('removeFile', address);
  return (await stores[address.place]()).remove(address.path);
}

function keptAddress(op: string, given: string): BrowserAddress {
  const address = typeof given === 'string' ? browserAddress(op, given) : null;
  if (address && address.place !== 'downloads') return address;
  throw new ValueError({
    op,
    rule: 'files are kept in opfs:// and indexeddb://.',
    received: typeof given === 'string' ? `'${given}'` : typeof given,
    hint: `${op}('opfs://models'), for example.`,
  });
}

function isQuota(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === 'QuotaExceededError';
}

function outOfRoom({ text }: BrowserAddress, cause: unknown): RetrogradError {
  return new RetrogradError({
    op: `save ${text}`,
    rule: 'the browser must have enough storage for the file.',
    received: 'its limit for this site is reached; an older file is as it was',
    hint: 'remove files with removeFile(url), or ask the user by navigator.storage.persist().',
    cause,
  });
}
