/** @file Zip archives: reading and writing. */
export { ZipArchive } from './archive.ts';
export type { ZipLimits } from './directory.ts';
export { type NewEntry, type Pieces, writeZip } from './write.ts';
