/**
 * @file Checkpoints: all that is needed to go on with a training, in one safetensors file. The weights lie in it by their
 * paths, the states of the optimizer by their order, the rest in its metadata.
 */
import type { TypedData } from '../core/dtype.ts';
import { requireOptions } from '../core/arguments.ts';
import { FormatError, RetrogradError, ValueError } from '../core/errors.ts';
import { requireInteger, sameShape } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import { checkSeed, SeedSequence } from '../ops/seeds.ts';
import { assignAll } from '../tensor/assignAll.ts';
import { tidy } from '../tensor/scope.ts';
import { Variable } from '../tensor/variable.ts';
import { modelToConfig } from '../keras/json/write.ts';
import { membersOf } from '../keras/layers/members.ts';
import type { AnyLayer } from '../keras/layers/layer.ts';
import { HostVariable } from '../keras/optimizers/hostVariable.ts';
import type { Optimizer } from '../keras/optimizers/optimizer.ts';
import { haveTraining } from '../keras/training/provide.ts';
import {
  type OptimizerRecord,
  readMetadata,
  type TrainingState,
  writeMetadata,
} from './checkpointMetadata.ts';
import { type HostTensor, hostTensorOf } from './hostTensor.ts';
import { type FileBytes, type ReadOptions, readSafetensors, writeSafetensors } from './safetensors/index.ts';
import { uploadByPath, weightsByPath, type WithWeights } from './weights.ts';

export type { TrainingState } from './checkpointMetadata.ts';

/** What a checkpoint is made of. */
export interface CheckpointModel extends WithWeights {
  readonly trainableWeights: WithWeights['weights'];
  readonly optimizer: Optimizer | null;
}

/** A checkpoint, read. */
export interface Checkpoint {
  readonly training: Required<TrainingState>;
  /** The model in Keras's JSON, for `modelFromJSON`; null where it has layers that files don't know. */
  readonly config: object | null;
}

const optimizerPrefix = '@optimizer/';

/**
 * A checkpoint of `model` as a safetensors file: weights, the optimizer with its state, where seeded layers are in their
 * draws, the model's description, and `training`. All values are those of now, whatever is launched after the call.
 * Errors: ValueError where two weights have one path, and for a state of training that isn't one.
 */
export async function saveCheckpoint(
  model: CheckpointModel,
  state: TrainingState,
): Promise<Uint8Array<ArrayBuffer>> {
  haveTraining();
  requireOptions('saveCheckpoint', state);
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
 * What a checkpoint says, without a model to load it into.
 * Errors: FormatError for a file that isn't one.
 */
export function readCheckpoint(file: FileBytes, options: ReadOptions = {}): Checkpoint {
  const { metadata } = readSafetensors(file, options);
  const { training, config } = readMetadata(options.file ?? 'file', metadata);
  return { training, config };
}

/**
 * Resumes a training: sets the weights, the state of the optimizer and the draws of seeded layers to those of a
 * checkpoint, all or none. The model is compiled with an optimizer of the same class.
 *
 *     const { training } = loadCheckpoint(net, bytes);
 *     await net.fit(x, y, { epochs: 20, initialEpoch: training.epoch, seed: training.seed ?? undefined });
 *
 * The curve continues as if training had not stopped, where samples come in the same order (`seed`) and random layers have
 * seeds of their own.
 *
 * Errors: FormatError for a file that isn't sound or belongs to another model; ValueError for an optimizer of another
 * class. The model and its optimizer are then as they were.
 */
export function loadCheckpoint(
  model: CheckpointModel,
  file: FileBytes,
  options: ReadOptions = {},
): Checkpoint {
  haveTraining();
  weightsByPath('loadCheckpoint', model);
  const { tensors, metadata } = readSafetensors(file, options);
  const name = options.file ?? 'file';
  const { training, config, optimizer: record, seeds } = readMetadata(name, metadata);
  const isState = (key: string) => record !== null && key.startsWith(optimizerPrefix);
  const weights = new Map([...tensors].filter(([key]) => !isState(key)));
  const states = new Map([...tensors].filter(([key]) => isState(key)));
  const sequences = seedsOf(model);
  requireSeeds(name, model, sequences, seeds);
  // All that can fail comes first; what follows the optimizer's state only takes over values that were checked.
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
    rule: 'a checkpoint is of a model with the same layers.',
    received: `seeds of ${seeds.length} layers, for ${sequences.length} in '${model.name}'`,
    hint: 'load it into the model that it was saved from.',
  });
}

/** Sets the state of `optimizer`, or throws and leaves it as it was, built or not. */
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
      rule: 'the model is compiled with an optimizer of the same class.',
      received: `${optimizer.className}, for the state of ${record.className}`,
      hint: `call compile({ optimizer: '${record.className}', … }) first; to leave the state behind use loadWeights.`,
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
  const refuse = (rule: string, received: string) =>
    new FormatError({
      op: `loadCheckpoint ${file}`,
      rule,
      received,
      hint: 'make model and optimizer with the options that they had when the checkpoint was saved.',
    });
  const numbers = variables.filter((variable) => variable instanceof HostVariable).length;
  const tensors = variables.length - numbers;
  if (record.numbers.size !== numbers || states.size !== tensors || record.states.length !== tensors) {
    throw refuse(
      `the state of the optimizer is ${numbers} numbers and ${tensors} tensors.`,
      `${record.numbers.size} numbers, ${record.states.length} names and ${states.size} tensors`,
    );
  }
  let next = 0;
  return variables.map((variable, i) => {
    if (variable instanceof HostVariable) {
      const number = record.numbers.get(i);
      if (number !== undefined) return number;
      throw refuse(
        `'${variable.name}' is number ${i} of the state.`,
        `numbers ${[...record.numbers.keys()].join(', ')}`,
      );
    }
    const value = states.get(`${optimizerPrefix}${next++}`);
    if (value && sameShape(value.shape, variable.shape) && value.dtype === variable.dtype)
      return value.data as TypedData;
    throw refuse(
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

/** Seeds of the model and of the layers inside it, in their order. */
function seedsOf(model: CheckpointModel): SeedSequence[] {
  const inside = (model as unknown as Partial<AnyLayer>).layersInside ?? [];
  const isSeeds = (value: unknown): value is SeedSequence => value instanceof SeedSequence;
  return [...new Set([model, ...inside].flatMap((layer) => membersOf(layer, isSeeds)))];
}

/** The description of a model; null for one with layers that files don't know. */
function describeModel(model: CheckpointModel): string | null {
  try {
    return JSON.stringify(modelToConfig(model as never));
  } catch (error) {
    if (error instanceof RetrogradError) return null;
    throw error;
  }
}
