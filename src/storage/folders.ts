/** @file Files that belong together, where one refers to the others: in a list, a folder, or next to each other. */
import { FormatError } from '../core/errors.ts';
import { blobSource, type ByteSource } from '../formats/byteSource.ts';

/** The files of a folder to open, in the order of preference. A file of one kind may refer to files of the kinds below it. */
const kinds: readonly ((name: string, names: ReadonlySet<string>) => boolean)[] = [
  // TF.js.
  (name) => name === 'model.json',
  // Keras, with `zipped=False`. Other libraries describe their models in a config.json, too.
  (name, names) =>
    name === 'config.json' && (names.has('model.weights.h5') || names.has('model.weights.json')),
  (name) => /\.weights\.json$/i.test(name),
  (name) => /\.(safetensors|bin)\.index\.json$/i.test(name),
  (name) => /\.keras$/i.test(name),
  (name) => /\.(safetensors|h5|hdf5|pth?)$/i.test(name),
  (name) => /\.json$/i.test(name),
];

/** Returns the names that can be meant among the files of a folder: one if it is clear, none if nothing is known. */
function entriesAmong(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const isOfKind of kinds) {
    const found = names.filter((name) => isOfKind(name, all));
    if (found.length > 0) return found;
  }
  return [];
}

/**
 * Returns the file to open in a list of files, such as those of a folder that was dropped on a page; with one file, that file.
 * Errors: FormatError if none is known, or several are.
 */
export function openFiles(files: readonly File[], name?: string): ByteSource {
  // The files of subfolders are opened only by those that refer to them.
  const top = Math.min(...files.map(depthOf));
  const highest = files.filter((file) => depthOf(file) === top);
  const names = highest.map((file) => file.name);
  const entry = names.length === 1 ? names[0] : requireEntry(name ?? 'files', names);
  const model = highest.find((file) => file.name === entry) as File;
  const folder = pathOf(model).slice(0, -model.name.length);
  const sibling = async (path: string): Promise<ByteSource> => {
    const found =
      files.find((file) => pathOf(file) === folder + path) ??
      // Files that were dropped individually have no folders.
      files.find((file) => pathOf(file) === file.name && file.name === path.slice(path.lastIndexOf('/') + 1));
    if (!found) throw missing(model.name, path, files.map((file) => file.name).join(', '));
    return { ...blobSource(found, path), sibling };
  };
  return { ...blobSource(model, name ?? model.name), sibling };
}

function pathOf(file: File): string {
  return file.webkitRelativePath || file.name;
}

function depthOf(file: File): number {
  return pathOf(file).split('/').length;
}

/**
 * Returns the file to open in a folder that the user chose, or of OPFS. Its name begins with `name`, by default that of the
 * folder. Errors: FormatError if none is known, or several are.
 */
export async function openFolder(
  folder: FileSystemDirectoryHandle,
  name: string = folder.name,
): Promise<ByteSource> {
  const names: string[] = [];
  for await (const [entry, handle] of entriesOf(folder)) if (handle.kind === 'file') names.push(entry);
  const entry = requireEntry(name, names);
  return { ...(await openIn(folder, entry)), name: `${name}/${entry}` };
}

/** TypeScript declares the iteration of folders in another library than the rest of the DOM. */
export function entriesOf(folder: FileSystemDirectoryHandle): AsyncIterable<[string, FileSystemHandle]> {
  return folder as unknown as AsyncIterable<[string, FileSystemHandle]>;
}

/** Errors: FormatError unless one of the files of a folder is the one to open. */
export function requireEntry(folder: string, names: readonly string[]): string {
  const entries = entriesAmong(names);
  if (entries.length === 1) return entries[0] as string;
  const isSavedModel = names.includes('saved_model.pb');
  throw new FormatError({
    op: folder,
    rule: 'one of the files describes a model, is the index of shards, or holds weights.',
    received: isSavedModel
      ? 'a SavedModel of TensorFlow'
      : entries.length > 0
        ? `${entries.join(', ')}, any of which could be meant`
        : listed(names),
    hint: isSavedModel
      ? 'open it in Keras, and save it with model.save("model.keras").'
      : 'pass the one that you mean; or model.json, config.json or an index, with the files that it names.',
  });
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'no files';
  const more = names.length > 5 ? ' …' : '';
  return `only ${names.slice(0, 5).join(', ')}${more}`;
}

/** Returns a file in a folder or below it, with access to the others. Errors: FormatError if there is none. */
export async function openIn(folder: FileSystemDirectoryHandle, path: string): Promise<ByteSource> {
  const parts = path.split('/');
  const last = parts.pop() as string;
  try {
    let at = folder;
    for (const part of parts) at = await at.getDirectoryHandle(part);
    const file = await (await at.getFileHandle(last)).getFile();
    return { ...blobSource(file, path), sibling: (other) => openIn(folder, other) };
  } catch (cause) {
    throw missing(folder.name, path, 'no such file', cause);
  }
}

/** Returns the address of a file next to the one at `url`, with the same query. */
export function siblingUrl(url: string, path: string): string {
  const [, folder = '', query = ''] = /^([^?#]*\/)?[^?#]*(\?[^#]*)?/.exec(url) ?? [];
  return folder + path.split('/').map(encodeURIComponent).join('/') + query;
}

function missing(op: string, path: string, received: string, cause?: unknown): FormatError {
  const rule = `'${path}' is among the files.`;
  return new FormatError({ op, rule, received, hint: 'pass all the files that the model names.', cause });
}
