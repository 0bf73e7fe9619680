/** @file B-trees of version 1, which list the members of old groups and the chunks of a dataset. */
import type { Cursor } from './cursor.ts';
import type { Storage } from './storage.ts';

/** Even trees with millions of entries have only a few levels. */
const maxLevels = 16;

/** The node format of a kind of tree. */
export interface TreeKind<E> {
  readonly type: 0 | 1;
  readonly of: string;
  /** Bytes of an entry, and of the data after the last one. */
  readonly entryBytes: number;
  readonly trailingBytes: number;
  /** Reads an entry; its address is that of the node below, or in a leaf that of the listed object. */
  read(cursor: Cursor): E;
}

/** Yields the entries of the leaves, in order. Errors: FormatError for trees with cycles or too many levels. */
export async function* leafEntries<E extends { readonly address: number }>(
  storage: Storage,
  root: number,
  kind: TreeKind<E>,
  place: string,
): AsyncGenerator<E> {
  const seen = new Set<number>();
  const open = [{ address: root, level: maxLevels }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { address, level } = next;
    if (seen.has(address))
      throw storage.invalid(place, 'each node of a B-tree is there once.', `the node at ${address}, twice`);
    seen.add(address);
    const node = await readNode(storage, address, kind, place);
    if (node.level >= level)
      throw storage.invalid(
        place,
        'the levels of a B-tree count down to 0.',
        `level ${node.level} below level ${level}`,
      );
    if (node.level === 0) yield* node.entries;
    else open.push(...node.entries.reverse().map((entry) => ({ address: entry.address, level: node.level })));
  }
}

async function readNode<E>(
  storage: Storage,
  address: number,
  { type, of, entryBytes, trailingBytes, read }: TreeKind<E>,
  place: string,
): Promise<{ level: number; entries: E[] }> {
  const headerBytes = 8 + 2 * storage.sizes.offset;
  const header = await storage.cursor(address, headerBytes, place);
  header.expect('TREE');
  const found = header.u8();
  if (found !== type) throw header.invalid(`the B-tree of ${of} has type ${type}.`, `type ${found}`);
  const level = header.u8();
  const count = header.u16();
  const cursor = await storage.cursor(address + headerBytes, count * entryBytes + trailingBytes, place);
  return { level, entries: Array.from({ length: count }, () => read(cursor)) };
}
