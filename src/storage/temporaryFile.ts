/**
 * @file Temporary files for bytes from elsewhere that are read more than once: in the origin-private file system of a page,
 * or in Node's temporary folder. They are removed when they are closed.
 */
import { type ByteSource, blobSource, requireLength } from '../formats/byteSource.ts';
import { blobOf, type FilePieces } from './fileTarget.ts';
import { nodeModule } from './nodeModule.ts';

export interface TemporaryFile {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Ends writing. The bytes are available until the source is closed. */
  finish(name: string): Promise<ByteSource>;
  /** Removes a file that wasn't finished. */
  discard(): Promise<void>;
}

/** Up to this many bytes of a file are kept in memory. */
export const memoryBytes = 16 << 20;
/** Age at which files left behind by closed pages are removed; none is in use for so long. */
const oldMilliseconds = 24 * 60 * 60 * 1000;
const folderName = '.retrograd-temporary';

/** Null if there is no room for `bytes` bytes. */
export async function openTemporaryFile(bytes: number): Promise<TemporaryFile | null> {
  const fs = nodeModule<NodeFiles>('fs/promises');
  if (fs) return nodeTemporaryFile(fs);
  try {
    return await originTemporaryFile(bytes);
  } catch {
    // Private windows and pages without https don't have this storage.
    return null;
  }
}

/** Returns all pieces, readable in any order: in memory up to `maxMemory` bytes, otherwise in a temporary file. */
export async function bufferPieces(
  pieces: FilePieces,
  name: string,
  maxMemory = memoryBytes,
): Promise<ByteSource> {
  const buffered: Uint8Array<ArrayBuffer>[] = [];
  const iterator = pieces[Symbol.asyncIterator]();
  let bytes = 0;
  while (bytes <= maxMemory) {
    const { done, value } = await iterator.next();
    if (done) return blobSource(new Blob(buffered), name);
    buffered.push(value.slice());
    bytes += value.length;
  }
  const all = concatenated(buffered, iterator);
  const file = await openTemporaryFile(2 * bytes);
  if (!file) return blobSource(await blobOf(all), name);
  try {
    for await (const piece of all) await file.write(piece);
    return await file.finish(name);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Drops each entry of `buffered` once it is yielded. A piece is valid until the next one is requested. */
async function* concatenated(
  buffered: Uint8Array<ArrayBuffer>[],
  rest: AsyncIterator<Uint8Array<ArrayBuffer>>,
): FilePieces {
  for (let piece = buffered.shift(); piece; piece = buffered.shift()) yield piece;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The parts of Node's modules that are used here. */
interface NodeFiles {
  mkdtemp(prefix: string): Promise<string>;
  open(path: string, flags: string): Promise<NodeFile>;
  rm(path: string, options: { recursive: boolean; force: boolean }): Promise<void>;
}
interface NodeFile {
  writeFile(bytes: Uint8Array): Promise<void>;
  read(
    into: Uint8Array<ArrayBuffer>,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

async function nodeTemporaryFile(fs: NodeFiles): Promise<TemporaryFile | null> {
  const folder = await fs
    .mkdtemp(`${nodeModule<{ tmpdir(): string }>('os')?.tmpdir()}/retrograd-temporary-`)
    .catch(() => null);
  if (folder === null) return null;
  const file = await fs.open(`${folder}/bytes`, 'w+');
  let size = 0;
  const discard = async () => {
    await file.close();
    await fs.rm(folder, { recursive: true, force: true });
  };
  return {
    write: async (bytes) => {
      await file.writeFile(bytes);
      size += bytes.length;
    },
    finish: async (name) => ({
      name,
      size,
      isLocal: true,
      read: async (begin, end, memory) => {
        const bytes = memory?.take(end - begin) ?? new Uint8Array(end - begin);
        const { bytesRead } = await file.read(bytes, 0, bytes.length, begin);
        return requireLength(name, bytes.subarray(0, bytesRead), begin, end);
      },
      close: discard,
    }),
    discard,
  };
}

async function originTemporaryFile(bytes: number): Promise<TemporaryFile | null> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  if (quota - usage < bytes) return null;
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(folderName, { create: true });
  await removeOld(folder);
  const key = crypto.randomUUID();
  const handle = await folder.getFileHandle(key, { create: true });
  const stream = await handle.createWritable();
  const remove = () => folder.removeEntry(key);
  return {
    write: (piece) => stream.write(piece),
    finish: async (name) => {
      await stream.close();
      return { ...blobSource(await handle.getFile(), name), close: remove };
    },
    discard: async () => {
      await stream.abort().catch(() => {});
      await remove();
    },
  };
}

async function removeOld(folder: FileSystemDirectoryHandle): Promise<void> {
  // TypeScript declares the iteration of folders in another library than the rest of the DOM.
  const handles = (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values();
  for await (const handle of handles) {
    const { lastModified } = await handle.getFile();
    if (Date.now() - lastModified > oldMilliseconds) await folder.removeEntry(handle.name).catch(() => {});
  }
}
