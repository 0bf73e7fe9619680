/** @file Reads how a pretrained network takes pictures, or sounds: `preprocessor_config.json`, or a part of `processor_config.json`. */
import { checkSignal } from '../../core/abortSignal.ts';
import { checkOptions } from '../../core/options.ts';
import { isObject } from '../../keras/json/document.ts';
import { ConfigReader } from '../checkpoints/configReader.ts';
import { type Folder, openFolder, type PretrainedSource } from '../checkpoints/folder.ts';
import { onlyIfMissing, readFile, readIfThere } from '../checkpoints/readFile.ts';

/** Options of the loading of a file. */
export interface LoadOptions {
  /** Aborts the loading of the file. */
  readonly signal?: AbortSignal | undefined;
}

const own = 'preprocessor_config.json';
const shared = 'processor_config.json';

/**
 * Returns what `read` makes of the file, or of `part` in the file of a whole processor, which newer versions of transformers write.
 * Errors: FormatError for a file that is missing, or with fields that `read` doesn't know.
 */
export async function readPreprocessor<T>(
  op: string,
  source: PretrainedSource,
  options: LoadOptions,
  part: 'image_processor' | 'feature_extractor',
  read: (config: ConfigReader) => T,
): Promise<T> {
  checkOptions(op, options, ['signal']);
  const { signal } = options;
  checkSignal(op, signal);
  const folder = await openFolder(source, { signal });
  const config = await readFile(folder, own).then(
    (json) => new ConfigReader(json, own),
    (error) => partOfShared(folder, part, error),
  );
  const made = read(config);
  config.finish();
  return made;
}

/** The part of the shared file; without one, `error` says what is wrong with the own file. */
async function partOfShared(folder: Folder, part: string, error: unknown): Promise<ConfigReader> {
  const json = onlyIfMissing(error) ?? (await readIfThere(folder, shared));
  const fields = json?.[part];
  if (isObject(fields)) return new ConfigReader(fields, shared, [], `${part}.`);
  throw error;
}
