/** @file Files of a directory with their labels, in the order and the splits of Keras's `…_dataset_from_directory`. */
import { ValueError } from '../core/errors.ts';
import { isListOf } from '../core/lists.ts';
import { describe, oneOf, requireBoolean, requireInteger } from '../core/shape.ts';
import {
  type Directory,
  type DirectoryFile,
  type DirectorySource,
  listDirectory,
} from '../storage/directories.ts';
import { type FileSource, openSource } from '../storage/sources.ts';
import { Dataset } from './dataset.ts';
import { numpyShuffle } from './numpyShuffle.ts';
import { withShape } from './rows.ts';

/** Options of all datasets of directories. */
export interface DirectoryOptions {
  /**
   * The labels: 'inferred' from the directories that the files are in, null for none, or a list with the number of each file's class,
   * sorted by path. Default 'inferred'.
   */
  labels?: 'inferred' | readonly number[] | null;
  /**
   * 'int' gives the number of the class as int32, 'categorical' a vector of zeros with a one, 'binary' 0 or 1 as float32 [1]; null
   * gives no labels. Default 'int'.
   */
  labelMode?: 'int' | 'categorical' | 'binary' | null;
  /** The classes, in the order of their numbers. Default: the names of the directories, sorted. */
  classNames?: readonly string[] | null;
  /** Samples in a batch. Default 32; null for single samples. */
  batchSize?: number | null;
  /** Whether the files are shuffled, again in each pass; otherwise they are sorted. Default true. */
  shuffle?: boolean;
  /** An integer in [0, 2^32) that makes the order reproducible. With it, files are split as Keras splits them. Default: a new one. */
  seed?: number | null;
  /** The part of the files that is for validation, between 0 and 1. Default: none. */
  validationSplit?: number | null;
  /** Which part to return, with `validationSplit`: 'both' returns two datasets. */
  subset?: 'training' | 'validation' | 'both' | null;
  /** Whether links to directories are followed, in Node. Default false. */
  followLinks?: boolean;
}

export const directoryOptionNames = {
  labels: false,
  labelMode: false,
  classNames: false,
  batchSize: false,
  shuffle: false,
  seed: false,
  validationSplit: false,
  subset: false,
  followLinks: false,
} as const;

/** A dataset of a directory. */
export class DirectoryDataset<T> extends Dataset<T> {
  /** `classNames`: the classes in the order of their numbers, null without labels. `filePaths`: the files, before they are shuffled in passes. */
  constructor(
    open: () => AsyncIterable<T>,
    cardinality: number | null,
    readonly classNames: readonly string[] | null,
    readonly filePaths: readonly string[],
  ) {
    super(open, cardinality);
  }
}

/** A label as the dataset yields it. */
type Label = Int32Array | Float32Array;

interface LabelledFile {
  readonly file: DirectoryFile;
  /** The number of its class; 0 without labels. */
  readonly label: number;
}

/** What reads a file: the first part may be asynchronous, the second makes the element's value. */
interface Reader<Read> {
  /** Ends of the names of files that are read, in lower case. */
  readonly formats: readonly string[];
  /** Whether values of a batch are padded to the largest of them. */
  readonly isPadded?: boolean;
  read(source: FileSource, path: string): Promise<Read>;
  finish(read: Read): unknown;
}

