/**
 * @file The weights of Keras 3: an HDF5 file whose groups are named after the objects that own weights, each with a group
 * `vars` of datasets 0, 1, …
 */
import { fault, type FileContext } from '../formatErrors.ts';
import { Hdf5Dataset, type Hdf5Group } from '../hdf5/index.ts';
import type { StoredTensor } from '../storedTensor.ts';

/** The variables of one object. */
export interface StoredVariables {
  /** The name of the object, such as `dense_1`, if the file has it. */
  readonly name: string | null;
  /** In their order. */
  readonly tensors: readonly StoredTensor[];
}

/** Limits of the nesting of groups and of their number: far larger than in any model. */
const maxDepth = 64;
const maxGroups = 100_000;

/** Returns the variables of each object by its path, such as `layers/dense`; that of the root is empty. Errors: FormatError. */
export async function readWeightStore(
  root: Hdf5Group,
  context: FileContext,
): Promise<ReadonlyMap<string, StoredVariables>> {
  const found = new Map<string, StoredVariables>();
  const seen = new Set<number>();
  const open: { group: Hdf5Group; path: string; depth: number }[] = [{ group: root, path: '', depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { group, path, depth } = next;
    const invalid = (rule: string, received: string) =>
      fault(context, { place: group.place, rule, received });
    if (depth > maxDepth) throw invalid(`groups are at most ${maxDepth} deep.`, 'one that is deeper');
    for (const [name, link] of group.links) {
      if (link.kind === 'hard') {
        if (seen.has(link.address))
          throw invalid('each object of a file is in it once.', `'${name}', which is there twice`);
        seen.add(link.address);
      }
      if (seen.size > maxGroups) throw invalid(`a file has at most ${maxGroups} objects.`, 'more of them');
      const child = await group.child(name);
      if (!child || child instanceof Hdf5Dataset) continue;
      if (name === 'vars') found.set(path, await readVariables(child, invalid));
      else open.push({ group: child, path: path === '' ? name : `${path}/${name}`, depth: depth + 1 });
    }
  }
  return found;
}

async function readVariables(
  group: Hdf5Group,
  invalid: (rule: string, received: string) => Error,
): Promise<StoredVariables> {
  const tensors: StoredTensor[] = [];
  const names = [...group.links.keys()];
  const unknown = names.find((name) => !/^(0|[1-9]\d{0,8})$/.test(name));
  if (unknown !== undefined) throw invalid('variables are numbered.', `'${unknown}'`);
  for (const name of names.sort((a, b) => Number(a) - Number(b))) {
    const dataset = (await group.dataset(name)) as Hdf5Dataset;
    tensors.push(await dataset.tensor());
  }
  const name = await group.attribute('name');
  return { name: typeof name?.[0] === 'string' ? name[0] : null, tensors };
}
