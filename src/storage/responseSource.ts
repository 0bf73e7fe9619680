/** @file Files that arrive as a stream: the bodies of responses. */
import { FormatError } from '../core/errors.ts';
import type { ByteSource } from '../formats/byteSource.ts';
import { byteReader, ReadMemory } from '../formats/readMemory.ts';
import type { FilePieces } from './fileTarget.ts';
import { bufferPieces } from './temporaryFile.ts';

/** A whole response. */
export async function responseSource(
  response: Response,
  name: string,
  signal: AbortSignal | undefined,
): Promise<ByteSource> {
  if (!response.ok) throw unreadable(name, `status ${response.status}`, 'check the address.');
  return bufferPieces(chunksOf(response.body, signal), name);
}

/** Bytes of a stream that are taken at a time, at most. */
const chunkBytes = 1 << 20;

/** Each chunk is valid until the next one is requested. Errors: the signal's reason, also where a stream gives nothing more. */
async function* chunksOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  signal: AbortSignal | undefined,
): FilePieces {
  if (!body) return;
  const { next, cancel } = readerOf(body);
  const stop = () => void cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', stop);
  try {
    for (let chunk = await next(); chunk; chunk = await next()) {
      signal?.throwIfAborted();
      yield chunk;
    }
    // A stream that is cancelled ends.
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener('abort', stop);
    await cancel();
  }
}

/** `next` returns null at the end of the stream. */
function readerOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const bytes = byteReader(body);
  if (bytes) {
    const memory = new ReadMemory();
    return { next: () => memory.next(bytes, chunkBytes), cancel: (reason?: unknown) => bytes.cancel(reason) };
  }
  const reader = body.getReader();
  const next = async () => (await reader.read()).value ?? null;
  return { next, cancel: (reason?: unknown) => reader.cancel(reason) };
}

export function unreadable(name: string, received: string, hint: string, cause?: unknown): FormatError {
  return new FormatError({ op: name, rule: 'the file must be there, and readable.', received, hint, cause });
}
