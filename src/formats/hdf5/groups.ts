/** @file The links of groups: symbol tables of older files, and links in the header of newer ones. */
import { type Cursor, undefinedAddress } from './cursor.ts';
import { type Link, messageType, readLink } from './messages.ts';
import type { Message } from './objectHeader.ts';
import type { Storage } from './storage.ts';

/** More links than any group has. */
const maxLinks = 1_000_000;
/** B-trees of groups with millions of links have a few levels. */
const maxLevels = 16;

/** The links by name. Errors: FormatError. */
export async function readLinks(
  storage: Storage,
  messages: readonly Message[],
  place: string,
): Promise<Map<string, Link>> {
  const links = new Map<string, Link>();
  const add = (name: string, link: Link) => {
    if (links.has(name)) throw storage.refuse(place, 'a group has each name once.', `'${name}', twice`);
    links.set(name, link);
    if (links.size > maxLinks)
      throw storage.refuse(place, `a group has at most ${maxLinks} links.`, 'more of them');
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

/** Errors: FormatError for links that are kept in a fractal heap. */
function requireCompact(info: Cursor): void {
  info.version(0);
  const flags = info.u8();
  if (flags & 0x01) info.skip(8);
  if (info.address() === undefinedAddress) return;
  throw info.refuse(
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
  for await (const address of leavesOf(storage, tree, place)) {
    const node = await storage.prefix(address, 8, place);
    node.expect('SNOD');
    node.version(1);
    node.skip(1);
    const count = node.u16();
    const entryBytes = 2 * storage.sizes.offset + 24;
    const entries = await storage.cursor(address + 8, count * entryBytes, place);
    for (let i = 0; i < count; i++) readEntry(entries, heap, add);
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

/** The addresses of a group's symbol nodes. Errors: FormatError for trees with cycles or too many levels. */
async function* leavesOf(storage: Storage, root: number, place: string): AsyncGenerator<number> {
  const seen = new Set<number>();
  const open = [{ address: root, level: maxLevels }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { address, level } = next;
    if (seen.has(address))
      throw storage.refuse(place, 'each node of a B-tree is there once.', `the node at ${address}, twice`);
    seen.add(address);
    const { level: nodeLevel, children } = await readGroupNode(storage, address, place);
    if (nodeLevel >= level)
      throw storage.refuse(
        place,
        'the levels of a B-tree count down to 0.',
        `level ${nodeLevel} below level ${level}`,
      );
    if (nodeLevel === 0) yield* children;
    else open.push(...children.reverse().map((child) => ({ address: child, level: nodeLevel })));
  }
}

async function readGroupNode(
  storage: Storage,
  address: number,
  place: string,
): Promise<{ level: number; children: number[] }> {
  const { offset, length } = storage.sizes;
  const headerBytes = 8 + 2 * offset;
  const header = await storage.cursor(address, headerBytes, place);
  header.expect('TREE');
  const type = header.u8();
  if (type !== 0) throw header.refuse('the B-tree of a group has type 0.', `type ${type}`);
  const level = header.u8();
  const count = header.u16();
  const cursor = await storage.cursor(address + headerBytes, count * (length + offset) + length, place);
  const children = Array.from({ length: count }, () => {
    cursor.skip(length);
    return cursor.address();
  });
  return { level, children };
}
