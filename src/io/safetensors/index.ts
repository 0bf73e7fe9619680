/** @file Safetensors: tensors by name in one file, read and written. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { FileContext } from '../fault.ts';
import type { HostTensor } from '../hostTensor.ts';
import { readHeader } from './header.ts';
import { readValues } from './values.ts';

/** Bytes of a file. */
export type FileBytes = ArrayBuffer | Uint8Array;

export interface ReadOptions {
  /** The file's name, for errors and histories. */
  file?: string | undefined;
}

export interface SafetensorsContents {
  /** In the order of the header. */
  readonly tensors: ReadonlyMap<string, HostTensor>;
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * The tensors of a safetensors file, on the host. Small floats widen to float32, doubles round to it, 64-bit integers
 * must fit into 32 bits. Errors: FormatError for a file that isn't sound, before anything is allocated on its word.
 */
export function readSafetensors(file: FileBytes, options: ReadOptions = {}): SafetensorsContents {
  const context: FileContext = { file: options.file ?? 'file', format: 'safetensors' };
  const bytes = bytesOf('readSafetensors', file);
  const { entries, metadata } = readHeader(bytes, context);
  const tensors = new Map(entries.map((entry) => [entry.name, readValues(bytes, entry, context)]));
  return { tensors, metadata };
}

const storedTypes = { float32: 'F32', int32: 'I32', uint32: 'U32', bool: 'BOOL' } as const;

/**
 * A safetensors file of `tensors`, in their order, 4-byte types before bools so that all are aligned. The same tensors
 * give the same bytes. Errors: ValueError for a name that the format keeps for itself.
 */
export function writeSafetensors(
  tensors: ReadonlyMap<string, HostTensor>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const inOrder = [...tensors].sort(
    ([, a], [, b]) => Number(a.dtype === 'bool') - Number(b.dtype === 'bool'),
  );
  const header: [string, unknown][] = Object.keys(metadata).length > 0 ? [['__metadata__', metadata]] : [];
  let end = 0;
  for (const [name, { shape, dtype, data }] of inOrder) {
    if (name === '__metadata__') throw reserved(name);
    const begin = end;
    end += dtype === 'bool' ? data.length : data.byteLength;
    header.push([name, { dtype: storedTypes[dtype], shape, data_offsets: [begin, end] }]);
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
    if (dtype === 'bool') bytes.set(Uint8Array.from(data), at);
    else for (let i = 0; i < data.length; i++) writers[dtype](view, at + i * 4, data[i] as number);
    at += dtype === 'bool' ? data.length : data.byteLength;
  }
  return bytes;
}

/** Little-endian, whatever the machine is. */
const writers = {
  float32: (view: DataView, at: number, value: number) => view.setFloat32(at, value, true),
  int32: (view: DataView, at: number, value: number) => view.setInt32(at, value, true),
  uint32: (view: DataView, at: number, value: number) => view.setUint32(at, value, true),
};

/** What was given as a file, as bytes. Errors: ValueError. */
export function bytesOf(op: string, file: unknown): Uint8Array {
  if (file instanceof ArrayBuffer) return new Uint8Array(file);
  if (ArrayBuffer.isView(file)) return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  throw new ValueError({
    op,
    rule: 'a file is given as its bytes: an ArrayBuffer or a Uint8Array.',
    received: describe(file),
    mend: 'fetch or read it first: await (await fetch(url)).arrayBuffer(), or await readFile(path).',
  });
}

function reserved(name: string): ValueError {
  return new ValueError({
    op: 'writeSafetensors',
    rule: "the format keeps the name '__metadata__' for itself.",
    received: `a tensor named '${name}'`,
    mend: 'give the tensor another name.',
  });
}
