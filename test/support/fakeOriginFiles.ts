/** @file An in-memory origin-private file system with the functions that the library uses, for tests in Node. */

const missing = (name: string) => new DOMException(`${name} is not there`, 'NotFoundError');

class FakeFile {
  readonly kind = 'file';
  bytes: Uint8Array<ArrayBuffer>[] = [];

  constructor(readonly name: string) {}

  async getFile(): Promise<File> {
    return new File(this.bytes, this.name, { lastModified: 0 });
  }

  /** As in browsers, the written data replace the file when the stream is closed. */
  async createWritable(): Promise<WritableStream<Uint8Array<ArrayBuffer>>> {
    const written: Uint8Array<ArrayBuffer>[] = [];
    return new WritableStream({
      write: (piece) => void written.push(piece.slice()),
      close: () => {
        this.bytes = written;
      },
    });
  }
}

export class FakeFolder {
  readonly kind = 'directory';
  readonly entries = new Map<string, FakeFolder | FakeFile>();

  constructor(readonly name = '') {}

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<FakeFolder> {
    return this.#entry(name, FakeFolder, create);
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<FakeFile> {
    return this.#entry(name, FakeFile, create);
  }

  async removeEntry(name: string): Promise<void> {
    if (!this.entries.delete(name)) throw missing(name);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<[string, FakeFolder | FakeFile]> {
    yield* this.entries;
  }

  #entry<T extends FakeFolder | FakeFile>(name: string, kind: new (name: string) => T, create: boolean): T {
    const found = this.entries.get(name);
    if (found instanceof kind) return found;
    if (found) throw new DOMException(`${name} is of another kind`, 'TypeMismatchError');
    if (!create) throw missing(name);
    const made = new kind(name);
    this.entries.set(name, made);
    return made;
  }
}
