/**
 * @file Checkpoints: everything needed to resume training, in one safetensors file. Weights are stored by path, optimizer
 * variables by index, the rest in the metadata.
 */
import type { TypedData } from '../../core/dtype.ts';
import { requireOptions } from '../../core/arguments.ts';
import { FormatError, RetrogradError, ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { requireInteger, sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { checkSeed, type SeedSequence } from '../../ops/define/seeds.ts';
import { assignAll } from '../../tensor/assignAll.ts';
import { tidy } from '../../tensor/scope.ts';
import { modelToConfig } from '../json/write.ts';
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
import {
  type OptimizerRecord,
  optimizerPrefix,
  readMetadata,
  type TrainingState,
  writeMetadata,
} from './checkpointMetadata.ts';
import { seedsOf } from './storedSeeds.ts';
import { uploadByPath, weightsByPath, type WithWeights } from './weights.ts';

export type { TrainingState } from './checkpointMetadata.ts';

/** The part of a model that a checkpoint uses. */
export interface CheckpointModel extends WithWeights {
  readonly trainableWeights: WithWeights['weights'];
  readonly optimizer: Optimizer | null;
}

/** The contents of a checkpoint, without weights. */
export interface Checkpoint {
  readonly training: Required<TrainingState>;
  /** The model in Keras's JSON, for `modelFromJSON`; null if it has layers that cannot be serialized. */
  readonly config: object | null;
}

/**
 * Returns a checkpoint of `model` as a safetensors file.
 * Errors: ValueError if two weights have the same path, and for an invalid state of training.
 */
export async function writeCheckpoint(
  model: CheckpointModel,
  state: TrainingState,
): Promise<Uint8Array<ArrayBuffer>> {
  checkOptions('saveCheckpoint', state, ['epoch', 'batch', 'seed', 'logs']);
  const { epoch, batch = 0, seed = null, logs = {} } = state;
  requireOptions('saveCheckpoint', logs);
  requireInteger('saveCheckpoint', 'epoch', epoch, 0);
  requireInteger('saveCheckpoint', 'batch', batch, 0);
  if (seed !== null) checkSeed('saveCheckpoint', seed);
  const byPath = weightsByPath('saveCheckpoint', model);
  const { optimizer } = model;
  const states = optimizer?.built ? statesOf(optimizer) : [];
  const metadata = {
    training: { epoch, batch, seed, logs },
    optimizer: optimizer && recordOf(optimizer),
    seeds: seedsOf(model).map(({ position }) => position),
  };
  const named = [...byPath, ...states.map((state, i) => [`${optimizerPrefix}${i}`, state] as const)];
  const config = describeModel(model);
  const values = await Promise.all(named.map(([, variable]) => hostTensorOf(variable)));
  return writeSafetensors(
    new Map(named.map(([name], i) => [name, values[i] as HostTensor])),
    writeMetadata(metadata, config),
  );
}

/**
 * Reads the metadata of a checkpoint, without a model.
 * Errors: FormatError for a file that is not a checkpoint.
 */
export function readCheckpoint(file: FileBytes, options: ReadOptions = {}): Checkpoint {
  const { metadata } = readSafetensors(file, options);
  const { training, config } = readMetadata(options.file ?? 'file', metadata);
  return { training, config };
}

/** Sets the weights, the optimizer's state and the layers' seeds to those of a checkpoint, all or none. */
export function restoreCheckpoint(model: CheckpointModel, file: FileBytes, options: ReadOptions): Checkpoint {
  weightsByPath('loadCheckpoint', model);
  const name = options.file ?? 'file';
  const { tensors, metadata } = readSafetensors(file, options);
  const { training, config, optimizer: record, seeds } = readMetadata(name, metadata);
  const isState = (key: string) => record !== null && key.startsWith(optimizerPrefix);
  const weights = new Map([...tensors].filter(([key]) => !isState(key)));
  const states = new Map([...tensors].filter(([key]) => isState(key)));
  const sequences = seedsOf(model);
  requireSeeds(name, model, sequences, seeds);
  // Everything that can fail comes first: after the optimizer's state, only checked values are assigned.
  tidy(() => {
    const { assignments } = uploadByPath(model, weights, { op: 'loadCheckpoint', file: name });
    if (model.optimizer && record) setState(name, model, model.optimizer, record, states);
    assignAll(assignments);
    sequences.forEach((sequence, i) => {
      sequence.position = seeds[i] as number;
    });
  });
  return { training, config };
}

function requireSeeds(
  file: string,
  model: CheckpointModel,
  sequences: readonly SeedSequence[],
  seeds: readonly number[],
): void {
  if (sequences.length === seeds.length) return;
  throw new FormatError({
    op: `loadCheckpoint ${file}`,
    rule: 'the checkpoint must be of a model with the same layers.',
    received: `seeds of ${seeds.length} layers, for ${sequences.length} in '${model.name}'`,
    hint: 'load it into the model that it was saved from.',
  });
}

/** Sets the state of `optimizer`, or throws and leaves it unchanged, built or not. */
function setState(
  file: string,
  model: CheckpointModel,
  optimizer: Optimizer,
  record: OptimizerRecord,
  states: ReadonlyMap<string, HostTensor>,
): void {
  if (record.className !== optimizer.className) {
    throw new ValueError({
      op: `loadCheckpoint ${file}`,
      rule: 'the model must be compiled with an optimizer of the same class.',
      received: `${optimizer.className}, for the state of ${record.className}`,
      hint: `call compile({ optimizer: '${record.className}', … }) first; use loadWeights to ignore the optimizer's state.`,
    });
  }
  if (record.numbers.size === 0 && states.size === 0) return;
  const wasBuilt = optimizer.built;
  try {
    optimizer.build(model.trainableWeights);
    optimizer.setWeights(stateValues(file, optimizer, record, states));
  } catch (error) {
    if (!wasBuilt) optimizer.dispose();
    throw error;
  }
}

/** Values for the variables of `optimizer`, in their order. */
function stateValues(
  file: string,
  { variables }: Optimizer,
  record: OptimizerRecord,
  states: ReadonlyMap<string, HostTensor>,
): (TypedData | number)[] {
  const invalid = (rule: string, received: string) =>
    new FormatError({
      op: `loadCheckpoint ${file}`,
      rule,
      received,
      hint: 'create model and optimizer with the options that they had when the checkpoint was saved.',
    });
  const numbers = variables.filter((variable) => variable instanceof HostVariable).length;
  const tensors = variables.length - numbers;
  if (record.numbers.size !== numbers || states.size !== tensors || record.states.length !== tensors) {
    throw invalid(
      `the state of the optimizer is ${numbers} numbers and ${tensors} tensors.`,
      `${record.numbers.size} numbers, ${record.states.length} names and ${states.size} tensors`,
    );
  }
  let next = 0;
  return variables.map((variable, i) => {
    if (variable instanceof HostVariable) {
      const number = record.numbers.get(i);
      if (number !== undefined) return number;
      throw invalid(
        `'${variable.name}' is number ${i} of the state.`,
        `numbers ${[...record.numbers.keys()].join(', ')}`,
      );
    }
    const value = states.get(`${optimizerPrefix}${next++}`);
    if (value && sameShape(value.shape, variable.shape) && value.dtype === variable.dtype)
      return value.data as TypedData;
    throw invalid(
      `the state '${variable.name}' is ${formatSpec(variable)}.`,
      value ? formatSpec(value) : `no tensor '${optimizerPrefix}${next - 1}'`,
    );
  });
}

function recordOf(optimizer: Optimizer): OptimizerRecord {
  const numbers = optimizer.built
    ? optimizer.variables.flatMap((variable, i) =>
        variable instanceof HostVariable ? [[i, variable.value] as const] : [],
      )
    : [];
  return {
    className: optimizer.className,
    config: optimizer.getConfig(),
    states: optimizer.built ? statesOf(optimizer).map(({ name }) => name ?? '') : [],
    numbers: new Map(numbers),
  };
}

function statesOf(optimizer: Optimizer): Variable[] {
  return optimizer.variables.filter((variable) => variable instanceof Variable);
}

/** Returns the configuration of a model in JSON; null if it has layers that cannot be serialized. */
function describeModel(model: CheckpointModel): string | null {
  try {
    return JSON.stringify(modelToConfig(model as never));
  } catch (error) {
    if (error instanceof RetrogradError) return null;
    throw error;
  }
}
