/** @file HDF5: reading and writing. */
export { type AttributeValue, Hdf5Dataset, Hdf5Group, openHdf5 } from './file.ts';
export { bytesOf, type WrittenType } from './encode.ts';
export { type NewDataset, type NewGroup, writeHdf5 } from './write.ts';
