/** @file State dictionaries of PyTorch: tensors by name. Nothing in them is executed. */
export { openTorchArchive } from './archive.ts';
export { openLegacyTorch } from './legacy.ts';
