/**
 * @file ByteSource: the bytes of a file, read by ranges, so that a reader takes no more memory than the range it asks for.
 * Formats read only through it, and don't depend on where the bytes come from (a Blob, a path, a URL).
 */
import { FormatError } from '../core/errors.ts';
import { byteReader, type ReadMemory } from './readMemory.ts';

export interface ByteSource {
  /** The file's name, for errors and histories. */
  readonly name: string;
  /** Number of bytes. */
  readonly size: number;
  /**
   * The bytes from `begin` to `end`, which lie within the file. They may be a view of the source's own memory: don't change
   * them. With `memory`, they may be in it.
   */
  read(begin: number, end: number, memory?: ReadMemory): Promise<Uint8Array<ArrayBuffer>>;
  /** Whether the bytes are in memory or on a disk of this machine, so that they can be read again. */
  readonly isLocal?: boolean;
  /**
   * For sources where each read is a request to a server: the bytes from `begin` to `end` as a file that can be read repeatedly.
   */
  fetched?(begin: number, end: number): Promise<ByteSource>;
  /** Closes the file, if it is held open. */
  close?(): Promise<void>;
  /** Opens a file in the same folder or below it, if there is a folder. Errors: FormatError for a missing file. */
  sibling?(path: string): Promise<ByteSource>;
}

/** Bytes in memory, read without copies. */
export function bytesSource(bytes: ArrayBuffer | Uint8Array, name: string): ByteSource {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  // A view of shared memory could change while it is read.
  const own = (view.buffer instanceof ArrayBuffer ? view : new Uint8Array(view)) as Uint8Array<ArrayBuffer>;
  const read = async (begin: number, end: number) => own.subarray(begin, end);
  return { name, size: own.byteLength, isLocal: true, read };
}

/** A Blob or a File. The browser may keep it on disk. */
export function blobSource(blob: Blob, name: string): ByteSource {
  const read = async (begin: number, end: number, memory?: ReadMemory) => {
    const part = blob.slice(begin, end);
    const reader = memory && byteReader(part.stream());
    const bytes = reader ? await memory.fill(reader, end - begin) : new Uint8Array(await part.arrayBuffer());
    return requireLength(name, bytes, begin, end);
  };
  return { name, size: blob.size, isLocal: true, read };
}

/** Returns the bytes from `begin` to `end` of `source`, as a separate file. */
export function rangeSource(source: ByteSource, begin: number, end: number, name: string): ByteSource {
  const read: ByteSource['read'] = (from, to, memory) => source.read(begin + from, begin + to, memory);
  return { name, size: end - begin, read };
}

const blockBytes = 1 << 16;
const maxBlocks = 64;

/**
 * Caches the last blocks read from `source`, for readers that take many small ranges close to each other. Ranges larger than
 * a block aren't cached.
 */
export function bufferedSource(source: ByteSource): ByteSource {
  const { name, size } = source;
  const blocks = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();
  const blockAt = (index: number) => {
    const known = blocks.get(index);
    blocks.delete(index);
    const block = known ?? source.read(index * blockBytes, Math.min(size, (index + 1) * blockBytes));
    blocks.set(index, block);
    if (blocks.size > maxBlocks) blocks.delete(blocks.keys().next().value as number);
    return block;
  };
  const read = async (begin: number, end: number, memory?: ReadMemory) => {
    if (end - begin > blockBytes) return source.read(begin, end, memory);
    const first = Math.floor(begin / blockBytes);
    const start = first * blockBytes;
    const head = await blockAt(first);
    if (end - start <= head.length) return head.subarray(begin - start, end - start);
    const tail = await blockAt(first + 1);
    const joined = new Uint8Array(end - begin);
    joined.set(head.subarray(begin - start));
    joined.set(tail.subarray(0, end - start - head.length), start + head.length - begin);
    return joined;
  };
  return { name, size, read };
}

/** Returns `bytes`, if they are complete. Errors: FormatError for a file that changed while it was read. */
export function requireLength<B extends Uint8Array>(file: string, bytes: B, begin: number, end: number): B {
  if (bytes.byteLength === end - begin) return bytes;
  throw new FormatError({
    op: file,
    rule: 'a file keeps its size while it is read.',
    received: `${bytes.byteLength} bytes for the range from ${begin} to ${end}`,
    hint: 'load it again once nothing writes to it.',
  });
}