/** Returns the dataset of a directory, or two for 'both'. Errors: ValueError, FormatError. */
export async function directoryDataset<Read>(
  op: string,
  directory: DirectorySource,
  options: DirectoryOptions,
  reader: Reader<Read>,
): Promise<unknown> {
  const { batchSize = 32, shuffle = true, subset = null, validationSplit, followLinks = false } = options;
  checkOptions(op, options);
  const seed = options.seed ?? Math.floor(Math.random() * 1e6);
  const hasLabels = options.labels !== null && options.labelMode !== null;
  const mode = hasLabels ? (options.labelMode ?? 'int') : null;
  const listed = await listDirectory(op, directory, followLinks);
  const { files, classNames } = labelled(
    op,
    listed,
    { ...options, labels: hasLabels ? options.labels : null },
    reader.formats,
  );
  if (mode === 'binary' && classNames?.length !== 2)
    throw new ValueError({
      op,
      rule: "`labelMode: 'binary'` needs two classes.",
      received: `${classNames?.length} classes: ${describe(classNames)}`,
      hint: "use labelMode: 'int'.",
    });
  const ordered = shuffle ? numpyShuffle(files, seed) : files;
  const part = (which: 'training' | 'validation' | null, isShuffled: boolean) => {
    const chosen = partOf(ordered, validationSplit ?? 0, which);
    if (chosen.length === 0) throw withoutFiles(op, which, reader.formats);
    const elements = elementsOf(chosen, mode, classNames?.length ?? 0, reader, {
      shuffle: isShuffled,
      bufferSize: batchSize === null ? 1024 : batchSize * 8,
      seed,
    });
    const join = (size: number) => (reader.isPadded ? elements.paddedBatch(size) : elements.batch(size));
    const batches = batchSize === null ? elements : join(batchSize);
    const paths = chosen.map(({ file }) => listed.pathOf(file));
    return new DirectoryDataset<unknown>(() => batches, batches.cardinality, classNames, paths);
  };
  // As in Keras: of both, only the training files are shuffled again.
  if (subset === 'both') return [part('training', shuffle), part('validation', false)];
  return part(subset, shuffle);
}

function elementsOf<Read>(
  files: readonly LabelledFile[],
  mode: 'int' | 'categorical' | 'binary' | null,
  classes: number,
  reader: Reader<Read>,
  order: { readonly shuffle: boolean; readonly bufferSize: number; readonly seed: number },
): Dataset<unknown> {
  const listed = new Dataset(async function* () {
    yield* files.map((_, i) => i);
  }, files.length);
  const ordered = order.shuffle ? listed.shuffle(order.bufferSize, { seed: order.seed }) : listed;
  const read = async (i: number) => {
    const { file, label } = files[i] as LabelledFile;
    return { value: await reader.read(await file.open(), file.path), label };
  };
  return ordered
    .map(read, { numParallelCalls: 4 })
    .map(({ value, label }) =>
      mode === null ? reader.finish(value) : [reader.finish(value), labelOf(label, mode, classes)],
    );
}

function labelOf(label: number, mode: 'int' | 'categorical' | 'binary', classes: number): Label {
  if (mode === 'int') return withShape(Int32Array.of(label), []) as Int32Array;
  if (mode === 'binary') return Float32Array.of(label);
  return Float32Array.from({ length: classes }, (_, i) => Number(i === label));
}

/** Returns the files with their labels, sorted by path. */
function labelled(
  op: string,
  { files, folders }: Directory,
  { labels = 'inferred', classNames: named }: DirectoryOptions,
  formats: readonly string[],
): { files: readonly LabelledFile[]; classNames: readonly string[] | null } {
  const isReadable = ({ path }: DirectoryFile) => formats.some((end) => path.toLowerCase().endsWith(end));
  const sorted = files.filter(isReadable).map((file) => ({ file, key: sortKey(file.path) }));
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (labels !== 'inferred') {
    if (labels && labels.length !== sorted.length) throw notAsMany(op, labels.length, sorted.length);
    return {
      files: sorted.map(({ file }, i) => ({ file, label: labels?.[i] ?? 0 })),
      classNames: labels && [...new Set(labels)].sort((a, b) => a - b).map(String),
    };
  }
  const found = folders.filter((name) => !name.startsWith('.')).sort();
  const classNames = named ?? found;
  const missing = classNames.find((name) => !found.includes(name));
  if (classNames.length === 0 || missing !== undefined) throw withoutFolder(op, missing, found);
  return {
    files: classNames.flatMap((name, label) =>
      sorted.flatMap(({ file }) => (file.path.startsWith(`${name}/`) ? [{ file, label }] : [])),
    ),
    classNames,
  };
}

/** Files come in the order of their directories, then of their names: those of a directory before those of directories in it. */
function sortKey(path: string): string {
  const cut = path.lastIndexOf('/');
  return `${path.slice(0, Math.max(cut, 0))}\0${path.slice(cut + 1)}`;
}

