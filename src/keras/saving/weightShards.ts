/**
 * @file Weights in several files with an index. That of Keras 3 (`model.weights.json`) lists HDF5 files for each object, that of
 * Hugging Face (`model.safetensors.index.json`) one safetensors file for each tensor, or one of PyTorch.
 */
import { FormatError } from '../../core/errors.ts';
import { Pacer } from '../../core/pacer.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { FileContext } from '../../formats/formatErrors.ts';
import type { StoredVariables, StoreFile } from '../../formats/keras/index.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import { isObject, type JsonObject } from '../json/document.ts';
import type { LoadWeightsOptions } from './fileOptions.ts';
import { openSiblings, type Siblings } from './jsonFile.ts';
import { openArchive, openNamedTensors } from './namedTensors.ts';
import { requireContainer } from './requireContainer.ts';
import type { WeightFile } from './weightFile.ts';
import { namedFile, storeFile } from './weightFiles.ts';

/** Far more than any model has. */
const maxShards = 10_000;

/**
 * Opens all shards that an index names; `index` is the content of `source`. Errors: FormatError for an index or shards that are
 * damaged, missing or of other formats, or that disagree: each tensor is in the one shard that the index says.
 */
export async function openShards(
  source: ByteSource,
  index: JsonObject,
  options: LoadWeightsOptions,
): Promise<WeightFile> {
  const map = readMap(source.name, index);
  return openSiblings(source, async (shards) => {
    const files = await openFiles(source.name, map, shards);
    const [first] = files.values();
    const isKeras = first !== undefined && (await requireContainer(first)) === 'hdf5';
    const file = isKeras
      ? storeFile(await openStores(source.name, map, files, new Pacer(options.signal)))
      : await namedFile(await openTensors(source.name, map, files, options), options);
    return { ...file, close: () => shards.close() };
  });
}

/** The tensors of shards by their names, which are open until `close`. */
export interface TensorShards {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  close(): Promise<void>;
}

/** As `openShards`, for shards of named tensors, whose names the caller reads itself. */
export async function openTensorShards(
  source: ByteSource,
  index: JsonObject,
  options: LoadWeightsOptions,
): Promise<TensorShards> {
  const map = readMap(source.name, index);
  return openSiblings(source, async (shards) => {
    const files = await openFiles(source.name, map, shards);
    return { tensors: await openTensors(source.name, map, files, options), close: () => shards.close() };
  });
}

/** The variables of objects in shards of Keras 3 by the paths of the objects, which are open until `close`. */
export interface StoreShards {
  readonly store: ReadonlyMap<string, StoredVariables>;
  close(): Promise<void>;
}

/** As `openShards`, for shards of Keras 3, whose paths the caller reads itself. */
export async function openStoreShards(source: ByteSource, index: JsonObject): Promise<StoreShards> {
  const map = readMap(source.name, index);
  return openSiblings(source, async (shards) => {
    const files = await openFiles(source.name, map, shards);
    return { store: await openStores(source.name, map, files), close: () => shards.close() };
  });
}

/** Opens each shard once. Errors: FormatError for too many of them, and for a missing one. */
async function openFiles(
  file: string,
  map: ReadonlyMap<string, readonly string[]>,
  shards: Siblings,
): Promise<ReadonlyMap<string, ByteSource>> {
  const names = [...new Set([...map.values()].flat())];
  if (names.length > maxShards)
    throw invalid(file, `an index names at most ${maxShards} files.`, `${names.length}`);
  const files = new Map<string, ByteSource>();
  for (const name of names) files.set(name, await shards.open(name));
  return files;
}

