/** @file The interface for writing a file, and its implementation for streams. */

/** The bytes of a file, in pieces. */
export type FilePieces = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Writes the bytes of a file. It must leave an older file unchanged if `pieces` throws. */
export interface FileTarget {
  write(pieces: FilePieces): Promise<void>;
}

/** Aborts the stream if something fails, so that the file is left unchanged. */
export function streamTarget(open: () => Promise<WritableStream<Uint8Array<ArrayBuffer>>>): FileTarget {
  return {
    write: async (pieces) => {
      const writer = (await open()).getWriter();
      try {
        for await (const piece of pieces) await writer.write(piece);
        await writer.close();
      } catch (error) {
        await writer.abort(error).catch(() => {});
        throw error;
      }
    },
  };
}

/** Number of bytes that are moved into a Blob at a time. */
const partBytes = 16 << 20;

/** Returns all pieces as a Blob, a part at a time: browsers move large ones out of memory. */
export async function blobOf(pieces: FilePieces): Promise<Blob> {
  const blobs: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const close = () => {
    blobs.push(new Blob(parts));
    [parts, bytes] = [[], 0];
  };
  for await (const piece of pieces) {
    // Writers may reuse the memory of a piece.
    parts.push(piece.slice());
    bytes += piece.length;
    if (bytes >= partBytes) close();
  }
  close();
  return new Blob(blobs);
}