/** As in Keras, the last files are those for validation. */
function partOf<T>(
  files: readonly T[],
  validationSplit: number,
  which: 'training' | 'validation' | null,
): readonly T[] {
  if (which === null) return files;
  const count = Math.floor(validationSplit * files.length);
  // Like a slice of Python's: without files for validation, `[:-0]` is empty, and `[-0:]` has all.
  if (which === 'training') return count === 0 ? [] : files.slice(0, -count);
  return files.slice(-count);
}

function checkOptions(op: string, options: DirectoryOptions): void {
  const { labels = 'inferred', labelMode = 'int', classNames, batchSize = 32, shuffle = true } = options;
  const { seed, validationSplit, subset = null, followLinks = false } = options;
  const isLabel = (n: unknown) => Number.isInteger(n);
  if (labels !== null && labels !== 'inferred' && !isListOf(labels, isLabel)) {
    throw new ValueError({
      op,
      rule: "`labels` is 'inferred', null, or a list of integers.",
      received: `labels: ${describe(labels)}`,
      hint: 'leave it out to infer them from the directories.',
    });
  }
  if (labelMode !== null) oneOf(op, 'labelMode', labelMode, ['int', 'categorical', 'binary']);
  if (classNames && (labels !== 'inferred' || !isListOf(classNames, (name) => typeof name === 'string'))) {
    throw new ValueError({
      op,
      rule: "`classNames` is a list of names, for `labels: 'inferred'`.",
      received: `classNames: ${describe(classNames)}, labels: ${describe(labels)}`,
      hint: 'leave it out: the classes are the sorted names or numbers.',
    });
  }
  if (batchSize !== null) requireInteger(op, 'batchSize', batchSize, 1);
  requireBoolean(op, 'shuffle', shuffle);
  requireBoolean(op, 'followLinks', followLinks);
  if (subset !== null) oneOf(op, 'subset', subset, ['training', 'validation', 'both']);
  if (seed !== undefined && seed !== null && !(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
    throw invalid(op, `seed: ${describe(seed)}`, '`seed` is an integer in [0, 2^32).');
  const split = validationSplit ?? 0;
  if (typeof split !== 'number' || !(split >= 0 && split < 1))
    throw invalid(op, `validationSplit: ${describe(split)}`, '`validationSplit` is between 0 and 1.');
  if (split > 0 !== (subset !== null))
    throw invalid(
      op,
      `validationSplit: ${describe(validationSplit)}, subset: ${describe(subset)}`,
      '`validationSplit` and `subset` are given together.',
    );
  if (split > 0 && shuffle && subset !== 'both' && (seed ?? null) === null)
    throw invalid(op, 'no seed', 'with `shuffle`, a `seed` keeps the files of both parts apart.');
}

function invalid(op: string, received: string, rule: string): ValueError {
  const hint = "pass validationSplit: 0.2, subset: 'training', seed: 1, and again with subset: 'validation'.";
  return new ValueError({ op, rule, received, hint });
}

function notAsMany(op: string, labels: number, files: number): ValueError {
  return new ValueError({
    op,
    rule: '`labels` has a number for each file.',
    received: `${labels} labels for ${files} files`,
    hint: 'only files of the formats that it reads count.',
  });
}

function withoutFolder(op: string, missing: string | undefined, found: readonly string[]): ValueError {
  return new ValueError({
    op,
    rule: 'the files of each class are in a directory with its name.',
    received: missing === undefined ? 'no directories' : `no directory '${missing}' among ${describe(found)}`,
    hint: 'pass labels: null for files without labels, or labels as a list.',
  });
}

function withoutFiles(op: string, which: string | null, formats: readonly string[]): ValueError {
  return new ValueError({
    op,
    rule: `the directory has files for ${which ?? 'the dataset'}.`,
    received: `none of the formats ${formats.join(', ')}`,
    hint: 'check the path, and validationSplit.',
  });
}

/** Reads a whole file. Errors: FormatError. */
export async function bytesOf(source: FileSource, limit?: number): Promise<Uint8Array<ArrayBuffer>> {
  const opened = await openSource(source);
  try {
    // A copy: what a source gives may be its own memory, which is freed when it is closed.
    return Uint8Array.from(await opened.read(0, Math.min(opened.size, limit ?? opened.size)));
  } finally {
    await opened.close?.();
  }
}
