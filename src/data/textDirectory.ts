/** @file textDatasetFromDirectory: the texts of a directory, as in keras.utils. */
import { checkOptions, type OptionNames } from '../core/options.ts';
import { requireInteger } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { DirectorySource } from '../storage/directories.ts';
import {
  bytesOf,
  type DirectoryDataset,
  directoryDataset,
  type DirectoryOptions,
  directoryOptionNames,
} from './labelledFiles.ts';

/** Options of `textDatasetFromDirectory`. */
export interface TextDirectoryOptions extends DirectoryOptions {
  /** The largest number of bytes of a text, in UTF-8; longer ones are cut off. Default null: no limit. */
  maxLength?: number | null;
}

const optionNames: OptionNames<TextDirectoryOptions> = { ...directoryOptionNames, maxLength: false };

const op = 'textDatasetFromDirectory';

/**
 * The texts of a directory, in batches [texts, labels]: lists of strings, and the labels as `labelMode` says; texts alone without labels.
 * It reads the files that end with .txt, those of each class in a directory with its name. Resolves to a dataset with `classNames` and
 * `filePaths`; to two of them for `subset: 'both'`.
 *
 *     const reviews = await textDatasetFromDirectory(input.files, { batchSize: 16 });
 *
 * Errors: ValueError for options, and for a directory without such files; FormatError for one that can't be read.
 */
export function textDatasetFromDirectory(
  directory: DirectorySource,
  options: TextDirectoryOptions & { subset: 'both' },
): Promise<[training: DirectoryDataset<LabelledTexts>, validation: DirectoryDataset<LabelledTexts>]>;
export function textDatasetFromDirectory(
  directory: DirectorySource,
  options: TextDirectoryOptions & ({ labels: null } | { labelMode: null }),
): Promise<DirectoryDataset<string[]>>;
export function textDatasetFromDirectory(
  directory: DirectorySource,
  options?: TextDirectoryOptions,
): Promise<DirectoryDataset<LabelledTexts>>;
export async function textDatasetFromDirectory(
  directory: DirectorySource,
  options: TextDirectoryOptions = {},
): Promise<unknown> {
  checkOptions(op, options, optionNames);
  const { maxLength = null } = options;
  if (maxLength !== null) requireInteger(op, 'maxLength', maxLength, 0);
  return directoryDataset(op, directory, options, {
    formats: ['.txt'],
    read: async (source) =>
      new TextDecoder().decode(await bytesOf(source, maxLength ?? undefined), { stream: true }),
    finish: (text) => text,
  });
}

type LabelledTexts = readonly [x: string[], y: Tensor];
