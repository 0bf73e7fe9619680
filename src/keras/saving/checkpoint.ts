/**
 * @file Checkpoints: everything needed to resume training, in one safetensors file. Weights are stored by path, optimizer
 * variables by index, the rest in the metadata.
 */
import type { TypedData } from '../../core/dtype.ts';
import { FormatError, RetrogradError, ValueError } from '../../core/errors.ts';
import { formatSpec } from '../../core/spec.ts';
import { SeedSequence } from '../../ops/seeds.ts';
import { modelToConfig } from '../json/write.ts';
import { findInProperties } from '../layers/base/findInProperties.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { HostVariable } from '../optimizers/hostVariable.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { Variable } from '../../tensor/variable.ts';
import { type HostTensor, hostTensorOf } from '../../formats/hostTensor.ts';
import {
  type FileBytes,
  type ReadOptions,
  readSafetensors,
  writeSafetensors,
} from '../../formats/safetensors/index.ts';
import { setWeightsByPath, weightsByPath, type WithWeights } from './weights.ts';

/** What a checkpoint needs of a model. */
export interface CheckpointModel extends WithWeights {
  readonly trainableWeights: WithWeights['weights'];
  readonly optimizer: Optimizer | null;
}

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

/** The contents of a checkpoint, without weights. */
export interface Checkpoint {
  readonly training: Required<TrainingState>;
  /** The model in Keras's JSON, for `modelFromJSON`; null if it has layers that cannot be serialized. */
  readonly config: object | null;
}

const optimizerPrefix = '@optimizer/';

interface OptimizerRecord {
  className: string;
  config: Record<string, unknown>;
  /** Names of the optimizer's variables on the device, in the order of the tensors. */
  states: string[];
  /** Numbers on the host, by index among the variables, in full precision. */
  numbers: Record<string, number | string>;
}

interface Metadata {
  training: Required<TrainingState>;
  optimizer: OptimizerRecord | null;
  /** Positions in the layers' random sequences, in the order of the layers. */
  seeds: number[];
}

/** A checkpoint of `model` as a safetensors file. Errors: ValueError if two weights have the same path. */
export async function writeCheckpoint(
  model: CheckpointModel,
  { epoch, batch = 0, seed = null, logs = {} }: TrainingState,
): Promise<Uint8Array<ArrayBuffer>> {
  const byPath = weightsByPath('saveCheckpoint', model);
  const { optimizer } = model;
  const states = optimizer?.built ? statesOf(optimizer) : [];
  const metadata: Metadata = {
    training: { epoch, batch, seed, logs: encodeLogs(logs) as Record<string, number> },
    optimizer: optimizer && recordOf(optimizer),
    seeds: seedsOf(model).map(({ position }) => position),
  };
  const named = [...byPath, ...states.map((state, i) => [`${optimizerPrefix}${i}`, state] as const)];
  const config = describeModel(model);
  const values = await Promise.all(named.map(([, variable]) => hostTensorOf(variable)));
  return writeSafetensors(new Map(named.map(([name], i) => [name, values[i] as HostTensor])), {
    format: 'retrograd checkpoint',
    training: JSON.stringify(metadata),
    ...(config === null ? {} : { model: config }),
  });
}

/**
 * Reads the metadata of a checkpoint, without a model.
 * Errors: FormatError for a file that is not a checkpoint.
 */
export function readCheckpoint(file: FileBytes, options: ReadOptions = {}): Checkpoint {
  const name = options.file ?? 'file';
  const { metadata } = readSafetensors(file, options);
  const { training } = metadataOf(name, metadata);
  const config = metadata.get('model');
  return {
    training: { ...training, logs: decodeLogs(training.logs) },
    config: config === undefined ? null : (parse(name, 'model', config) as object),
  };
}

/** Sets the weights, the optimizer's state and the layers' seeds to those of a checkpoint, all or none. */
export function restoreCheckpoint(
  model: CheckpointModel,
  file: FileBytes,
  options: ReadOptions = {},
): Checkpoint {
  const name = options.file ?? 'file';
  const { tensors, metadata } = readSafetensors(file, options);
  const { optimizer: record, seeds } = metadataOf(name, metadata);
  const isState = (key: string) => key.startsWith(optimizerPrefix);
  const weights = new Map([...tensors].filter(([key]) => !isState(key)));
  const { optimizer } = model;
  const values = optimizer && record ? stateValues(name, model, optimizer, record, tensors) : null;
  const sequences = seedsOf(model);
  if (sequences.length !== seeds.length) {
    throw new FormatError({
      op: `loadCheckpoint ${name}`,
      rule: 'the checkpoint must be of a model with the same layers.',
      received: `seeds of ${seeds.length} layers, for ${sequences.length} in '${model.name}'`,
      hint: 'load it into the model that it was saved from.',
    });
  }
  setWeightsByPath(model, weights, { op: 'loadCheckpoint', file: name });
  if (values) optimizer?.setWeights(values);
  sequences.forEach((sequence, i) => {
    sequence.position = seeds[i] as number;
  });
  return readCheckpoint(file, options);
}

