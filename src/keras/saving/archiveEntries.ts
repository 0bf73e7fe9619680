/** @file The files in a `.keras` archive. */
import type { NewGroup } from '../../formats/hdf5/index.ts';
import type { NewEntry } from '../../formats/zip/index.ts';
import type { FilePieces } from '../../storage/fileTarget.ts';
import type { SavedBytes } from './savedBytes.ts';

/** The version of Keras whose format is written. */
const kerasVersion = '3.15.1';

/** What an archive holds: the text of the configuration, files of layers, and weights. */
export interface ArchiveContents {
  readonly config: string;
  readonly assets: readonly NewEntry[];
  readonly tree: NewGroup;
}

/** Returns the archive in pieces. */
export async function archiveEntries(
  { config, assets, tree }: ArchiveContents,
  saved: SavedBytes,
): Promise<FilePieces> {
  const [{ writeZip }, { writeHdf5 }, { configName, metadataName, weightsName }] = await Promise.all([
    import('../../formats/zip/index.ts'),
    import('../../formats/hdf5/index.ts'),
    import('../../formats/keras/index.ts'),
  ]);
  const metadata = { keras_version: kerasVersion, date_saved: dateSaved() };
  const weights = saved.countedIn(tree);
  return writeZip([
    { name: metadataName, pieces: [encoded(JSON.stringify(metadata))] },
    { name: configName, pieces: [encoded(config)] },
    { name: weightsName, pieces: writeHdf5(weights, saved.pacer) },
    ...assets,
  ]);
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** As Keras writes it: 2026-11-22@17:03:05. */
function dateSaved(): string {
  return new Date().toISOString().slice(0, 19).replace('T', '@');
}
