/** @file The `.keras` archive of Keras 3: a configuration, weights and metadata in a zip file. */
import type { ByteSource } from '../byteSource.ts';
import { fault } from '../formatErrors.ts';
import type { ZipArchive } from '../zip/index.ts';

export const configName = 'config.json';
export const metadataName = 'metadata.json';
export const weightsName = 'model.weights.h5';

/** Far larger than configurations and vocabularies in practice. */
const maxTextBytes = 64 << 20;

export interface KerasArchive {
  /** The text of config.json. */
  readonly config: string;
  /** An HDF5 file. */
  readonly weights: ByteSource;
}

/** Errors: FormatError for an archive that is damaged, or lacks a part. */
export async function openKerasArchive(archive: ZipArchive): Promise<KerasArchive> {
  const config = await readText(archive, configName);
  if (config === null) throw missing(archive);
  return { config, weights: await openArchiveWeights(archive) };
}

/** Returns the text of an entry; null where there is none. Errors: FormatError for one that is too long, or no UTF-8. */
export async function readText(archive: ZipArchive, name: string): Promise<string | null> {
  const { context } = archive;
  const invalid = (rule: string, received: string) =>
    fault(context, { place: `entry '${name}'`, rule, received });
  const size = archive.size(name);
  if (size !== null && size > maxTextBytes)
    throw invalid(`a text has at most ${maxTextBytes} bytes.`, `${size} bytes`);
  const entry = await archive.entry(name);
  const bytes = await entry?.read(0, entry.size);
  try {
    return bytes ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : null;
  } catch {
    throw invalid('a text is UTF-8.', 'other bytes');
  }
}

/** Returns the weights of an archive, without its configuration. Errors: FormatError. */
export async function openArchiveWeights(archive: ZipArchive): Promise<ByteSource> {
  const entry = await archive.entry(weightsName);
  if (entry) return entry;
  throw missing(archive);
}

function missing({ context, names }: ZipArchive): Error {
  return fault(context, {
    place: 'the directory',
    rule: `a .keras file has ${configName} and ${weightsName}.`,
    received: names.length > 0 ? `only ${names.slice(0, 5).join(', ')}` : 'no entries',
    hint: adviceOn(names),
  });
}

/** Returns what to do with an archive of something else. */
function adviceOn(names: readonly string[]): string {
  const has = (end: string) => names.find((name) => name.endsWith(end));
  if (has('.npy'))
    return 'these are arrays of NumPy: save weights with model.save_weights("model.weights.h5").';
  if (has('saved_model.pb'))
    return 'this is a SavedModel of TensorFlow: open it in Keras, and save it with model.save("model.keras").';
  const inside = ['.keras', '.h5', '.safetensors', '.pth', '.pt'].map(has).find((name) => name !== undefined);
  if (inside !== undefined && inside !== weightsName) return `unpack the archive, and pass '${inside}'.`;
  if (names.some((name) => name.endsWith(`/${configName}`)))
    return 'the archive has the files of a model in a folder: pack the files themselves, without the folder.';
  return 'save the model again: model.save() of Keras 3, or of this library.';
}