/** Checked values for the variables of `optimizer`, so that setting them cannot fail halfway. */
function stateValues(
  file: string,
  model: CheckpointModel,
  optimizer: Optimizer,
  record: OptimizerRecord,
  tensors: ReadonlyMap<string, HostTensor>,
): (TypedData | number)[] | null {
  if (record.className !== optimizer.className) {
    throw new ValueError({
      op: `loadCheckpoint ${file}`,
      rule: 'the model must be compiled with an optimizer of the same class.',
      received: `${optimizer.className}, for the state of ${record.className}`,
      hint: `call compile({ optimizer: '${record.className}', … }) first; use loadWeights to ignore the optimizer's state.`,
    });
  }
  if (Object.keys(record.numbers).length === 0) return null;
  optimizer.build(model.trainableWeights);
  let next = 0;
  return optimizer.variables.map((variable, i) => {
    if (variable instanceof HostVariable) return Number(record.numbers[i] ?? variable.value);
    const value = tensors.get(`${optimizerPrefix}${next++}`);
    if (value && value.data.length === variable.size) return value.data as TypedData;
    throw new FormatError({
      op: `loadCheckpoint ${file}`,
      rule: `the state '${variable.name}' is ${formatSpec(variable)}.`,
      received: value
        ? formatSpec(value)
        : `${record.states.length} states: ${record.states.slice(0, 3).join(', ')} …`,
      hint: 'create model and optimizer with the options that they had when the checkpoint was saved.',
    });
  });
}

function recordOf(optimizer: Optimizer): OptimizerRecord {
  const { variables } = optimizer;
  const numbers = optimizer.built
    ? variables.flatMap((variable, i) =>
        variable instanceof HostVariable ? [[i, encode(variable.value)] as const] : [],
      )
    : [];
  return {
    className: optimizer.className,
    config: optimizer.getConfig(),
    states: statesOf(optimizer).map(({ name }) => name ?? ''),
    numbers: Object.fromEntries(numbers),
  };
}

function statesOf(optimizer: Optimizer): Variable[] {
  return optimizer.variables.filter((variable) => variable instanceof Variable);
}

/** The random sequences of the model and of layers inside it, in order. */
function seedsOf(model: CheckpointModel): SeedSequence[] {
  const inside = (model as unknown as Partial<AnyLayer>).layersInside ?? [];
  const isSeeds = (value: unknown): value is SeedSequence => value instanceof SeedSequence;
  return [...new Set([model, ...inside].flatMap((layer) => findInProperties(layer, isSeeds)))];
}

/** The configuration of a model in JSON; null if it has layers that cannot be serialized. */
function describeModel(model: CheckpointModel): string | null {
  try {
    return JSON.stringify(modelToConfig(model as never));
  } catch (error) {
    if (error instanceof RetrogradError) return null;
    throw error;
  }
}

function metadataOf(file: string, metadata: ReadonlyMap<string, string>): Metadata {
  const text = metadata.get('training');
  if (metadata.get('format') === 'retrograd checkpoint' && text !== undefined) {
    const found = parse(file, 'training', text) as Partial<Metadata>;
    const { training, seeds } = found;
    if (Number.isInteger(training?.epoch) && Array.isArray(seeds)) return found as Metadata;
  }
  throw new FormatError({
    op: `loadCheckpoint ${file}`,
    rule: 'a checkpoint has the progress of the training run in its metadata.',
    received: `a safetensors file with ${[...metadata.keys()].join(', ') || 'no metadata'}`,
    hint: 'if the file has only weights, use loadWeights.',
  });
}

function parse(file: string, what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FormatError({
      op: `loadCheckpoint ${file}`,
      rule: `\`${what}\` in the metadata is JSON.`,
      received: text.slice(0, 40),
      hint: 'the file is damaged: use another checkpoint.',
      cause,
    });
  }
}

/** JSON has no NaN and no infinities. */
function encode(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function encodeLogs(logs: Readonly<Record<string, number>>): Record<string, number | string> {
  return Object.fromEntries(Object.entries(logs).map(([name, value]) => [name, encode(value)]));
}

function decodeLogs(logs: Readonly<Record<string, number | string>>): Record<string, number> {
  return Object.fromEntries(Object.entries(logs).map(([name, value]) => [name, Number(value)]));
}
