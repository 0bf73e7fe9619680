/** @file Safetensors: tensors by name in one file, read and written. */
import { type DType, isStoredDType } from '../../core/dtype.ts';
import { requireOptions } from '../../core/arguments.ts';
import { isDetached } from '../../core/detached.ts';
import { ValueError } from '../../core/errors.ts';
import { numberToFloat16 } from '../../core/float16.ts';
import { checkOptions } from '../../core/options.ts';
import { checkShape, describe, formatShape, sizeOf } from '../../core/shape.ts';
import type { FileContext } from '../formatErrors.ts';
import type { HostTensor } from '../hostTensor.ts';
import { readHeader, type StoredType } from './header.ts';
import { readValues } from './values.ts';

/** Bytes of a file. */
export type FileBytes = ArrayBuffer | Uint8Array;

/** Options of `readSafetensors`. */
export interface ReadOptions {
  /** The file's name, for errors and histories. */
  file?: string | undefined;
}

/** The result of `readSafetensors`: tensors by name, and the metadata. */
export interface SafetensorsContents {
  /** In the order of the header. */
  readonly tensors: ReadonlyMap<string, HostTensor>;
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * Returns the tensors of a safetensors file, on the host. Small floats are widened to float32, doubles are rounded to it, 64-bit
 * integers must fit into 32 bits. Errors: FormatError for an invalid file, before anything of a declared size is allocated.
 */
export function readSafetensors(file: FileBytes, options: ReadOptions = {}): SafetensorsContents {
  checkOptions('readSafetensors', options, ['file']);
  const context: FileContext = { file: options.file ?? 'file', format: 'safetensors' };
  const bytes = bytesOf('readSafetensors', file);
  const { entries, metadata } = readHeader(bytes, context);
  const tensors = new Map(entries.map((entry) => [entry.name, readValues(bytes, entry, context)]));
  return { tensors, metadata };
}

/** How each dtype is stored: its bytes per element, little-endian on every machine. */
const storing: Record<
  DType,
  { type: StoredType; bytes: number; write: (view: DataView, at: number, value: number) => void }
> = {
  float32: { type: 'F32', bytes: 4, write: (view, at, value) => view.setFloat32(at, value, true) },
  int32: { type: 'I32', bytes: 4, write: (view, at, value) => view.setInt32(at, value, true) },
  uint32: { type: 'U32', bytes: 4, write: (view, at, value) => view.setUint32(at, value, true) },
  float16: {
    type: 'F16',
    bytes: 2,
    write: (view, at, value) => view.setUint16(at, numberToFloat16(value), true),
  },
  bool: { type: 'BOOL', bytes: 1, write: (view, at, value) => view.setUint8(at, value) },
};

/**
 * Returns a safetensors file of `tensors`, in their order, larger types before smaller ones so that all are aligned. The same
 * tensors give the same bytes. Errors: ValueError for a name that the format reserves, and for anything but a tensor.
 */
export function writeSafetensors(
  tensors: ReadonlyMap<string, HostTensor>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  requireMap(tensors);
  requireMetadata(metadata);
  for (const [name, value] of tensors) requireHostTensor(name, value);
  const inOrder = [...tensors].sort(([, a], [, b]) => storing[b.dtype].bytes - storing[a.dtype].bytes);
  const header: [string, unknown][] = Object.keys(metadata).length > 0 ? [['__metadata__', metadata]] : [];
  let end = 0;
  for (const [name, { shape, dtype, data }] of inOrder) {
    const begin = end;
    end += data.length * storing[dtype].bytes;
    header.push([name, { dtype: storing[dtype].type, shape, data_offsets: [begin, end] }]);
  }
  // Spaces at its end align the data, as the format allows.
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(header)));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + headerBytes + end).fill(0x20, 8, 8 + headerBytes);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(headerBytes), true);
  bytes.set(text, 8);
  let at = 8 + headerBytes;
  for (const [, { dtype, data }] of inOrder) {
    const { bytes: size, write } = storing[dtype];
    for (let i = 0; i < data.length; i++) write(view, at + i * size, data[i] as number);
    at += data.length * size;
  }
  return bytes;
}

/** Returns the bytes of a file given as an argument. Errors: ValueError. */
function bytesOf(op: string, file: unknown): Uint8Array {
  const buffer = ArrayBuffer.isView(file) ? file.buffer : file;
  if (buffer instanceof ArrayBuffer && isDetached(buffer)) throw detached(op);
  if (file instanceof ArrayBuffer) return new Uint8Array(file);
  if (ArrayBuffer.isView(file)) return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  throw new ValueError({
    op,
    rule: 'a file is given as its bytes: an ArrayBuffer or a Uint8Array.',
    received: describe(file),
    hint: 'fetch or read it first: await (await fetch(url)).arrayBuffer(), or await readFile(path).',
  });
}

/** Throws unless the file can hold `value` under `name`. */
function requireHostTensor(name: string, value: unknown): void {
  if (name === '__metadata__') throw reserved(name);
  const { shape, dtype, data } = (value ?? {}) as Partial<HostTensor>;
  if (!isStoredDType(dtype)) throw noTensor(name, `dtype: ${describe(dtype)}`);
  checkShape('writeSafetensors', shape);
  const length = ArrayBuffer.isView(data) ? data.length : -1;
  if (length !== sizeOf(shape)) {
    const values = length < 0 ? describe(data) : `${length} values`;
    throw noTensor(name, `${values} for ${dtype}${formatShape(shape)}`);
  }
}

function requireMap(given: unknown): void {
  if (given instanceof Map) return;
  throw new ValueError({
    op: 'writeSafetensors',
    rule: 'tensors come by name, in a Map.',
    received: describe(given),
    hint: "pass new Map([['name', { shape, dtype, data }]]).",
  });
}

function requireMetadata(metadata: unknown): void {
  requireOptions('writeSafetensors', metadata);
  if (Object.values(metadata as object).every((value) => typeof value === 'string')) return;
  throw new ValueError({
    op: 'writeSafetensors',
    rule: 'metadata are strings by name.',
    received: describe(metadata),
    hint: 'write other values as JSON: { training: JSON.stringify(state) }.',
  });
}

function noTensor(name: string, received: string): ValueError {
  return new ValueError({
    op: 'writeSafetensors',
    rule: 'a tensor of a file is { shape, dtype, data }, with a typed array of as many values as the shape holds.',
    received: `'${name}': ${received}`,
    hint: 'pass the result of readSafetensors, or save tensors of the device by saveTensors.',
  });
}

function detached(op: string): ValueError {
  return new ValueError({
    op,
    rule: 'the bytes of a file must still have their memory.',
    received: 'an ArrayBuffer that was transferred',
    hint: 'read it before postMessage or transfer() takes the buffer away, or pass a copy.',
  });
}

function reserved(name: string): ValueError {
  return new ValueError({
    op: 'writeSafetensors',
    rule: "the format keeps the name '__metadata__' for itself.",
    received: `a tensor named '${name}'`,
    hint: 'give the tensor another name.',
  });
}
