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
export { readPyTorch, type ReadPyTorchOptions } from './pytorch.ts';
export { loadTensors, saveTensors } from './tensors.ts';
export type {
  LoadProgress,
  LoadReport,
  LoadWeightsOptions,
  ModelFormat,
  SaveOptions,
  SaveProgress,
  SaveWeightsOptions,
  WeightNaming,
} from '../keras/saving/fileOptions.ts';
export { loadGraphModel, type LoadGraphModelOptions } from '../graphModel/loadGraphModel.ts';
export type { ExecuteOptions, GraphInputs, GraphModel, GraphTensor } from '../graphModel/graphModel.ts';
export { loadModel, type LoadModelOptions } from '../keras/loading/loadModel.ts';
export { loadWeights, saveWeights, type WithWeights } from '../keras/saving/weights.ts';
export { loadAdapter, type LoadAdapterOptions } from '../keras/saving/peft/loadAdapter.ts';
export { saveAdapter, type SaveAdapterOptions } from '../keras/saving/peft/saveAdapter.ts';
export type { AdapterModules, ModelWithLayers, ModulePart } from '../keras/saving/peft/modules.ts';
export type { FileSource } from '../storage/sources.ts';
export { listFiles, removeFile } from '../storage/browserStores.ts';
export type { StoredFile } from '../storage/browserStore.ts';
export type { FilePieces, FileTarget } from '../storage/fileTarget.ts';
export { FilesTarget, type FolderTarget, type NewFile, type SaveFolder } from '../storage/folderTargets.ts';
export { BytesTarget, type SaveTarget } from '../storage/targets.ts';
