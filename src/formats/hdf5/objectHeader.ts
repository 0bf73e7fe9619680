/** @file Object headers: the messages that describe a group or a dataset, collected from all blocks of the header. */
import type { Cursor } from './cursor.ts';
import { messageType, sharedMessage } from './messages.ts';
import type { Storage } from './storage.ts';

export class Message {
  constructor(
    readonly type: number,
    private readonly data: Cursor,
  ) {}

  /** A cursor at the start of the message's data. */
  get cursor(): Cursor {
    return this.data.restarted();
  }
}

/** More messages than objects have in practice: a group of links in its header holds a few, attributes may be thousands. */
const maxMessages = 100_000;

/** A block of messages; `v2` if messages have the short form. */
interface Block {
  readonly cursor: Cursor;
  readonly v2: { readonly hasOrder: boolean } | null;
}

/** Returns the messages of the object at `address`. Errors: FormatError. */
export async function readObjectHeader(storage: Storage, address: number, place: string): Promise<Message[]> {
  const first = await firstBlock(storage, address, place);
  const messages: Message[] = [];
  const blocks = [first];
  const seen = new Set<number>();
  let bytes = 0;
  for (let block = blocks.shift(); block; block = blocks.shift()) {
    bytes += block.cursor.left;
    // Blocks that overlap could add up to far more than the file.
    if (bytes > storage.size)
      throw block.cursor.invalid('a header is smaller than its file.', `${bytes} bytes`);
    for (const message of messagesOf(block)) {
      if (message.type !== messageType.continuation) messages.push(message);
      else blocks.push(await continuation(storage, message.cursor, first, seen, place));
      if (messages.length > maxMessages) throw tooMany(message.cursor);
    }
  }
  return messages;
}

async function firstBlock(storage: Storage, address: number, place: string): Promise<Block> {
  const prefix = await storage.prefix(address, 64, place);
  const isNew = prefix.bytes[0] === 0x4f;
  if (!isNew) {
    prefix.version(1);
    prefix.skip(1 + 2 + 4);
    const bytes = prefix.u32();
    prefix.skip(4);
    return { cursor: await storage.cursor(address + prefix.position, bytes, place), v2: null };
  }
  prefix.expect('OHDR');
  prefix.version(2);
  const flags = prefix.u8();
  if (flags & 0x20) prefix.skip(16);
  if (flags & 0x10) prefix.skip(4);
  const bytes = prefix.unsigned(1 << (flags & 0x03));
  const cursor = await storage.cursor(address + prefix.position, bytes, place);
  return { cursor, v2: { hasOrder: (flags & 0x04) !== 0 } };
}

async function continuation(
  storage: Storage,
  message: Cursor,
  { v2 }: Block,
  seen: Set<number>,
  place: string,
): Promise<Block> {
  const [address, bytes] = [message.address(), message.length()];
  if (seen.has(address))
    throw message.invalid('a header is continued once at each place.', `${address}, twice`);
  seen.add(address);
  const cursor = await storage.cursor(address, bytes, place);
  if (!v2) return { cursor, v2 };
  cursor.expect('OCHK');
  // A checksum is at the end.
  return { cursor: cursor.part(Math.max(0, cursor.left - 4)), v2 };
}

function* messagesOf({ cursor, v2 }: Block): Generator<Message> {
  const headerBytes = v2 ? (v2.hasOrder ? 6 : 4) : 8;
  while (cursor.left >= headerBytes) {
    const type = v2 ? cursor.u8() : cursor.u16();
    const bytes = cursor.u16();
    const flags = cursor.u8();
    cursor.skip(headerBytes - (v2 ? 4 : 5));
    const data = cursor.part(bytes);
    if ((flags & 0x02) !== 0 && type !== 0) throw sharedMessage(data);
    yield new Message(type, data);
  }
}

function tooMany(cursor: Cursor): Error {
  return cursor.invalid(`an object has at most ${maxMessages} messages.`, 'more of them');
}