/** Returns the files of each key. Errors: FormatError for anything but names of files next to the index. */
function readMap(file: string, { weight_map: map }: JsonObject): ReadonlyMap<string, readonly string[]> {
  if (!isObject(map)) throw invalid(file, 'weight_map is an object of file names.', typeof map);
  return new Map(
    Object.entries(map).map(([key, given]) => {
      const names = Array.isArray(given) ? given : [given];
      const wrong = names.find((name) => typeof name !== 'string' || !isPlainName(name));
      if (names.length === 0 || wrong !== undefined) {
        const received = `${JSON.stringify(wrong ?? given)} for '${key}'`;
        throw invalid(file, 'shards are files in the folder of the index.', received);
      }
      return [key, names as readonly string[]];
    }),
  );
}

/** The longest name that file systems have. */
const maxNameLength = 255;

/** Whether a name stays in its folder, also as the end of an address. */
function isPlainName(name: string): boolean {
  return name.length <= maxNameLength && !/^\.{0,2}$|[/\\:%?#\p{Cc}]/u.test(name);
}

async function openStores(
  file: string,
  map: ReadonlyMap<string, readonly string[]>,
  shards: ReadonlyMap<string, ByteSource>,
  pacer?: Pacer,
): Promise<ReadonlyMap<string, StoredVariables>> {
  const [{ openHdf5 }, { readWeightStore }] = await Promise.all([
    import('../../formats/hdf5/index.ts'),
    import('../../formats/keras/index.ts'),
  ]);
  const stores: StoreFile[] = [];
  for (const [name, shard] of shards) {
    await requireKind(name, shard, 'hdf5', 'an HDF5 file, as the first shard');
    const context: FileContext = { file: name, format: 'Keras' };
    stores.push({ root: await openHdf5(shard), context });
  }
  const store: ReadonlyMap<string, StoredVariables> = await readWeightStore(stores, pacer);
  for (const key of map.keys())
    if (!store.has(pathOf(key))) throw absent(file, key, map.get(key) as readonly string[]);
  return store;
}

/** Keys are the names of groups: `/layers/dense/vars`. */
function pathOf(key: string): string {
  return key.replace(/^\//, '').replace(/\/?vars$/, '');
}

async function openTensors(
  file: string,
  map: ReadonlyMap<string, readonly string[]>,
  shards: ReadonlyMap<string, ByteSource>,
  options: LoadWeightsOptions,
): Promise<ReadonlyMap<string, StoredTensor>> {
  const found = new Map<string, { tensor: StoredTensor; shard: string }>();
  for (const [shard, source] of shards) {
    for (const [name, tensor] of await openShard(shard, source, options)) {
      const other = found.get(name);
      if (other)
        throw invalid(file, 'each tensor is in one shard.', `'${name}' in ${other.shard} and ${shard}`);
      found.set(name, { tensor, shard });
    }
  }
  for (const [name, places] of map)
    if (!places.includes(found.get(name)?.shard ?? '')) throw absent(file, name, places);
  return new Map([...found].map(([name, { tensor }]) => [name, tensor]));
}

async function openShard(
  name: string,
  source: ByteSource,
  options: LoadWeightsOptions,
): Promise<ReadonlyMap<string, StoredTensor>> {
  const container = await requireContainer(source);
  const archive = await openArchive(source, container, options);
  const tensors = await openNamedTensors(source, container, archive);
  if (tensors) return tensors;
  throw invalid(name, 'a shard is HDF5 of Keras, safetensors, or a file of PyTorch.', container);
}

async function requireKind(name: string, shard: ByteSource, kind: string, rule: string): Promise<void> {
  const container = await requireContainer(shard);
  if (container !== kind) throw invalid(name, `each shard is ${rule}.`, container);
}

function absent(file: string, key: string, places: readonly string[]): FormatError {
  return invalid(
    file,
    'the shards hold what the index says.',
    `no '${key.replace(/^\//, '')}' in ${places.join(', ')}`,
  );
}

function invalid(op: string, rule: string, received: string): FormatError {
  return new FormatError({
    op,
    rule,
    received,
    hint: 'the index and its shards are damaged, or of different models: fetch all of them again.',
  });
}
