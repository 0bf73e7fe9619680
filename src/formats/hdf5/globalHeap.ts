/** @file The global heap: collections of objects, which variable-length strings refer to. */
import { type Cursor, undefinedAddress } from './cursor.ts';
import type { Storage } from './storage.ts';

type Collection = ReadonlyMap<number, Uint8Array<ArrayBuffer>>;

export class GlobalHeap {
  readonly #collections = new Map<number, Promise<Collection>>();

  constructor(private readonly storage: Storage) {}

  /** Bytes of a reference. */
  get referenceBytes(): number {
    return 4 + this.storage.sizes.offset + 4;
  }

  /** Returns the bytes of the object that a reference refers to, with the length that it states. Errors: FormatError. */
  async object(reference: Cursor): Promise<Uint8Array<ArrayBuffer>> {
    const length = reference.u32();
    const address = reference.address();
    const index = reference.u32();
    if (length === 0 || address === undefinedAddress || address === 0) return new Uint8Array();
    const known = this.#collections.get(address);
    const collection = await (known ?? this.#open(address, reference.place));
    const found = collection.get(index);
    if (found && found.length >= length) return found.subarray(0, length);
    const received = found
      ? `${length} bytes of an object of ${found.length}`
      : `object ${index} of the heap at ${address}`;
    throw reference.invalid('a string is in the global heap that it names.', received);
  }

  #open(address: number, place: string): Promise<Collection> {
    const collection = readCollection(this.storage, address, place);
    this.#collections.set(address, collection);
    return collection;
  }
}

async function readCollection(storage: Storage, address: number, place: string): Promise<Collection> {
  const header = await storage.cursor(address, 8 + storage.sizes.length, place);
  header.expect('GCOL');
  header.version(1);
  header.skip(3);
  const bytes = header.length();
  const cursor = await storage.cursor(address, bytes, place);
  cursor.skip(header.position);
  const objects = new Map<number, Uint8Array<ArrayBuffer>>();
  const objectHeader = 8 + storage.sizes.length;
  while (cursor.left >= objectHeader) {
    const index = cursor.u16();
    // The rest is free.
    if (index === 0) break;
    cursor.skip(6);
    const length = cursor.length();
    objects.set(index, cursor.take(length));
    cursor.skip(Math.min(cursor.left, (8 - (length % 8)) % 8));
  }
  return objects;
}
