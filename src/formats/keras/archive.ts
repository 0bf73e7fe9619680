/** @file The `.keras` archive of Keras 3: a configuration, weights and metadata in a zip file. */
import type { ByteSource } from '../byteSource.ts';
import { fault } from '../formatErrors.ts';
import type { ZipArchive } from '../zip/index.ts';

export const configName = 'config.json';
export const metadataName = 'metadata.json';
export const weightsName = 'model.weights.h5';

/** Limit of the configuration: far larger than that of any model. */
const maxConfigBytes = 64 << 20;

export interface KerasArchive {
  /** The text of config.json. */
  readonly config: string;
  /** An HDF5 file. */
  readonly weights: ByteSource;
}

/** Errors: FormatError for an archive that is damaged, or lacks a part. */
export async function openKerasArchive(archive: ZipArchive): Promise<KerasArchive> {
  const config = await required(archive, configName);
  if (config.size > maxConfigBytes) {
    throw fault(archive.context, {
      place: `entry '${configName}'`,
      rule: `a configuration has at most ${maxConfigBytes} bytes.`,
      received: `${config.size} bytes`,
    });
  }
  return { config: await textOf(archive, config), weights: await required(archive, weightsName) };
}

/** The weights of an archive, without its configuration. Errors: FormatError. */
export async function openArchiveWeights(archive: ZipArchive): Promise<ByteSource> {
  return required(archive, weightsName);
}

async function required(archive: ZipArchive, name: string): Promise<ByteSource> {
  const entry = await archive.entry(name);
  if (entry) return entry;
  const { names } = archive;
  throw fault(archive.context, {
    place: 'the directory',
    rule: `a .keras file has ${configName} and ${weightsName}.`,
    received: names.length > 0 ? `only ${names.slice(0, 5).join(', ')}` : 'no entries',
    hint: 'save the model again: model.save() of Keras 3, or of this library.',
  });
}

async function textOf({ context }: ZipArchive, source: ByteSource): Promise<string> {
  const bytes = await source.read(0, source.size);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const place = `entry '${configName}'`;
    throw fault(context, { place, rule: 'a configuration is UTF-8.', received: 'other bytes' });
  }
}
