/** @file Targets that files are written to. A write is atomic: until it is complete, an older file is left unchanged. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { browserAddress } from './addresses.ts';
import { storedTarget } from './browserStores.ts';
import { type FilePieces, type FileTarget, streamTarget } from './fileTarget.ts';
import { nodeModule } from './nodeModule.ts';

/**
 * A target for a file. A string is a path in Node, or an address in a browser's storage: `opfs://models/net.keras`,
 * `indexeddb://net`, `downloads://net.keras`.
 */
export type SaveTarget =
  | string
  | URL
  | FileTarget
  | FileSystemFileHandle
  | WritableStream<Uint8Array<ArrayBuffer>>;

/** A target that keeps the bytes in memory. */
export class BytesTarget implements FileTarget {
  #parts: Uint8Array<ArrayBuffer>[] = [];

  async write(pieces: FilePieces): Promise<void> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    // Writers may reuse the memory of a piece.
    for await (const piece of pieces) parts.push(piece.slice());
    this.#parts = parts;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}

/** Returns the name of a target, by which formats are chosen; null if it has none. */
export function targetName(target: SaveTarget): string | null {
  if (typeof target === 'string' || target instanceof URL) return String(target);
  const { name } = (target ?? {}) as Partial<FileSystemFileHandle>; // Invalid targets are rejected by targetOf.
  return typeof name === 'string' ? name : null;
}

/** Errors: ValueError for anything that can't be written to. */
export function targetOf(given: SaveTarget): FileTarget {
  if (typeof given === 'string' || given instanceof URL) {
    const address = browserAddress('save', given);
    return address ? storedTarget(address) : pathTarget(given);
  }
  if (given instanceof WritableStream) return streamTarget(async () => given);
  const { write, createWritable } = (given ?? {}) as Partial<FileTarget & FileSystemFileHandle>;
  if (typeof createWritable === 'function')
    return streamTarget(async () => (given as FileSystemFileHandle).createWritable());
  if (typeof write === 'function') return given as FileTarget;
  throw notATarget(given);
}

/** The parts of Node's modules that are used here. */
interface NodeFiles {
  open(path: string, flags: string): Promise<NodeFile>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
}
interface NodeFile {
  /** Appends all bytes, unlike `write`, which may write only a part. */
  appendFile(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}
interface NodeUrls {
  fileURLToPath(url: URL): string;
}

let written = 0;

/** Writes a file under another name, and renames it when it is complete. */
function pathTarget(given: string | URL): FileTarget {
  const fs = nodeModule<NodeFiles>('fs/promises');
  if (!fs || /^(https?|blob|data):/i.test(String(given))) throw notATarget(String(given));
  const path =
    given instanceof URL ? (nodeModule<NodeUrls>('url')?.fileURLToPath(given) ?? given.pathname) : given;
  return {
    write: async (pieces) => {
      const part = `${path}.${written++}.part`;
      try {
        const file = await fs.open(part, 'w').catch(unwritable(path));
        await writeAll(file, pieces);
        await fs.rename(part, path).catch(unwritable(path));
      } catch (error) {
        await fs.rm(part, { force: true });
        throw error;
      }
    },
  };
}

async function writeAll(file: NodeFile, pieces: FilePieces): Promise<void> {
  try {
    for await (const piece of pieces) await file.appendFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Rejects a path that the system can't write to. Its message names the temporary file last, which a user doesn't know. */
const unwritable = (path: string) => (cause: Error) => {
  const [reason] = cause.message.split(', ');
  throw new ValueError({
    op: 'save',
    rule: 'a path must be that of a file, in a folder that exists and may be written to.',
    received: `'${path}' (${reason})`,
    hint: 'create the folder first, or check the path and its permissions.',
    cause,
  });
};

function notATarget(given: unknown): ValueError {
  return new ValueError({
    op: 'save',
    rule: "a file is written to a path in Node, 'opfs://…', 'indexeddb://…', 'downloads://…', a file handle, a stream, or an object with `write`.",
    received: typeof given === 'string' ? given : describe(given),
    hint: "pass 'model.keras' in Node; in a page 'opfs://model.keras', or the handle of showSaveFilePicker().",
  });
}
