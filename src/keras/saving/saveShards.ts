/**
 * @file Saves weights as several files of a limited size with an index, written last: `NAME.weights.json` with HDF5 files, as
 * Keras 3 does, or `NAME.safetensors.index.json` with safetensors files, as Hugging Face does.
 */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { FilePieces } from '../../storage/fileTarget.ts';
import { folderOf, type FolderTarget, isFolder, type SaveFolder } from '../../storage/folderTargets.ts';
import { type SaveTarget, targetName } from '../../storage/targets.ts';
import type { SaveWeightsOptions, WeightsFormat } from './fileOptions.ts';
import type { SavedBytes } from './savedBytes.ts';
import type { SavedModel } from './saveables.ts';
import { kerasShards, safetensorsShards, shardName } from './shards.ts';

/** Bytes of a gigabyte, as Keras counts them. */
const gigabyte = 2 ** 30;

/** Where shards are written, and how they are called. */
interface Place {
  readonly folder: FolderTarget;
  /** The common part of the names. */
  readonly base: string;
  readonly format: WeightsFormat;
}

/** As `Model.saveWeights` with `maxShardSize`. */
export async function saveShards(
  model: SavedModel,
  target: SaveTarget | SaveFolder,
  options: SaveWeightsOptions,
  saved: SavedBytes,
): Promise<void> {
  const maxBytes = bytesIn(options.maxShardSize);
  const place = placeOf(target, options);
  const isKeras = place.format === 'keras';
  const make = isKeras ? kerasShards : safetensorsShards;
  const { files, map, totalBytes } = await make(model, { base: place.base, maxBytes, saved }, options);
  const indexName = `${place.base}.${isKeras ? 'weights.json' : 'safetensors.index.json'}`;
  const before = await shardsIn(place, indexName);
  const index = { metadata: { total_size: totalBytes }, weight_map: map };
  const text = new TextEncoder().encode(JSON.stringify(index, null, isKeras ? 4 : 2));
  for (const { name, pieces } of files)
    await place.folder.writeFile({ name, pieces: saved.interruptible(pieces) });
  await place.folder.writeFile({ name: indexName, pieces: piecesOf(text) });
  const written = new Set(files.map(({ name }) => name));
  for (const name of before) if (!written.has(name)) await place.folder.remove?.(name);
}

/** Errors: ValueError for anything but a positive size. */
function bytesIn(size: unknown): number {
  if (typeof size === 'number' && size > 0 && Number.isFinite(size)) return size * gigabyte;
  throw new ValueError({
    op: 'saveWeights',
    rule: '`maxShardSize` is a positive number of gigabytes.',
    received: `maxShardSize: ${describe(size)}`,
    hint: 'pass 1 for files of at most 2³⁰ bytes.',
  });
}

const endings = /\.(weights\.json|weights\.h5|safetensors\.index\.json|safetensors)$/;

/** Errors: ValueError for a target of one file, and for names of other formats. */
function placeOf(target: SaveTarget | SaveFolder, options: SaveWeightsOptions): Place {
  if (isFolder(target)) return { folder: folderOf(target), base: 'model', format: options.format ?? 'keras' };
  const name = targetName(target as SaveTarget);
  const found = name === null ? null : endings.exec(name);
  if ((typeof target !== 'string' && !(target instanceof URL)) || name === null || !found) {
    throw new ValueError({
      op: 'saveWeights',
      rule: 'several files are written to a folder, or under a name that ends in .weights.json or .safetensors.',
      received: name === null ? describe(target) : `'${name}'`,
      hint: "pass 'run/model.weights.json' in Node; in a page 'opfs://run/model.weights.json', the handle of showDirectoryPicker(), or new FilesTarget().",
    });
  }
  const file = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1;
  const { format = found[1]?.startsWith('safetensors') ? 'safetensors' : 'keras' } = options;
  const path = name.slice(0, file);
  const folder = target instanceof URL ? new URL('.', target) : path === '' ? '.' : path;
  return { folder: folderOf(folder), base: name.slice(file, found.index), format };
}

/** Returns the shards of an earlier save under the same name. */
async function shardsIn({ folder, base }: Place, indexName: string): Promise<string[]> {
  const text = (await folder.readText?.(indexName)) ?? '';
  const names = [...text.matchAll(/"([^"\\]+)"/g)].map(([, name]) => name as string);
  return [...new Set(names)].filter(
    (name) => name.startsWith(base) && shardName.test(name.slice(base.length)),
  );
}

async function* piecesOf(bytes: Uint8Array<ArrayBuffer>): FilePieces {
  yield bytes;
}
