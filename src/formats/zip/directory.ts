/**
 * @file The central directory of an untrusted zip archive: every size is checked against the file, names are
 * unique and stay within the archive, and no two entries share bytes.
 * Format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT.
 */
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';

export interface ZipLimits {
  /** Largest number of entries in an archive. Default 10,000. */
  readonly entries: number;
  /** Bytes that one entry may inflate to. Default 4 GiB. */
  readonly entryBytes: number;
  /** How many times larger than its stored bytes an entry may be. Default 100. */
  readonly ratio: number;
}

export const zipLimits: ZipLimits = { entries: 10_000, entryBytes: 2 ** 32, ratio: 100 };

export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  /** Position of its local header. */
  readonly header: number;
  /** Number of bytes as stored, and when inflated. */
  readonly storedBytes: number;
  readonly bytes: number;
  readonly checksum: number;
}

const endBytes = 22;
const maxComment = 0xffff;
const locatorBytes = 20;
const end64Bytes = 56;
const entryBytes = 46;

/** Position and size of the directory. */
interface Directory {
  readonly count: number;
  readonly begin: number;
  readonly bytes: number;
}

/** Errors: FormatError for anything but a valid archive. */
export async function readDirectory(
  source: ByteSource,
  context: FileContext,
  limits: ZipLimits,
): Promise<ZipEntry[]> {
  const { count, begin, bytes } = await findDirectory(source, context);
  if (count > limits.entries) {
    throw fault(context, {
      place: 'the directory',
      rule: `an archive has at most ${limits.entries} entries.`,
      received: `${count} entries`,
      hint: 'pass `limits: { entries }` if the file is to be trusted.',
    });
  }
  const view = viewOf(await source.read(begin, begin + bytes));
  const entries: ZipEntry[] = [];
  const names = new Set<string>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    const { entry, next } = readEntry(view, at, begin, context);
    at = next;
    requireName(entry.name, names, context);
    requireSize(entry, limits, context);
    entries.push(entry);
  }
  requireApart(entries, begin, context);
  return entries;
}

async function findDirectory(source: ByteSource, context: FileContext): Promise<Directory> {
  const { size } = source;
  const tailBytes = Math.min(size, endBytes + maxComment);
  const tail = viewOf(await source.read(size - tailBytes, size));
  for (let at = tailBytes - endBytes; at >= 0; at--) {
    if (tail.getUint32(at, true) !== 0x06054b50) continue;
    if (tail.getUint16(at + 20, true) !== tailBytes - endBytes - at) continue;
    return readEnd(source, tail, at, size - tailBytes + at, context);
  }
  throw fault(context, {
    place: 'the end of the file',
    rule: 'an archive ends with its directory.',
    received: size === 0 ? 'an empty file' : 'no directory: the file is no zip archive, or is cut short',
  });
}

async function readEnd(
  source: ByteSource,
  tail: DataView,
  at: number,
  end: number,
  context: FileContext,
): Promise<Directory> {
  const invalid = (rule: string, received: string) =>
    fault(context, { place: 'the end of the directory', rule, received });
  const [disk, firstDisk] = [tail.getUint16(at + 4, true), tail.getUint16(at + 6, true)];
  const [here, count] = [tail.getUint16(at + 8, true), tail.getUint16(at + 10, true)];
  const [bytes, begin] = [tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)];
  const isLarge = count === 0xffff || bytes === 0xffffffff || begin === 0xffffffff;
  if (!isLarge && (disk !== 0 || firstDisk !== 0 || here !== count))
    throw invalid('an archive is one file.', `part ${disk} of an archive in parts`);
  const found = isLarge ? await readEnd64(source, end, invalid) : { count, begin, bytes };
  if (found.begin + found.bytes > end || found.bytes < found.count * entryBytes) {
    const { begin, bytes, count } = found;
    throw invalid(
      'the directory is in the file.',
      `${bytes} bytes at ${begin} for ${count} entries, before ${end}`,
    );
  }
  return found;
}

/** Archives beyond 4 GiB have a second, larger record of the end. */
async function readEnd64(
  source: ByteSource,
  end: number,
  invalid: (rule: string, received: string) => Error,
): Promise<Directory> {
  const rule = 'a large archive has a large record of its end.';
  if (end < locatorBytes) throw invalid(rule, 'no room for one');
  const locator = viewOf(await source.read(end - locatorBytes, end));
  const at = locator.getUint32(0, true) === 0x07064b50 ? Number(locator.getBigUint64(8, true)) : -1;
  if (at < 0 || at + end64Bytes > end) throw invalid(rule, 'none');
  const record = viewOf(await source.read(at, at + end64Bytes));
  if (record.getUint32(0, true) !== 0x06064b50) throw invalid(rule, 'other bytes');
  const [count, bytes, begin] = [32, 40, 48].map((field) => Number(record.getBigUint64(field, true)));
  return { count: count as number, bytes: bytes as number, begin: begin as number };
}

