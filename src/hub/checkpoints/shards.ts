/** @file Weights in several files and their index, split as transformers splits them. */
import { sizeOf } from '../../core/shape.ts';
import type { FloatType, WrittenTensor } from '../../formats/safetensors/pieces.ts';
import type { FolderTarget } from '../../storage/folderTargets.ts';

export const singleFile = 'model.safetensors';
export const indexFile = 'model.safetensors.index.json';

/** Files of weights by their names. */
export type Shards = ReadonlyMap<string, readonly WrittenTensor[]>;

/** The bytes of the values of tensors. */
export function bytesIn(tensors: readonly WrittenTensor[], type: FloatType): number {
  return tensors.reduce((sum, { shape }) => sum + sizeOf(shape), 0) * (type === 'float32' ? 4 : 2);
}

/** Splits tensors, in their order, into files of at most `limit` bytes of values; a larger tensor has a file of its own. */
export function shardsOf(tensors: readonly WrittenTensor[], type: FloatType, limit: number): Shards {
  const files: WrittenTensor[][] = [];
  let open: WrittenTensor[] = [];
  let bytes = 0;
  for (const tensor of tensors) {
    const size = bytesIn([tensor], type);
    if (size > limit) {
      files.push([tensor]);
      continue;
    }
    if (bytes + size > limit) {
      files.push(open);
      [open, bytes] = [[], 0];
    }
    open.push(tensor);
    bytes += size;
  }
  if (open.length > 0) files.push(open);
  if (files.length === 1) return new Map([[singleFile, tensors]]);
  const numbered = (n: number) => String(n).padStart(5, '0');
  return new Map(
    files.map((file, i) => [`model-${numbered(i + 1)}-of-${numbered(files.length)}.safetensors`, file]),
  );
}

/** The text of the index of several files. */
export function indexOf(shards: Shards, type: FloatType): string {
  const all = [...shards.values()].flat();
  const named = [...shards].flatMap(([file, tensors]) => tensors.map(({ name }) => [name, file] as const));
  const metadata = {
    total_parameters: all.reduce((sum, { shape }) => sum + sizeOf(shape), 0),
    total_size: bytesIn(all, type),
  };
  const weightMap = Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ metadata, weight_map: weightMap }, null, 2)}\n`;
}

/** Removes the weights of an older model, whose index had the text `before`, except the files that were written. */
export async function removeOlder(
  folder: FolderTarget,
  before: string | null,
  written: ReadonlySet<string>,
): Promise<void> {
  // Folders of the page's own may throw for a file that they don't have.
  const remove = async (name: string) => {
    if (!written.has(name)) await folder.remove?.(name).catch(() => undefined);
  };
  if (before !== null) for (const file of filesIn(before)) await remove(file);
  if (before !== null) await remove(indexFile);
  await remove(singleFile);
}

/** The files that an index names, as far as they are shards of a model. */
function filesIn(text: string): string[] {
  try {
    const { weight_map: files } = JSON.parse(text) as { weight_map: Readonly<Record<string, unknown>> };
    const names = new Set(Object.values(files).map(String));
    return [...names].filter((name) => /^model-\d+-of-\d+\.safetensors$/.test(name));
  } catch {
    return [];
  }
}
