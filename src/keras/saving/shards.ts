/** @file The weights of a model in several files of a limited size, and what the index says of them. */
import { sizeOf } from '../../core/shape.ts';
import { bytesOf, type NewDataset, type NewGroup, writeHdf5 } from '../../formats/hdf5/index.ts';
import { type HostTensor, hostTensorOf } from '../../formats/hostTensor.ts';
import { writeSafetensors } from '../../formats/safetensors/index.ts';
import type { FilePieces } from '../../storage/fileTarget.ts';
import type { SaveWeightsOptions } from './fileOptions.ts';
import type { SavedBytes } from './savedBytes.ts';
import type { SavedModel } from './saveables.ts';
import { weightsByPath } from './weights.ts';
import { modelTree } from './weightTree.ts';

/** All files but the index. */
export interface Shards {
  readonly files: readonly { readonly name: string; readonly pieces: FilePieces }[];
  /** Bytes of values in all of them. */
  readonly totalBytes: number;
  /** Files by the name of a tensor, or of a group of tensors. */
  readonly map: Readonly<Record<string, string | readonly string[]>>;
}

export interface Sharding {
  /** What the names of all files begin with. */
  readonly base: string;
  /** A file has at most this many bytes of values, unless a single tensor has more. */
  readonly maxBytes: number;
  readonly saved: SavedBytes;
}

/** The part of a shard's name after the base. */
export const shardName = /^(_\d{5}\.weights\.h5|-\d{5}-of-\d{5}\.safetensors)$/;

/** A dataset, and the names of the groups around it. */
interface Placed {
  readonly groups: readonly string[];
  readonly name: string;
  readonly dataset: NewDataset;
}

/** HDF5 files as Keras names them. The index lists files by group. */
export async function kerasShards(
  model: SavedModel,
  { base, maxBytes, saved }: Sharding,
  options: SaveWeightsOptions,
): Promise<Shards> {
  const tree = await saved.inTurns(modelTree(model, options));
  const sized = datasetsIn(tree).map((placed) => ({ placed, bytes: bytesOfDataset(placed.dataset) }));
  const parts = inParts(sized, maxBytes);
  const map: Record<string, string[]> = {};
  const files = parts.map((part, i) => {
    const name = `${base}_${digits(i)}.weights.h5`;
    const placed = part.map((item) => item.placed);
    for (const { groups } of placed) {
      const key = `/${groups.join('/')}`;
      map[key] = [...new Set([...(map[key] ?? []), name])];
    }
    return { name, pieces: writeHdf5(saved.countedIn(treeOf(tree, placed)), saved.pacer) };
  });
  return { files, map, totalBytes: totalOf(sized) };
}

/** Safetensors files as Hugging Face names them. The index lists files by tensor. */
export async function safetensorsShards(
  model: SavedModel,
  { base, maxBytes, saved }: Sharding,
): Promise<Shards> {
  const named = [...weightsByPath('saveWeights', model)];
  const tensors = await saved.during(() => Promise.all(named.map(([, variable]) => hostTensorOf(variable))));
  const sized = tensors.map((tensor, i) => ({
    name: (named[i] as (typeof named)[number])[0],
    tensor,
    bytes: tensor.data.byteLength,
  }));
  const parts = inParts(sized, maxBytes);
  const map: Record<string, string> = {};
  const files = parts.map((part, i) => {
    const name = `${base}-${digits(i + 1)}-of-${digits(parts.length)}.safetensors`;
    for (const item of part) map[item.name] = name;
    return { name, pieces: piecesOf(part, saved) };
  });
  return { files, map, totalBytes: totalOf(sized) };
}

/** Makes the file when it is written, so that only one is in memory. */
async function* piecesOf(
  part: readonly { readonly name: string; readonly tensor: HostTensor }[],
  saved: SavedBytes,
): FilePieces {
  const file = writeSafetensors(new Map(part.map(({ name, tensor }) => [name, tensor])));
  yield* saved.counted(file);
}

/** Distributes items in their order. */
function inParts<T extends { readonly bytes: number }>(items: readonly T[], maxBytes: number): T[][] {
  const parts: T[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    const last = parts.at(-1) as T[];
    if (last.length > 0 && bytes + item.bytes > maxBytes) {
      parts.push([item]);
      bytes = item.bytes;
    } else {
      last.push(item);
      bytes += item.bytes;
    }
  }
  return parts;
}

function totalOf(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((total, { bytes }) => total + bytes, 0);
}

function digits(number: number): string {
  return String(number).padStart(5, '0');
}

function bytesOfDataset({ type, shape }: NewDataset): number {
  return sizeOf(shape) * bytesOf(type);
}

function datasetsIn({ children }: NewGroup, groups: readonly string[] = []): Placed[] {
  return [...children].flatMap(([name, child]) =>
    'children' in child ? datasetsIn(child, [...groups, name]) : { groups, name, dataset: child },
  );
}

/** Returns the groups of `tree` that are around some of its datasets, with those alone. */
function treeOf(tree: NewGroup, placed: readonly Placed[]): NewGroup {
  const { attributes, children } = tree;
  const own = placed.filter(({ groups }) => groups.length === 0);
  const inside = new Map<string, Placed[]>();
  for (const {
    groups: [first, ...rest],
    ...item
  } of placed) {
    if (first === undefined) continue;
    const found = inside.get(first) ?? [];
    found.push({ ...item, groups: rest });
    inside.set(first, found);
  }
  const groups = [...inside].map(
    ([name, items]) => [name, treeOf(children.get(name) as NewGroup, items)] as const,
  );
  return {
    attributes,
    children: new Map<string, NewGroup | NewDataset>([
      ...own.map(({ name, dataset }) => [name, dataset] as const),
      ...groups,
    ]),
  };
}
