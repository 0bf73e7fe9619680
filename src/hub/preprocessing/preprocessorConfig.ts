/** @file Reads `preprocessor_config.json`: how a pretrained network takes pictures, or sounds. */
import { checkSignal } from '../../core/abortSignal.ts';
import { checkOptions } from '../../core/options.ts';
import { ConfigReader } from '../checkpoints/configReader.ts';
import { openFolder, type PretrainedSource } from '../checkpoints/folder.ts';
import { readFile } from '../checkpoints/readFile.ts';

/** Options of the loading of a file. */
export interface LoadOptions {
  /** Aborts the loading of the file. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns what `read` makes of the file. Errors: FormatError for a file that is missing, or with fields that `read` doesn't know. */
export async function readPreprocessor<T>(
  op: string,
  source: PretrainedSource,
  options: LoadOptions,
  read: (config: ConfigReader) => T,
): Promise<T> {
  checkOptions(op, options, ['signal']);
  const { signal } = options;
  checkSignal(op, signal);
  const file = 'preprocessor_config.json';
  const config = new ConfigReader(await readFile(await openFolder(source, { signal }), file), file);
  const made = read(config);
  config.finish();
  return made;
}
