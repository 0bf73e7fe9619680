/**
 * @file Saving and resuming training outside of a run. Both need the optimizer immediately, even of a model whose `compile`
 * has not loaded training yet, so they preload it.
 */
import type { FileBytes, ReadOptions } from '../formats/safetensors/index.ts';
import {
  type Checkpoint,
  type CheckpointModel,
  restoreCheckpoint,
  type TrainingState,
  writeCheckpoint,
} from '../keras/saving/checkpoint.ts';
import { preloadTraining } from '../keras/training/preload.ts';

/**
 * Saves a checkpoint of `model` as a safetensors file: the weights, the optimizer with its state, the positions of seeded
 * layers in their random sequences, the model's configuration, and `training`. The values are those at the time of the
 * call; work launched later does not affect them.
 * Errors: ValueError if two weights have the same path, and for invalid `training`.
 */
export async function saveCheckpoint(
  model: CheckpointModel,
  training: TrainingState,
): Promise<Uint8Array<ArrayBuffer>> {
  preloadTraining();
  return writeCheckpoint(model, training);
}

/**
 * Resumes training from a checkpoint: sets the weights, the state of the optimizer and the positions of seeded layers, all
 * or none. Compile the model with an optimizer of the same class first.
 *
 *     const { training } = loadCheckpoint(net, bytes);
 *     await net.fit(x, y, { epochs: 20, initialEpoch: training.epoch, seed: training.seed });
 *
 * Training continues exactly as if it had not been interrupted, provided that samples come in the same order (`seed`) and
 * random layers have seeds.
 *
 * Errors: FormatError for a damaged file or the checkpoint of another model; ValueError for an optimizer of another class.
 * The model and its optimizer are then unchanged.
 */
export function loadCheckpoint(
  model: CheckpointModel,
  file: FileBytes,
  options: ReadOptions = {},
): Checkpoint {
  preloadTraining();
  return restoreCheckpoint(model, file, options);
}
