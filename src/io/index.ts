/** @file The entry `retrograd/io`: saves and loads weights, checkpoints and tensors. */
export { loadCheckpoint, saveCheckpoint } from './checkpoint.ts';
export {
  type Checkpoint,
  type CheckpointModel,
  readCheckpoint,
  type TrainingState,
} from '../keras/saving/checkpoint.ts';
export type { HostTensor } from '../formats/hostTensor.ts';
export {
  type FileBytes,
  type ReadOptions,
  readSafetensors,
  type SafetensorsContents,
  writeSafetensors,
} from '../formats/safetensors/index.ts';
export { loadTensors, saveTensors } from './tensors.ts';
export { loadWeights, type LoadReport, saveWeights, type WithWeights } from '../keras/saving/weights.ts';