function readEntry(
  view: DataView,
  at: number,
  begin: number,
  context: FileContext,
): { entry: ZipEntry; next: number } {
  const place = `the directory, byte ${begin + at}`;
  const invalid = (rule: string, received: string) => fault(context, { place, rule, received });
  const left = view.byteLength - at;
  if (left < entryBytes || view.getUint32(at, true) !== 0x02014b50)
    throw invalid('the directory has a record for each entry.', 'other bytes');
  const u16 = (offset: number) => view.getUint16(at + offset, true);
  const u32 = (offset: number) => view.getUint32(at + offset, true);
  const [nameBytes, extraBytes, commentBytes] = [u16(28), u16(30), u16(32)];
  const next = at + entryBytes + nameBytes + extraBytes + commentBytes;
  if (next > view.byteLength) throw invalid('records end within the directory.', `${left} bytes left`);
  const bytesAt = (offset: number, count: number) =>
    new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + offset, count);
  const name = nameOf(bytesAt(at + entryBytes, nameBytes), invalid);
  const extra = viewOf(bytesAt(at + entryBytes + nameBytes, extraBytes));
  const large = largeFields(extra, [u32(24), u32(20), u32(42)], invalid);
  const [bytes, storedBytes, header] = large as [number, number, number];
  const [flags, method] = [u16(8), u16(10)];
  if (flags & 0x0041) throw invalid('entries are not encrypted.', `'${name}', which is`);
  if (method !== 0 && method !== 8)
    throw invalid('entries are stored or deflated.', `'${name}' by method ${method}`);
  const entry = { name, isDeflated: method === 8, header, storedBytes, bytes, checksum: u32(16) };
  return { entry, next };
}

/** Returns the sizes and the position, taken from the extra field if they don't fit into 32 bits. */
function largeFields(
  extra: DataView,
  fields: readonly number[],
  invalid: (rule: string, received: string) => Error,
): number[] {
  if (!fields.includes(0xffffffff)) return [...fields];
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== 0x0001) continue;
    let field = at + 4;
    const end = Math.min(extra.byteLength, field + extra.getUint16(at + 2, true));
    return fields.map((value) => {
      if (value !== 0xffffffff) return value;
      if (field + 8 > end) throw invalid('a large entry has its sizes in its record.', 'too few of them');
      field += 8;
      return Number(extra.getBigUint64(field - 8, true));
    });
  }
  throw invalid('a large entry has its sizes in its record.', 'none');
}

function nameOf(bytes: Uint8Array, invalid: (rule: string, received: string) => Error): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid('names are UTF-8.', 'other bytes');
  }
}

/** Errors: FormatError for names that lead out of the archive, and duplicate ones. */
function requireName(name: string, names: Set<string>, context: FileContext): void {
  const invalid = (rule: string, received: string) =>
    fault(context, { place: `entry '${name}'`, rule, received });
  const parts = name.split('/');
  const climbs = parts.includes('..') || name.startsWith('/') || /[\\\0]|^[A-Za-z]:/.test(name);
  if (name === '' || climbs) throw invalid('names of entries are paths within the archive.', `'${name}'`);
  if (names.has(name))
    throw invalid('every name is unique: readers disagree about which entry counts.', `'${name}', twice`);
  names.add(name);
}

function requireSize(
  { name, isDeflated, bytes, storedBytes }: ZipEntry,
  limits: ZipLimits,
  context: FileContext,
): void {
  const place = `entry '${name}'`;
  if (!isDeflated) {
    if (bytes === storedBytes) return;
    const received = `${storedBytes} bytes for ${bytes}`;
    throw fault(context, { place, rule: 'an entry that is stored has all its bytes.', received });
  }
  const ratio = Math.max(1 << 16, storedBytes * limits.ratio);
  if (bytes <= Math.min(limits.entryBytes, ratio)) return;
  throw fault(context, {
    place,
    rule: `an entry inflates to at most ${limits.ratio} times its size, and ${limits.entryBytes} bytes.`,
    received: `${storedBytes} bytes that inflate to ${bytes}`,
    hint: 'pass `limits: { ratio, entryBytes }` if the file is to be trusted.',
  });
}

/** Errors: FormatError unless entries follow each other, before the directory. */
function requireApart(entries: readonly ZipEntry[], directory: number, context: FileContext): void {
  const inOrder = [...entries].sort((a, b) => a.header - b.header);
  inOrder.forEach(({ name, header, storedBytes }, i) => {
    const limit = inOrder[i + 1]?.header ?? directory;
    if (header + localHeaderBytes + storedBytes <= limit) return;
    throw fault(context, {
      place: `entry '${name}'`,
      rule: 'entries follow each other, before the directory.',
      received: `${storedBytes} bytes from ${header}, where something else starts at ${limit}`,
    });
  });
}

/** Bytes of a local header, without name and extra field. */
export const localHeaderBytes = 30;

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
