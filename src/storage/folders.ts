/** @file Files that belong together, where model.json refers to the others: in a list, a folder, or next to each other. */
import { FormatError } from '../core/errors.ts';
import { blobSource, type ByteSource } from '../formats/byteSource.ts';

const modelName = 'model.json';

/**
 * Returns the model.json, or the only JSON, in a list of files, such as those dropped on a page; with one file, that file.
 * Errors: FormatError if there is none, or more than one.
 */
export function openFiles(files: readonly File[], name?: string): ByteSource {
  const json = files.filter((file) => /\.json$/i.test(file.name));
  const models = json.filter((file) => file.name === modelName);
  const candidates = files.length === 1 ? files : models.length > 0 ? models : json;
  const [model] = candidates;
  if (!model || candidates.length > 1)
    throw invalid(
      name ?? 'files',
      'one of the files is a model.json.',
      `${candidates.length} of ${files.length}`,
    );
  const folder = pathOf(model).slice(0, -model.name.length);
  const sibling = async (path: string) => {
    const found =
      files.find((file) => pathOf(file) === folder + path) ??
      // Files that were dropped individually have no folders.
      files.find((file) => pathOf(file) === file.name && file.name === path.slice(path.lastIndexOf('/') + 1));
    if (!found)
      throw invalid(model.name, `'${path}' is among the files.`, files.map((file) => file.name).join(', '));
    return blobSource(found, path);
  };
  return { ...blobSource(model, name ?? model.name), sibling };
}

function pathOf(file: File): string {
  return file.webkitRelativePath || file.name;
}

/** Returns the model.json of a folder that the user chose, or of OPFS. Errors: FormatError if there is none. */
export async function openFolder(folder: FileSystemDirectoryHandle, name?: string): Promise<ByteSource> {
  const model = await openIn(folder, modelName);
  return {
    ...model,
    name: name ?? `${folder.name}/${modelName}`,
    sibling: (path) => openIn(folder, path),
  };
}

/** Returns a file in a folder or below it. Errors: FormatError if there is none. */
export async function openIn(folder: FileSystemDirectoryHandle, path: string): Promise<ByteSource> {
  const parts = path.split('/');
  const last = parts.pop() as string;
  try {
    let at = folder;
    for (const part of parts) at = await at.getDirectoryHandle(part);
    return blobSource(await (await at.getFileHandle(last)).getFile(), path);
  } catch (cause) {
    throw invalid(folder.name, `'${path}' is in the folder.`, 'no such file', cause);
  }
}

/** Returns the address of a file next to the one at `url`, with the same query. */
export function siblingUrl(url: string, path: string): string {
  const [, folder = '', query = ''] = /^([^?#]*\/)?[^?#]*(\?[^#]*)?/.exec(url) ?? [];
  return folder + path.split('/').map(encodeURIComponent).join('/') + query;
}

function invalid(op: string, rule: string, received: string, cause?: unknown): FormatError {
  const hint = 'pass model.json with all the shards that it names.';
  return new FormatError({ op, rule, received, hint, cause });
}
