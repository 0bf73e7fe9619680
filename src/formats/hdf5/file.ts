/**
 * @file Reads HDF5 files: groups, datasets and attributes, as h5py and Keras write them. Nothing that a file declares is
 * trusted; links to other files, soft links and shared messages are rejected. Format:
 * https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html.
 */
import { bufferedSource, type ByteSource } from '../byteSource.ts';
import type { FileContext } from '../formatErrors.ts';
import { Cursor, decodeText, undefinedAddress } from './cursor.ts';
import type { Storage } from './storage.ts';
import { toHostArray } from '../numbers.ts';
import { sizeOf } from '../../core/shape.ts';
import type { StoredTensor } from '../storedTensor.ts';
import { readDataset } from './dataset.ts';
import { GlobalHeap } from './globalHeap.ts';
import { readLinks } from './groups.ts';
import { type Attribute, type Link, messageType, readAttribute } from './messages.ts';
import { type Message, readObjectHeader } from './objectHeader.ts';
import { readSuperblock } from './superblock.ts';

/** The value of an attribute: text, or numbers in row-major order. */
export type AttributeValue = readonly string[] | readonly number[];

/** State that the objects of a file share. */
interface OpenFile {
  readonly storage: Storage;
  readonly heap: GlobalHeap;
}

/** Returns the root group. Errors: FormatError for a file that isn't HDF5, or is cut short. */
export async function openHdf5(source: ByteSource): Promise<Hdf5Group> {
  const context: FileContext = { file: source.name, format: 'HDF5' };
  const { storage, root } = await readSuperblock(bufferedSource(source), context);
  const file = { storage, heap: new GlobalHeap(storage) };
  const opened = await openObject(file, root, '/');
  if (opened instanceof Hdf5Group) return opened;
  throw storage.invalid('/', 'the root of a file is a group.', 'a dataset');
}

async function openObject(file: OpenFile, address: number, path: string): Promise<Hdf5Group | Hdf5Dataset> {
  const place = `'${path}'`;
  const messages = await readObjectHeader(file.storage, address, place);
  const isDataset = messages.some(({ type }) => type === messageType.layout);
  if (isDataset) return new Hdf5Dataset(file, path, messages);
  return new Hdf5Group(file, path, messages, await readLinks(file.storage, messages, place));
}

class Hdf5Object {
  #attributes: Map<string, Attribute> | null = null;

  constructor(
    protected readonly file: OpenFile,
    /** Path from the root, such as `/layers/dense/vars`. */
    readonly path: string,
    protected readonly messages: readonly Message[],
  ) {}

  get place(): string {
    return `'${this.path}'`;
  }

  /** Returns an attribute's value; null if there is none of that name. Errors: FormatError for types that can't be read. */
  async attribute(name: string): Promise<AttributeValue | null> {
    const found = this.#attributesByName().get(name);
    return found ? attributeValue(this.file, found, `attribute '${name}' of ${this.place}`) : null;
  }

  /** Returns the text of a scalar attribute; null if there is none of that name. Errors: FormatError for another value. */
  async text(name: string): Promise<string | null> {
    const value = await this.attribute(name);
    if (value === null || (value.length === 1 && typeof value[0] === 'string'))
      return value && (value[0] as string);
    throw this.file.storage.invalid(
      this.place,
      `attribute '${name}' is one string.`,
      `${value.length} values`,
    );
  }

  #attributesByName(): Map<string, Attribute> {
    if (this.#attributes) return this.#attributes;
    this.#attributes = new Map();
    for (const { type, cursor } of this.messages) {
      if (type === messageType.attributeInfo) requireCompact(cursor);
      if (type !== messageType.attribute) continue;
      const attribute = readAttribute(cursor);
      this.#attributes.set(attribute.name, attribute);
    }
    return this.#attributes;
  }
}

export class Hdf5Dataset extends Hdf5Object {
  /** Returns the values. Errors: FormatError for values that aren't numbers, and for sizes that the file can't hold. */
  async tensor(): Promise<StoredTensor> {
    // For bfloat16 weights, which h5py has no type for, Keras stores the type in an attribute.
    const named = await this.attribute('dtype');
    const isBfloat16 = named !== null && named[0] === 'bfloat16';
    return readDataset(this.file.storage, this.messages, this.place, isBfloat16);
  }
}

