/** @file Opens the variables in a preset: one HDF5 file of Keras 3, or shards with an index. */
import type { ByteSource } from '../../formats/byteSource.ts';
import { openHdf5 } from '../../formats/hdf5/index.ts';
import { readWeightStore, type StoredVariables } from '../../formats/keras/index.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { readJson } from '../../keras/saving/jsonFile.ts';
import { isStatePath } from '../../keras/saving/storedWeights.ts';
import { openStoreShards } from '../../keras/saving/weightShards.ts';
import type { Folder } from '../checkpoints/folder.ts';
import { onlyIfMissing } from '../checkpoints/readFile.ts';

/** The tensors of files by their places, which are open until `close`. */
export interface PresetStore {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  close(): Promise<void>;
}

/** Opens `${name}.weights.h5`, or `${name}.weights.json` with its shards. Errors: FormatError for files that are missing or damaged. */
export async function openStore(folder: Folder, name: string): Promise<PresetStore> {
  const whole = `${name}.weights.h5`;
  const file = await folder.open(whole).catch(onlyIfMissing);
  if (file) return openWhole(file);
  const index = await folder.open(`${name}.weights.json`).catch(onlyIfMissing);
  if (!index) return openWhole(await folder.open(whole));
  try {
    const sibling = (shard: string): Promise<ByteSource> => folder.open(shard);
    const { store, close } = await openStoreShards({ ...index, sibling }, await readJson(index));
    return { tensors: byPlace(store), close };
  } finally {
    await index.close?.();
  }
}

async function openWhole(file: ByteSource): Promise<PresetStore> {
  const close = async () => file.close?.();
  try {
    const context = { file: file.name, format: 'Keras' };
    const store = await readWeightStore([{ root: await openHdf5(file), context }]);
    return { tensors: byPlace(store), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function byPlace(store: ReadonlyMap<string, StoredVariables>): ReadonlyMap<string, StoredTensor> {
  const places = [...store].flatMap(([path, { tensors }]) =>
    isStatePath(path) ? [] : tensors.map((tensor, i) => [placeOf(`${path}/${i}`), tensor] as const),
  );
  return new Map(places);
}

/** A place without what depends on the version of Keras: which properties are private, and the name of a graph's layers. */
export function placeOf(path: string): string {
  return path.replace('_layer_checkpoint_dependencies', 'layers').replace(/(^|\/)_/g, '$1');
}
