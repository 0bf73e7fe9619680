/**
 * @file Writes HDF5 files that h5py and Keras read: superblock 0, symbol tables, contiguous values, strings in the global
 * heap. Everything but the values is laid out in memory; the values follow in the order of the tree, a piece at a time.
 */
import { Pacer } from '../../core/pacer.ts';
import { inTurns, type Pieces } from '../../core/pieces.ts';
import { sizeOf } from '../../core/shape.ts';
import { ByteWriter } from './byteWriter.ts';
import {
  bytesOf,
  contiguousLayout,
  dataspace,
  datatype,
  defaultFill,
  type HeapText,
  layoutAddress,
  type Message,
  messageHeaderBytes,
  objectHeader,
  symbolTable,
  textAttribute,
  type WrittenType,
} from './encode.ts';
import { messageType } from './messages.ts';
import { hdf5Signature } from '../signatures.ts';

export interface NewDataset {
  readonly type: WrittenType;
  readonly shape: readonly number[];
  /** Attributes, all strings. Default none. */
  readonly attributes?: ReadonlyMap<string, string>;
  /** The values as they are stored, little-endian, in order. */
  pieces(): Iterable<Uint8Array<ArrayBuffer>> | AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export interface NewGroup {
  /** Attributes, all strings. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: ReadonlyMap<string, NewGroup | NewDataset>;
}

/** Entries of a symbol node, and children of a node of a B-tree: twice what the superblock states. */
const nodeEntries = 8;
const treeEntries = 32;
const superblockBytes = 96;

/** Yields the bytes of a file with `root` as its root group. `pacer` lets other tasks run while it is laid out. */
export async function* writeHdf5(
  root: NewGroup,
  pacer = new Pacer(),
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const layout = await inTurns(FileLayout.of(root), pacer);
  yield layout.metadata;
  for (const dataset of layout.datasets) {
    let bytes = 0;
    for await (const piece of dataset.pieces()) {
      bytes += piece.length;
      yield piece;
    }
    const padding = paddingOf(bytes);
    if (padding > 0) yield new Uint8Array(padding);
  }
}

/** The layout of a file: the positions of its parts. */
class FileLayout {
  /** In the order of their values. */
  readonly datasets: NewDataset[] = [];
  readonly #writer = new ByteWriter();
  /** Positions of addresses that are filled in later, and the position of their values among all values. */
  readonly #fixups: { at: number; position: number }[] = [];
  readonly #texts = new Map<string, HeapText>();
  #valueBytes = 0;

  private constructor() {}

  static *of(root: NewGroup): Pieces<FileLayout> {
    const layout = new FileLayout();
    const writer = layout.#writer.zeros(superblockBytes);
    writeGlobalHeap(writer, [...textsOf(root)], layout.#texts);
    yield;
    const { header, tree, heap } = yield* layout.#group(root);
    writer.align8();
    const end = writer.length;
    for (const { at, position } of layout.#fixups) writer.patch64(at, end + position);
    writer.bytes.set(superblock(end + layout.#valueBytes, header, tree, heap));
    return layout;
  }

  get metadata(): Uint8Array<ArrayBuffer> {
    return this.#writer.bytes;
  }

  *#group({ attributes, children }: NewGroup): Pieces<{ header: number; tree: number; heap: number }> {
    const writer = this.#writer;
    // Names are compared byte by byte.
    const inOrder = [...children].sort(([a], [b]) => compareBytes(a, b));
    const headers: { header: number; tree?: number; heap?: number }[] = [];
    for (const [, child] of inOrder) {
      headers.push('children' in child ? yield* this.#group(child) : this.#dataset(child));
      yield;
    }
    const { heap, offsets } = writeLocalHeap(
      writer,
      inOrder.map(([name]) => name),
    );
    const entries = headers.map((child, i) => ({ name: offsets[i] as number, ...child }));
    const tree = writeTree(writer, entries);
    const messages = [{ type: messageType.symbolTable, data: symbolTable(tree, heap) }];
    const header = writer.align8().length;
    writer.append(objectHeader([...messages, ...this.#attributes(attributes)]));
    return { header, tree, heap };
  }

  #attributes(attributes: ReadonlyMap<string, string>): Message[] {
    return [...attributes].map(([name, text]) => ({
      type: messageType.attribute,
      data: textAttribute(name, this.#texts.get(text) as HeapText),
    }));
  }

  #dataset(dataset: NewDataset): { header: number } {
    const { type, shape, attributes = new Map() } = dataset;
    const bytes = sizeOf(shape) * bytesOf(type);
    const before = [
      { type: messageType.dataspace, data: dataspace(shape) },
      { type: messageType.datatype, data: datatype(type) },
      { type: messageType.fillValue, data: defaultFill },
    ];
    const header = this.#writer.align8().length;
    const at = header + objectHeader(before).length + messageHeaderBytes + layoutAddress;
    const layout = { type: messageType.layout, data: contiguousLayout(bytes) };
    this.#writer.append(objectHeader([...before, layout, ...this.#attributes(attributes)]));
    this.#fixups.push({ at, position: this.#valueBytes });
    this.#valueBytes += bytes + paddingOf(bytes);
    this.datasets.push(dataset);
    return { header };
  }
}

function superblock(end: number, header: number, tree: number, heap: number): Uint8Array {
  const writer = new ByteWriter().u8(...hdf5Signature).u8(0, 0, 0, 0, 0, 8, 8, 0);
  writer
    .u16(nodeEntries / 2)
    .u16(treeEntries / 2)
    .u32(0);
  writer.u64(0).undefinedAddress().u64(end).undefinedAddress();
  return writer.u64(0).u64(header).u32(1).u32(0).u64(tree).u64(heap).bytes;
}

/** Strings of all attributes, each once. */
function textsOf(part: NewGroup | NewDataset, found = new Set<string>()): Set<string> {
  for (const text of part.attributes?.values() ?? []) found.add(text);
  if ('children' in part) for (const child of part.children.values()) textsOf(child, found);
  return found;
}

/** Limits of the objects in a collection of the global heap: their bytes and their number. */
const collectionBytes = 1 << 16;
const collectionObjects = 1 << 12;
const minCollection = 4096;

function writeGlobalHeap(writer: ByteWriter, texts: readonly string[], written: Map<string, HeapText>): void {
  let open: { text: string; bytes: Uint8Array }[] = [];
  let size = 0;
  const close = () => {
    if (open.length === 0) return;
    const address = writer.align8().length;
    open.forEach(({ text, bytes }, i) => {
      written.set(text, { bytes: bytes.length, address, index: i + 1 });
    });
    writeCollection(
      writer,
      open.map(({ bytes }) => bytes),
    );
    [open, size] = [[], 0];
  };
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text);
    if (size + bytes.length > collectionBytes || open.length === collectionObjects) close();
    open.push({ text, bytes });
    size += bytes.length;
  }
  close();
}

function writeCollection(writer: ByteWriter, objects: readonly Uint8Array[]): void {
  const used = objects.reduce((sum, { length }) => sum + 16 + length + paddingOf(length), 16);
  const size = Math.max(minCollection, used + 16);
  writer.ascii('GCOL').u8(1, 0, 0, 0).u64(size);
  objects.forEach((bytes, i) => {
    writer
      .u16(i + 1)
      .u16(1)
      .u32(0)
      .u64(bytes.length)
      .append(bytes)
      .align8();
  });
  // Object 0 is the free space.
  const free = size - used;
  writer
    .u16(0)
    .u16(0)
    .u32(0)
    .u64(free)
    .zeros(free - 16);
}

/** No free block in a local heap. */
const noFreeBlock = 1;

function writeLocalHeap(writer: ByteWriter, names: readonly string[]): { heap: number; offsets: number[] } {
  // The empty name comes first: it is smaller than every other.
  const data = new ByteWriter().zeros(8);
  const offsets = names.map((name) => {
    const offset = data.length;
    data.ascii(name).u8(0).align8();
    return offset;
  });
  const heap = writer.align8().length;
  writer.ascii('HEAP').u8(0, 0, 0, 0).u64(data.length).u64(noFreeBlock);
  writer.u64(heap + 32).append(data.bytes);
  return { heap, offsets };
}

interface Entry {
  readonly name: number;
  readonly header: number;
  /** The B-tree of a group. */
  readonly tree?: number;
  readonly heap?: number;
}

/** A node of a B-tree, and the offset of the last name below it. */
interface Node {
  readonly address: number;
  readonly last: number;
}

function writeTree(writer: ByteWriter, entries: readonly Entry[]): number {
  let nodes: Node[] = parts(entries, nodeEntries).map((part) => writeSymbolNode(writer, part));
  if (nodes.length === 0) return writeTreeNode(writer, 0, [], 0).address;
  for (let level = 0; ; level++) {
    let before = 0;
    nodes = parts(nodes, treeEntries).map((part) => {
      const node = writeTreeNode(writer, level, part, before);
      before = node.last;
      return node;
    });
    const [only] = nodes;
    if (only && nodes.length === 1) return only.address;
  }
}

function writeSymbolNode(writer: ByteWriter, entries: readonly Entry[]): Node {
  const address = writer.align8().length;
  writer.ascii('SNOD').u8(1, 0).u16(entries.length);
  for (const { name, header, tree, heap } of entries) {
    writer.u64(name).u64(header);
    // Groups are cached with their tree and their heap.
    if (tree !== undefined && heap !== undefined) writer.u32(1).u32(0).u64(tree).u64(heap);
    else writer.zeros(24);
  }
  writer.zeros((nodeEntries - entries.length) * 40);
  return { address, last: entries.at(-1)?.name ?? 0 };
}

/** `before` is the offset of the last name before the node. */
function writeTreeNode(writer: ByteWriter, level: number, children: readonly Node[], before: number): Node {
  const address = writer.align8().length;
  writer.ascii('TREE').u8(0, level).u16(children.length).undefinedAddress().undefinedAddress();
  writer.u64(before);
  for (const child of children) writer.u64(child.address).u64(child.last);
  writer.zeros((treeEntries - children.length) * 16);
  return { address, last: children.at(-1)?.last ?? 0 };
}

function parts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

function compareBytes(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  for (let i = 0; i < Math.min(x.length, y.length); i++)
    if (x[i] !== y[i]) return (x[i] as number) - (y[i] as number);
  return x.length - y.length;
}

function paddingOf(bytes: number): number {
  return (8 - (bytes % 8)) % 8;
}
