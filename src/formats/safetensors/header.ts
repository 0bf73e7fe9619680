/**
 * @file The header of an untrusted safetensors file: sizes are checked against the file before anything is
 * allocated, and every byte of the data belongs to exactly one tensor. Format: https://huggingface.co/docs/safetensors.
 */
import { describe, maxRank } from '../../core/shape.ts';
import { fault, type FileContext } from '../formatErrors.ts';

/** Bits of one element. */
const elementBits = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  U16: 16,
  I16: 16,
  F16: 16,
  BF16: 16,
  U32: 32,
  I32: 32,
  F32: 32,
  U64: 64,
  I64: 64,
  F64: 64,
} as const;

export type StoredType = keyof typeof elementBits;

/** One tensor of the file, and the position of its bytes. */
export interface Entry {
  readonly name: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  /** Position in the file. */
  readonly begin: number;
  readonly end: number;
}

export interface Header {
  readonly entries: readonly Entry[];
  readonly metadata: ReadonlyMap<string, string>;
}

/** The format's limit of a header. */
const maxHeaderBytes = 100_000_000;

/** Bytes of the header's length at the start of a file. */
export const lengthBytes = 8;

/** Returns the header of a file in memory. */
export function readHeader(bytes: Uint8Array, context: FileContext): Header {
  const { byteLength } = bytes;
  const dataStart = findData(bytes.subarray(0, lengthBytes), byteLength, context);
  return parseHeader(bytes.subarray(lengthBytes, dataStart), byteLength, context);
}

/** Returns the header in `bytes`, of a file of `fileBytes` bytes. */
export function parseHeader(bytes: Uint8Array, fileBytes: number, context: FileContext): Header {
  const dataStart = lengthBytes + bytes.byteLength;
  const parsed = parse(textOf(bytes, context), context);
  const entries: Entry[] = [];
  let metadata = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '__metadata__') metadata = readMetadata(value, context);
    else entries.push(readEntry(name, value, dataStart, fileBytes, context));
  }
  requireCover(entries, dataStart, fileBytes, context);
  return { entries, metadata };
}

/** Returns the start of the data, from the first eight bytes of a file of `fileBytes` bytes. */
export function findData(bytes: Uint8Array, fileBytes: number, context: FileContext): number {
  const place = 'byte 0, the length of the header';
  if (bytes.byteLength < lengthBytes) {
    throw fault(context, {
      place,
      rule: 'a file starts with the length of its header, in eight bytes.',
      received: `${fileBytes} bytes in all`,
    });
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getBigUint64(0, true);
  const rest = fileBytes - lengthBytes;
  if (length > BigInt(Math.min(maxHeaderBytes, rest))) {
    throw fault(context, {
      place,
      rule: `the header ends within the file, and has at most ${maxHeaderBytes} bytes.`,
      received: `a header of ${length} bytes, in a file that goes on for ${rest}`,
    });
  }
  return lengthBytes + Number(length);
}

function textOf(bytes: Uint8Array, context: FileContext): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw fault(context, {
      place: 'the header',
      rule: 'the header is UTF-8.',
      received: 'other bytes',
      cause,
    });
  }
}

function parse(text: string, context: FileContext): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw fault(context, {
      place: 'the header',
      rule: 'the header is JSON.',
      received: String(cause),
      cause,
    });
  }
  if (!isRecord(parsed)) {
    throw fault(context, {
      place: 'the header',
      rule: 'the header is an object: tensors by name.',
      received: describe(parsed),
    });
  }
  const twice = duplicateKey(text);
  if (twice === null) return parsed;
  throw fault(context, {
    place: 'the header',
    rule: 'every name must be unique: readers disagree about which duplicate to use.',
    received: `'${twice}', twice`,
  });
}

function readMetadata(value: unknown, context: FileContext): Map<string, string> {
  if (isRecord(value) && Object.values(value).every((text) => typeof text === 'string'))
    return new Map(Object.entries(value) as [string, string][]);
  throw fault(context, {
    place: '__metadata__',
    rule: 'metadata are strings by name.',
    received: describe(value),
  });
}

function readEntry(
  name: string,
  value: unknown,
  dataStart: number,
  fileBytes: number,
  context: FileContext,
): Entry {
  const place = `tensor '${name}'`;
  const invalid = (rule: string, received: unknown) =>
    fault(context, { place, rule, received: describe(received) });
  if (!isRecord(value)) throw invalid('a tensor is an object of dtype, shape and data_offsets.', value);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string' || !Object.hasOwn(elementBits, dtype))
    throw invalid(`a dtype is one of ${Object.keys(elementBits).join(', ')}.`, dtype);
  if (!Array.isArray(shape) || !shape.every(isSize))
    throw invalid('a shape is a list of sizes of at least 0.', shape);
  if (shape.length > maxRank) throw invalid(`a shape has at most ${maxRank} axes.`, shape);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize))
    throw invalid('data_offsets are two integers of at least 0.', offsets);
  const [from, to] = offsets as [number, number];
  const dataBytes = fileBytes - dataStart;
  if (from > to || to > dataBytes)
    throw invalid(`data_offsets run forwards within the ${dataBytes} bytes of data.`, offsets);
  const needed = shape.reduce((bits, n) => bits * BigInt(n), BigInt(elementBits[dtype as StoredType])) / 8n;
  if (needed !== BigInt(to - from))
    throw invalid(`${dtype} of shape [${shape}] takes ${needed} bytes.`, { data_offsets: offsets });
  return { name, type: dtype as StoredType, shape, begin: dataStart + from, end: dataStart + to };
}

/** Tensors must cover the data without gaps or overlaps. */
function requireCover(
  entries: readonly Entry[],
  dataStart: number,
  fileBytes: number,
  context: FileContext,
): void {
  let reached = dataStart;
  let before = 'the header';
  const inOrder = [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end);
  for (const { name, begin, end } of inOrder) {
    if (begin !== reached) {
      throw fault(context, {
        place: `tensor '${name}'`,
        rule: 'tensors must be contiguous and must not overlap.',
        received: `byte ${begin} as its first, where ${before} ends at ${reached}`,
      });
    }
    reached = end;
    before = `'${name}'`;
  }
  if (reached === fileBytes) return;
  throw fault(context, {
    place: 'the end of the file',
    rule: 'every byte of the data belongs to a tensor.',
    received: `${fileBytes - reached} bytes after the last tensor`,
  });
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a key that some object in `text` has twice, which `JSON.parse` silently accepts; null if there is none. `text` must be JSON
 * that it accepts.
 */
function duplicateKey(text: string): string | null {
  /** Keys of the enclosing objects; null for lists. */
  const open: (Set<string> | null)[] = [];
  let mayBeKey = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      const end = endOfString(text, i);
      const keys = open.at(-1);
      if (keys && mayBeKey) {
        const key = JSON.parse(text.slice(i, end + 1)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      mayBeKey = false;
      i = end;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null);
      mayBeKey = true;
    } else if (char === '}' || char === ']') open.pop();
    else if (char === ',') mayBeKey = true;
  }
  return null;
}

/** Returns the index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
