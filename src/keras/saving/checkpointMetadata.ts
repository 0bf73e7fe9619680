/**
 * @file The metadata of a checkpoint: the progress of the training run, the optimizer's numbers, the layers' seeds. Files
 * are not trusted: each field is checked for its type and range when it is read.
 */
import { FormatError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';

/** The progress of a training run. */
export interface TrainingState {
  /** Number of finished epochs. */
  epoch: number;
  /** Number of finished batches of the next epoch. Default 0. */
  batch?: number;
  /** Seed of the shuffling: pass it to `fit({ seed })` to continue in the same order. Default: none. */
  seed?: number | null;
  /** Logs of the last epoch. Default: none. */
  logs?: Readonly<Record<string, number>>;
}

/** What a checkpoint stores of an optimizer, apart from its tensors. */
export interface OptimizerRecord {
  readonly className: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of the optimizer's variables on the device, in the order of the tensors. */
  readonly states: readonly string[];
  /** Numbers on the host, by index among the variables, in full precision. */
  readonly numbers: ReadonlyMap<number, number>;
}

export interface CheckpointMetadata {
  readonly training: Required<TrainingState>;
  /** Null if the model was not compiled. */
  readonly optimizer: OptimizerRecord | null;
  /** Positions in the layers' random sequences, in the order of the layers. */
  readonly seeds: readonly number[];
  /** The model in Keras's JSON; null if it has layers that cannot be serialized. */
  readonly config: object | null;
}

const format = 'retrograd checkpoint';

/** The names of tensors that belong to the optimizer begin with it; weights have paths, which don't. */
export const optimizerPrefix = '@optimizer/';

/** Returns whether the metadata of a safetensors file is that of a checkpoint. */
export function isCheckpoint(metadata: ReadonlyMap<string, string>): boolean {
  return metadata.get('format') === format;
}

/** Returns the metadata as strings by name, as safetensors files store them. `config` is JSON. */
export function writeMetadata(
  { training, optimizer, seeds }: Omit<CheckpointMetadata, 'config'>,
  config: string | null,
): Record<string, string> {
  const written = {
    training: { ...training, logs: encodeNumbers(Object.entries(training.logs)) },
    optimizer: optimizer && { ...optimizer, numbers: encodeNumbers([...optimizer.numbers]) },
    seeds,
  };
  return { format, training: JSON.stringify(written), ...(config === null ? {} : { model: config }) };
}

/** Errors: FormatError for a file that is not a checkpoint, and for a field of another type or outside its range. */
export function readMetadata(file: string, metadata: ReadonlyMap<string, string>): CheckpointMetadata {
  const text = metadata.get('training');
  if (!isCheckpoint(metadata) || text === undefined) throw notACheckpoint(file, metadata);
  const {
    training,
    optimizer = null,
    seeds,
  } = new Fields(file, 'training', parse(file, 'training', text)).values;
  const model = metadata.get('model');
  return {
    training: readTraining(file, training),
    optimizer: optimizer === null ? null : readOptimizer(file, optimizer),
    seeds: listOf(file, 'training.seeds', seeds, isCount, 'an integer in [0, 2^53)'),
    config: model === undefined ? null : new Fields(file, 'model', parse(file, 'model', model)).values,
  };
}

function readTraining(file: string, given: unknown): Required<TrainingState> {
  const fields = new Fields(file, 'training.training', given);
  const { batch = 0, seed = null, logs = {} } = fields.values;
  return {
    epoch: fields.require('epoch', fields.values.epoch, isCount, 'an integer of at least 0'),
    batch: fields.require('batch', batch, isCount, 'an integer of at least 0'),
    seed: fields.require('seed', seed, isCountOrNull, 'an integer in [0, 2^53), or null'),
    logs: Object.fromEntries(numbersOf(file, 'training.training.logs', logs)),
  };
}

function readOptimizer(file: string, given: unknown): OptimizerRecord {
  const fields = new Fields(file, 'training.optimizer', given);
  const { className, config, states, numbers } = fields.values;
  return {
    className: fields.require('className', className, isString, 'a string'),
    config: new Fields(file, 'training.optimizer.config', config).values,
    states: listOf(file, 'training.optimizer.states', states, isString, 'a string'),
    numbers: new Map(
      numbersOf(file, 'training.optimizer.numbers', numbers).map(
        ([place, value]) =>
          [fields.require('numbers', Number(place), isCount, 'keyed by integers'), value] as const,
      ),
    ),
  };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isCountOrNull = (value: unknown): value is number | null => value === null || isCount(value);

/** The fields of an object in the metadata. */
class Fields {
  readonly values: Readonly<Record<string, unknown>>;

  /** Errors: FormatError unless `given` is an object. */
  constructor(
    private readonly file: string,
    private readonly place: string,
    given: unknown,
  ) {
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (!isObject) throw wrongField(file, place, given, 'an object');
    this.values = given as Record<string, unknown>;
  }

  require<T>(name: string, value: unknown, isValid: (value: unknown) => value is T, what: string): T {
    if (isValid(value)) return value;
    throw wrongField(this.file, `${this.place}.${name}`, value, what);
  }
}

function listOf<T>(
  file: string,
  place: string,
  given: unknown,
  isValid: (value: unknown) => value is T,
  what: string,
): readonly T[] {
  if (!Array.isArray(given)) throw wrongField(file, place, given, 'a list');
  const wrong = given.findIndex((item) => !isValid(item));
  if (wrong >= 0) throw wrongField(file, `${place}[${wrong}]`, given[wrong], what);
  return given;
}

/** Returns the numbers by name; JSON has no NaN and no infinities, which are strings. */
function numbersOf(file: string, place: string, given: unknown): [string, number][] {
  return Object.entries(new Fields(file, place, given).values).map(([name, value]) => {
    const number = typeof value === 'string' && notFinite.has(value) ? Number(value) : value;
    if (typeof number === 'number') return [name, number];
    throw wrongField(file, `${place}.${name}`, value, 'a number');
  });
}

const notFinite = new Set(['NaN', 'Infinity', '-Infinity']);

function encodeNumbers(entries: readonly (readonly [string | number, number])[]) {
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Number.isFinite(value) ? value : String(value)]),
  );
}

function parse(file: string, what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FormatError({
      op: `loadCheckpoint ${file}`,
      rule: `\`${what}\` in the metadata is JSON.`,
      received: describe(text.slice(0, 40)),
      hint: 'the file is damaged: use another checkpoint.',
      cause,
    });
  }
}

function wrongField(file: string, place: string, received: unknown, what: string): FormatError {
  return new FormatError({
    op: `loadCheckpoint ${file}`,
    rule: `\`${place}\` in the metadata is ${what}.`,
    received: describe(received),
    hint: 'the file is damaged: use another checkpoint.',
  });
}

function notACheckpoint(file: string, metadata: ReadonlyMap<string, string>): FormatError {
  return new FormatError({
    op: `loadCheckpoint ${file}`,
    rule: 'a checkpoint has the progress of the training run in its metadata.',
    received: `a safetensors file with ${describe([...metadata.keys()])} in its metadata`,
    hint: 'if the file has only weights, use loadWeights.',
  });
}