export class Hdf5Group extends Hdf5Object {
  constructor(
    file: OpenFile,
    path: string,
    messages: readonly Message[],
    readonly links: ReadonlyMap<string, Link>,
  ) {
    super(file, path, messages);
  }

  /** Returns the object called `name`; null if there is none. Errors: FormatError for links that point elsewhere. */
  async child(name: string): Promise<Hdf5Group | Hdf5Dataset | null> {
    const link = this.links.get(name);
    if (!link) return null;
    const path = `${this.path === '/' ? '' : this.path}/${name}`;
    if (link.kind === 'hard') return openObject(this.file, link.address, path);
    throw this.file.storage.invalid(
      `'${path}'`,
      'the objects of a file are in it.',
      link.kind === 'soft' ? 'a soft link' : 'a link to another file, which is not followed',
      'copy the object itself into the file.',
    );
  }

  /** Returns the group called `name`; null if there is none. Errors: FormatError if it is a dataset. */
  async group(name: string): Promise<Hdf5Group | null> {
    const found = await this.child(name);
    if (found === null || found instanceof Hdf5Group) return found;
    throw this.file.storage.invalid(found.place, 'it is a group.', 'a dataset');
  }

  /** Returns the dataset called `name`; null if there is none. Errors: FormatError if it is a group. */
  async dataset(name: string): Promise<Hdf5Dataset | null> {
    const found = await this.child(name);
    if (found === null || found instanceof Hdf5Dataset) return found;
    throw this.file.storage.invalid(found.place, 'it is a dataset.', 'a group');
  }

  /** Returns the group at `path`, whose parts are joined by slashes; null if there is none. */
  async descend(path: string): Promise<Hdf5Group | null> {
    let group: Hdf5Group | null = this;
    for (const part of path.split('/')) {
      if (part === '') continue;
      group = await group.group(part);
      if (!group) return null;
    }
    return group;
  }
}

/** Errors: FormatError for attributes in a fractal heap. */
function requireCompact(info: Cursor): void {
  info.version(0);
  const flags = info.u8();
  if (flags & 0x01) info.skip(2);
  if (info.address() === undefinedAddress) return;
  throw info.invalid(
    'the attributes of an object are in its header.',
    'attributes in the dense form',
    "write the file again without libver='latest' (h5py), or by h5repack --low=0 --high=0.",
  );
}

/** Limit of the values of an attribute; the longest are names of weights and configurations. */
const maxValues = 1 << 20;

async function attributeValue(file: OpenFile, attribute: Attribute, place: string): Promise<AttributeValue> {
  const { datatype, shape, data } = attribute;
  const { storage, heap } = file;
  const count = shape === null ? 0 : sizeOf(shape);
  if (count > maxValues || count * datatype.bytes > data.length) {
    throw storage.invalid(
      place,
      'an attribute has all its values.',
      `${data.length} bytes for ${count} values`,
    );
  }
  const bytes = data.subarray(0, count * datatype.bytes);
  const invalid = (rule: string, received: string) => storage.invalid(place, rule, received);
  if (datatype.kind === 'number') {
    const tooLarge = ({ value }: { value: bigint }) => invalid('integers fit into 32 bits.', String(value));
    return [...toHostArray(datatype.type, bytes, datatype.littleEndian, tooLarge)];
  }
  if (datatype.kind === 'other') throw invalid('an attribute is text or numbers.', `type '${datatype.name}'`);
  const elements = Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * datatype.bytes, (i + 1) * datatype.bytes),
  );
  if (datatype.kind === 'text') return elements.map((element) => decodeText(element, invalid));
  if (datatype.bytes < heap.referenceBytes)
    throw invalid('a string refers to the global heap.', `${datatype.bytes} bytes`);
  const texts: string[] = [];
  for (const element of elements) {
    const object = await heap.object(new Cursor(element, storage.context, place, storage.sizes));
    storage.spend(object.length, place);
    texts.push(decodeText(object, invalid));
  }
  return texts;
}
