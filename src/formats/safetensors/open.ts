/** @file Opens a safetensors file that is read by ranges: the header immediately, values on demand. */
import type { ByteSource } from '../byteSource.ts';
import type { FileContext } from '../formatErrors.ts';
import type { StoredTensor } from '../storedTensor.ts';
import { findData, lengthBytes, parseHeader } from './header.ts';
import { storedTensor } from './values.ts';

export interface OpenedSafetensors {
  /** In the order of the header. */
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: ReadonlyMap<string, string>;
}

/** Errors: FormatError for an invalid file. */
export async function openSafetensors(source: ByteSource): Promise<OpenedSafetensors> {
  const context: FileContext = { file: source.name, format: 'safetensors' };
  const { size } = source;
  const dataStart = findData(await source.read(0, Math.min(size, lengthBytes)), size, context);
  const { entries, metadata } = parseHeader(await source.read(lengthBytes, dataStart), size, context);
  return {
    tensors: new Map(entries.map((entry) => [entry.name, storedTensor(source, entry, context)])),
    metadata,
  };
}
