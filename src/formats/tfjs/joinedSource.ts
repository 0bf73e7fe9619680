/** @file Several files read as one, in their order. */
import type { ByteSource } from '../byteSource.ts';

/** Returns the bytes of `parts` one after the other. A range in one part is read without a copy. */
export function joinedSource(parts: readonly ByteSource[], name: string): ByteSource {
  const begins: number[] = [];
  let size = 0;
  for (const part of parts) {
    begins.push(size);
    size += part.size;
  }
  const read: ByteSource['read'] = async (begin, end, memory) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (const [i, part] of parts.entries()) {
      const start = begins[i] as number;
      const [from, to] = [Math.max(begin, start), Math.min(end, start + part.size)];
      // The next part would overwrite this one's bytes in the same memory.
      const isWhole = from === begin && to === end;
      if (from < to) pieces.push(await part.read(from - start, to - start, isWhole ? memory : undefined));
    }
    const [only] = pieces;
    if (only && pieces.length === 1) return only;
    const joined = new Uint8Array(end - begin);
    let at = 0;
    for (const piece of pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  };
  const close = async () => {
    for (const part of parts) await part.close?.();
  };
  return { name, size, read, close };
}
