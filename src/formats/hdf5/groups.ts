/** @file The links of groups: symbol tables of older files, and links in the header of newer ones. */
import { leafEntries, type TreeKind } from './btree.ts';
import { type Cursor, undefinedAddress } from './cursor.ts';
import { type Link, messageType, readLink } from './messages.ts';
import type { Message } from './objectHeader.ts';
import type { Storage } from './storage.ts';

/** More links than groups have in practice. */
const maxLinks = 1_000_000;

/** Returns the links by name. Errors: FormatError. */
export async function readLinks(
  storage: Storage,
  messages: readonly Message[],
  place: string,
): Promise<Map<string, Link>> {
  const links = new Map<string, Link>();
  const add = (name: string, link: Link) => {
    if (links.has(name)) throw storage.invalid(place, 'a group has each name once.', `'${name}', twice`);
    links.set(name, link);
    if (links.size > maxLinks)
      throw storage.invalid(place, `a group has at most ${maxLinks} links.`, 'more of them');
  };
  for (const { type, cursor } of messages) {
    if (type === messageType.symbolTable) await readSymbolTable(storage, cursor, add);
    if (type === messageType.linkInfo) requireCompact(cursor);
    if (type === messageType.link) {
      const { name, link } = readLink(cursor);
      add(name, link);
    }
  }
  return links;
}

/** Errors: FormatError for links in a fractal heap. */
function requireCompact(info: Cursor): void {
  info.version(0);
  const flags = info.u8();
  if (flags & 0x01) info.skip(8);
  if (info.address() === undefinedAddress) return;
  throw info.invalid(
    'the links of a group are in a symbol table or in its header.',
    'a group of many links in the dense form',
    "write the file again without libver='latest' (h5py), or by h5repack --low=0 --high=0.",
  );
}

async function readSymbolTable(
  storage: Storage,
  message: Cursor,
  add: (name: string, link: Link) => void,
): Promise<void> {
  const { place } = message;
  const tree = message.address();
  const heap = await readLocalHeap(storage, message.address(), place);
  let named = 0;
  const addName = (name: string, link: Link) => {
    named += name.length + 1;
    if (named > heap.bytes.length + 1)
      throw heap.invalid(
        'names of a group have bytes of their own.',
        `${named} characters in ${heap.bytes.length} bytes`,
      );
    add(name, link);
  };
  for await (const { address } of leafEntries(storage, tree, groupTree(storage), place)) {
    const node = await storage.prefix(address, 8, place);
    node.expect('SNOD');
    node.version(1);
    node.skip(1);
    const count = node.u16();
    const entryBytes = 2 * storage.sizes.offset + 24;
    const entries = await storage.cursor(address + 8, count * entryBytes, place);
    for (let i = 0; i < count; i++) readEntry(entries, heap, addName);
  }
}

function readEntry(cursor: Cursor, heap: Cursor, add: (name: string, link: Link) => void): void {
  const nameOffset = cursor.unsigned(cursor.sizes.offset);
  const address = cursor.address();
  const isSoft = cursor.u32() === 2;
  cursor.skip(4 + 16);
  heap.position = 0;
  heap.skip(nameOffset);
  const name = heap.string(heap.left);
  add(name, isSoft ? { kind: 'soft' } : { kind: 'hard', address });
}

async function readLocalHeap(storage: Storage, address: number, place: string): Promise<Cursor> {
  const { offset, length } = storage.sizes;
  const header = await storage.cursor(address, 8 + 2 * length + offset, place);
  header.expect('HEAP');
  header.version(0);
  header.skip(3);
  const bytes = header.length();
  header.length();
  return storage.cursor(header.address(), bytes, place);
}

/** Returns the B-tree of a group, which lists its symbol nodes. */
function groupTree({ sizes: { offset, length } }: Storage): TreeKind<{ address: number }> {
  return {
    type: 0,
    of: 'a group',
    entryBytes: length + offset,
    trailingBytes: length,
    read: (cursor) => {
      cursor.skip(length);
      return { address: cursor.address() };
    },
  };
}
