/**
 * @file The weights of Keras 3: an HDF5 file whose groups are named after the objects that own weights, each with a group
 * `vars` of datasets 0, 1, …
 */
import { Pacer } from '../../core/pacer.ts';
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

/** Limits of the nesting of groups and of their number: a model in a model takes two levels, and its description ends at 66. */
const maxDepth = 256;
const maxGroups = 100_000;

/** An open HDF5 file with weights. */
export interface StoreFile {
  readonly root: Hdf5Group;
  readonly context: FileContext;
}

/** The variables of one object by their numbers, from all files that have some. */
interface Collected {
  name: string | null;
  readonly numbered: Map<number, StoredTensor>;
}

/**
 * Returns the variables of each object by its path, such as `layers/dense`; that of the root is empty. The variables of an object
 * may be in several files. Errors: FormatError, also for a variable that is in two of them; the reason of the pacer's signal.
 */
export async function readWeightStore(
  files: readonly StoreFile[],
  pacer = new Pacer(),
): Promise<ReadonlyMap<string, StoredVariables>> {
  const found = new Map<string, Collected>();
  for (const file of files) await collect(file, found, pacer);
  return new Map(
    [...found].map(([path, { name, numbered }]) => [path, { name, tensors: inOrder(numbered) }]),
  );
}

function inOrder(numbered: ReadonlyMap<number, StoredTensor>): StoredTensor[] {
  return [...numbered].sort(([a], [b]) => a - b).map(([, tensor]) => tensor);
}

type Invalid = (rule: string, received: string) => Error;

async function collect(
  { root, context }: StoreFile,
  found: Map<string, Collected>,
  pacer: Pacer,
): Promise<void> {
  const seen = new Set<number>();
  const open: { group: Hdf5Group; path: string; depth: number }[] = [{ group: root, path: '', depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { group, path, depth } = next;
    const invalid: Invalid = (rule, received) => fault(context, { place: group.place, rule, received });
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
      if (name === 'vars') await collectVariables(child, path, { found, invalid, pacer });
      else open.push({ group: child, path: within(path, name), depth: depth + 1 });
      // Reads from memory don't wait for another task.
      await pacer.step();
    }
  }
}

/** Keras 2 on Windows wrote whole paths, with backslashes, as names of groups. */
function within(path: string, name: string): string {
  const inside = name.replaceAll('\\', '/');
  return path === '' ? inside : `${path}/${inside}`;
}

async function collectVariables(
  group: Hdf5Group,
  path: string,
  { found, invalid, pacer }: { found: Map<string, Collected>; invalid: Invalid; pacer: Pacer },
): Promise<void> {
  const into = found.get(path) ?? { name: null, numbered: new Map<number, StoredTensor>() };
  found.set(path, into);
  // Weights of tokens are in the layer's options, too.
  const names = [...group.links.keys()].filter((name) => name !== 'idf_weights');
  const unknown = names.find((name) => !/^(0|[1-9]\d{0,8})$/.test(name));
  if (unknown !== undefined) throw invalid('variables are numbered.', `'${unknown}'`);
  for (const name of names) {
    if (into.numbered.has(Number(name)))
      throw invalid('each variable is in one file.', `'${path}' has ${name} in two of them`);
    const dataset = (await group.dataset(name)) as Hdf5Dataset;
    into.numbered.set(Number(name), await dataset.tensor());
    // An optimizer has all of its variables in one group.
    await pacer.step();
  }
  const label = await group.attribute('name');
  if (typeof label?.[0] === 'string') into.name = label[0];
}
