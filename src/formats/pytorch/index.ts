/** @file State dictionaries of PyTorch: tensors by name, of which nothing is run. */
export { openTorchArchive } from './archive.ts';
export { openLegacyTorch } from './legacy.ts';
