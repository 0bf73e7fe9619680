/** @file What takes the bytes of a file, and the target that every stream is. */

/** Bytes of a file as they are made. */
export type FilePieces = AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Takes the bytes of a file. It must leave an older file as it is where `pieces` throws. */
export interface FileTarget {
  write(pieces: FilePieces): Promise<void>;
}

/** Aborts the stream where something fails, so that the file is left unchanged. */
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

/** Bytes that become a Blob at once. */
const partBytes = 16 << 20;

/** All pieces as a Blob, a part at a time: browsers move large ones out of memory. */
export async function blobOf(pieces: FilePieces): Promise<Blob> {
  const blobs: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const close = () => {
    blobs.push(new Blob(parts));
    [parts, bytes] = [[], 0];
  };
  for await (const piece of pieces) {
    // Writers may use the memory of a piece again.
    parts.push(piece.slice());
    bytes += piece.length;
    if (bytes >= partBytes) close();
  }
  close();
  return new Blob(blobs);
}
