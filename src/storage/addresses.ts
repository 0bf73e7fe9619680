/**
 * @file Addresses of files that a browser keeps, as in TF.js: `opfs://models/net.keras` in the origin-private file system,
 * `indexeddb://net` in IndexedDB, `downloads://net.keras` in the user's downloads.
 */
import { ValueError } from '../core/errors.ts';

export type BrowserPlace = 'opfs' | 'indexeddb' | 'downloads';

export interface BrowserAddress {
  readonly place: BrowserPlace;
  /** Path within the storage, without leading or trailing slashes. */
  readonly path: string;
  /** The address as given, for errors and histories. */
  readonly text: string;
}

/**
 * Returns the parts of an address in a browser's storage; null for paths and other URLs. Errors: ValueError for a path with
 * `..`, and for storages of TF.js that are too small for models.
 */
export function browserAddress(op: string, given: string | URL): BrowserAddress | null {
  const text = typeof given === 'string' ? given : decodeURI(given.href);
  const [, scheme = '', rest = ''] = /^(opfs|indexeddb|downloads|localstorage):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === '') return null;
  const place = scheme.toLowerCase();
  if (place === 'localstorage')
    throw new ValueError({
      op,
      rule: 'files are kept in opfs:// or indexeddb://; localStorage is too small for models.',
      received: `'${text}'`,
      hint: `pass 'indexeddb://${rest}'.`,
    });
  const path = rest.replace(/^\/+|\/+$/g, '');
  const isClimbing = path.split('/').some((part) => part === '.' || part === '..');
  if (isClimbing || path.includes('//'))
    throw new ValueError({
      op,
      rule: 'an address is a path of names, separated by single slashes.',
      received: `'${text}'`,
      hint: "pass an address such as 'opfs://models/net.keras'.",
    });
  return { place: place as BrowserPlace, path, text };
}

/** Errors: ValueError for an address without a file name. */
export function requirePath(op: string, { path, text }: BrowserAddress): void {
  if (path !== '') return;
  throw new ValueError({
    op,
    rule: 'an address names a file.',
    received: `'${text}'`,
    hint: `pass '${text.replace(/\/+$/, '')}//net.keras'.`,
  });
}
