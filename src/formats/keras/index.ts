/** @file Keras's files: `.keras`, `.weights.h5` and the older `.h5`. */
export {
  configName,
  type KerasArchive,
  metadataName,
  openArchiveWeights,
  openKerasArchive,
  readText,
  weightsName,
} from './archive.ts';
export { type LegacyLayer, type NamedTensor, readLegacyLayers, readNamedTensors } from './legacyWeights.ts';
export { readWeightStore, type StoredVariables, type StoreFile } from './weightStore.ts';
