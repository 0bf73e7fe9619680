/** @file Files on a server, read by ranges where the server answers them. */
import { byteReader, ReadMemory } from '../formats/readMemory.ts';
import { FormatError } from '../core/errors.ts';
import { type ByteSource, requireLength } from '../formats/byteSource.ts';
import type { FilePieces } from './fileTarget.ts';
import { siblingUrl } from './folders.ts';
import { responseSource, unreadable } from './responseSource.ts';
import { bufferPieces, memoryBytes } from './temporaryFile.ts';

/** A range of fewer bytes doesn't begin a stream: what follows it is probably not read. */
const minBytes = 1 << 20;
/** Up to this many bytes between two ranges are read and discarded. */
const maxSkipped = 1 << 20;

/**
 * Successive ranges of a file on a server, from one request. Browsers keep the buffers of each request until
 * they collect garbage: 200 MB for a large file that is read with a request for each piece.
 */
class RangeStream {
  /** The response that is being read, and the position that it has reached. */
  #open: { readonly reader: ReadableStreamBYOBReader; readonly at: number } | null = null;

  /** False once a response was one whose stream can't fill memory, as in older browsers. */
  #canFill = true;

  /** `request` asks the server for a range; the file has `size` bytes. */
  constructor(
    private readonly request: (begin: number, end: number) => Promise<Response>,
    private readonly size: number,
  ) {}

  /** Returns the bytes from `begin` to `end`, fewer if the server sends fewer; null if they should be requested on their own. */
  async read(begin: number, end: number, memory: ReadMemory): Promise<Uint8Array<ArrayBuffer> | null> {
    const reader = await this.#readerAt(begin, end, memory);
    if (!reader) return null;
    const bytes = await memory.fill(reader, end - begin);
    if (this.#open || end === this.size) await reader.cancel();
    else this.#open = { reader, at: end };
    return bytes;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.reader.cancel();
  }

  /**
   * Returns a reader whose next byte is that at `begin`. It belongs to the caller, so that reads at the same time have one
   * each.
   */
  async #readerAt(begin: number, end: number, memory: ReadMemory): Promise<ReadableStreamBYOBReader | null> {
    const skipped = this.#open ? begin - this.#open.at : -1;
    if (this.#open && skipped >= 0 && skipped <= maxSkipped) {
      const { reader } = this.#open;
      this.#open = null;
      await memory.fill(reader, skipped);
      return reader;
    }
    if (end - begin < minBytes || !this.#canFill) return null;
    await this.close();
    const { body } = await this.request(begin, this.size);
    const reader = body && byteReader(body);
    this.#canFill = reader !== null;
    if (!reader) await body?.cancel();
    return reader;
  }
}

/** Requests only the first byte: a server that supports ranges then reports the length of the file. */
export async function openUrl(url: string, name: string, signal?: AbortSignal): Promise<ByteSource> {
  const request = async (range: string) => {
    const options = { headers: { Range: range }, ...(signal ? { signal } : {}) };
    return fetch(url, options).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw unreadable(
        name,
        String(cause),
        'check the address, and that the server allows requests from this page (CORS).',
        cause,
      );
    });
  };
  const sibling = (path: string) => openUrl(siblingUrl(url, path), path, signal);
  const siblings = /^(data|blob):/i.test(url) ? {} : { sibling };
  const first = await request('bytes=0-0');
  const size = Number(/\/(\d+)$/.exec(first.headers.get('Content-Range') ?? '')?.[1] ?? Number.NaN);
  if (first.status !== 206 || !Number.isSafeInteger(size))
    return { ...(await responseSource(first, name, signal)), ...siblings };
  await first.body?.cancel();
  const tag = first.headers.get('ETag');
  const part = async (begin: number, end: number) => {
    const response = await request(`bytes=${begin}-${end - 1}`);
    const isSame = response.status === 206 && response.headers.get('ETag') === tag;
    if (!isSame) throw unreadable(name, `status ${response.status}, or another file`, 'load it again.');
    return response;
  };
  const broken = (cause: unknown): never => {
    if (signal?.aborted || cause instanceof FormatError) throw cause;
    throw unreadable(name, `a connection that broke off: ${cause}`, 'load it again.', cause);
  };
  const stream = new RangeStream(part, size);
  const read: ByteSource['read'] = async (begin, end, memory) => {
    if (begin === end) return new Uint8Array();
    const streamed = memory && (await stream.read(begin, end, memory).catch(broken));
    const bytes = streamed ?? new Uint8Array(await (await part(begin, end)).arrayBuffer().catch(broken));
    return requireLength(name, bytes, begin, end);
  };
  const opened: ByteSource[] = [];
  /** Bytes of fetched parts that are in memory. */
  let held = 0;
  const fetched = async (begin: number, end: number) => {
    const isHeld = held + end - begin <= memoryBytes;
    if (isHeld) held += end - begin;
    const source = await bufferPieces(piecesOf(read, begin, end), name, isHeld ? memoryBytes : 0);
    opened.push(source);
    return source;
  };
  const close = async () => {
    await stream.close();
    for (const source of opened) await source.close?.();
  };
  return { name, size, read, fetched, close, ...siblings };
}

const pieceBytes = 1 << 20;

/** Each piece is valid until the next one is requested. */
async function* piecesOf(read: ByteSource['read'], begin: number, end: number): FilePieces {
  const memory = new ReadMemory();
  for (let at = begin; at < end; at += pieceBytes)
    yield await read(at, Math.min(end, at + pieceBytes), memory);
}

/** Returns the last part of an address. */
export function baseName(url: string): string {
  if (/^(data|blob):/i.test(url)) return 'file';
  const path = url.replace(/[?#].*$/s, '');
  return path.slice(path.lastIndexOf('/') + 1) || 'file';
}
