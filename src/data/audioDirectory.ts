/** @file audioDatasetFromDirectory: the sounds of a directory, as in keras.utils. */
import { ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { describe, requireInteger } from '../core/shape.ts';
import { readWav } from '../formats/wav.ts';
import type { DirectorySource } from '../storage/directories.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { allocate } from './allocate.ts';
import {
  bytesOf,
  type DirectoryDataset,
  directoryDataset,
  type DirectoryOptions,
  directoryOptionNames,
} from './labelledFiles.ts';
import { withShape } from './rows.ts';

/** Options of `audioDatasetFromDirectory`. */
export interface AudioDirectoryOptions extends DirectoryOptions {
  /** The number of samples of each channel: longer sounds are cut off, shorter ones end with zeros. Default null: the longest of the batch. */
  outputSequenceLength?: number | null;
  /** The samples per second that all files have; another rate is an error. Default null: any. */
  samplingRate?: number | null;
  /** Must be false: there are no ragged tensors. */
  ragged?: false;
}

const optionNames: OptionNames<AudioDirectoryOptions> = {
  ...directoryOptionNames,
  outputSequenceLength: false,
  samplingRate: false,
  ragged: false,
};

const op = 'audioDatasetFromDirectory';

/**
 * The sounds of a directory, in batches [sounds, labels]: float32 [batch, samples, channels] from -1 to 1, shorter ones with zeros at the
 * end, and the labels as `labelMode` says; sounds alone without labels. It reads the files that end with .wav (PCM of 8 to 32 bits, and
 * floats of 32), those of each class in a directory with its name. Resolves to a dataset with `classNames` and `filePaths`; to two of them
 * for `subset: 'both'`.
 *
 *     const commands = await audioDatasetFromDirectory(input.files, { outputSequenceLength: 16000, batchSize: 64 });
 *
 * Errors: ValueError for options, and for a directory without such files; FormatError for one that can't be read; in a pass, FormatError for
 * a damaged file, ValueError for another `samplingRate`, and ShapeError for sounds of different channels in a batch.
 */
export function audioDatasetFromDirectory(
  directory: DirectorySource,
  options: AudioDirectoryOptions & { subset: 'both' },
): Promise<[training: DirectoryDataset<LabelledSounds>, validation: DirectoryDataset<LabelledSounds>]>;
export function audioDatasetFromDirectory(
  directory: DirectorySource,
  options: AudioDirectoryOptions & ({ labels: null } | { labelMode: null }),
): Promise<DirectoryDataset<Tensor>>;
export function audioDatasetFromDirectory(
  directory: DirectorySource,
  options?: AudioDirectoryOptions,
): Promise<DirectoryDataset<LabelledSounds>>;
export async function audioDatasetFromDirectory(
  directory: DirectorySource,
  options: AudioDirectoryOptions = {},
): Promise<unknown> {
  checkOptions(op, options, optionNames);
  const { outputSequenceLength: length = null, samplingRate = null, ragged = false } = options;
  if (length !== null) requireInteger(op, 'outputSequenceLength', length, 1);
  if (samplingRate !== null) requireInteger(op, 'samplingRate', samplingRate, 1);
  if (ragged !== false) {
    throw new ValueError({
      op,
      rule: '`ragged` is false: there are no ragged tensors.',
      received: `ragged: ${describe(ragged)}`,
      hint: 'leave it out for zeros at the end, or pass batchSize: null for single sounds.',
    });
  }
  return directoryDataset(op, directory, options, {
    formats: ['.wav'],
    isPadded: true,
    read: async (source, path) => {
      const sound = readWav(await bytesOf(source), path, length ?? undefined);
      if (samplingRate !== null && sound.sampleRate !== samplingRate)
        throw otherRate(path, sound.sampleRate, samplingRate);
      return sound;
    },
    finish: ({ samples, frames, channels }) => {
      const sizes = [length ?? frames, channels] as const;
      const all = allocate(op, samples, sizes);
      all.set(samples);
      return withShape(all, sizes);
    },
  });
}

type LabelledSounds = readonly [x: Tensor, y: Tensor];

function otherRate(path: string, found: number, wanted: number): ValueError {
  return new ValueError({
    op,
    rule: `the files have ${wanted} samples per second, the \`samplingRate\`.`,
    received: `${found} in '${path}'`,
    hint: `convert it: ffmpeg -i sound.wav -ar ${wanted} other.wav. A browser resamples by an OfflineAudioContext.`,
  });
}
