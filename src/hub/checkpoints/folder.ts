/** @file Folder: the files of a pretrained network, wherever they are. */
import { describe } from '../../core/describe.ts';
import { FormatError, ValueError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/options.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { entriesOf, openIn } from '../../storage/folders.ts';
import { type FileSource, type OpenOptions, openSource } from '../../storage/sources.ts';

/**
 * Where a pretrained network is: the path of a folder in Node, the URL of one, `opfs://models/gpt2`, the handle of a folder, the files
 * that were dropped on a page, or files by their names.
 */
export type PretrainedSource =
  | string
  | URL
  | FileSystemDirectoryHandle
  | readonly File[]
  | ReadonlyMap<string, FileSource>
  | Readonly<Record<string, FileSource>>;

export interface Folder {
  /** For errors and histories. */
  readonly name: string;
  /** Opens a file by its name. Errors: FormatError if there is none. */
  open(name: string): Promise<ByteSource>;
  /** The names of all files; null where a server or the system isn't asked for them. */
  readonly names: readonly string[] | null;
}

/** Errors: ValueError for anything but a folder. */
export async function openFolder(source: PretrainedSource, options: OpenOptions): Promise<Folder> {
  if (typeof source === 'string' || source instanceof URL) return addressed(String(source), options);
  if (isList(source)) return listed(new Map(source.map((file) => [nameIn(file, source), file])), options);
  if (source instanceof Map) return listed(source, options);
  if (isHandle(source)) {
    const names: string[] = [];
    for await (const [name] of entriesOf(source)) names.push(name);
    return { name: source.name, names, open: (name) => openIn(source, name) };
  }
  if (isPlainObject(source))
    return listed(new Map(Object.entries(source as Record<string, FileSource>)), options);
  throw new ValueError({
    op: 'fromPretrained',
    rule: "a source is a folder's path, URL or handle, Files, or files by name.",
    received: describe(source),
    hint: "pass 'models/gpt2' or [...event.dataTransfer.files].",
  });
}

/** The files below an address: a path, a URL, or a folder in the browser's storage. */
function addressed(given: string, options: OpenOptions): Folder {
  const [, path = given, query = ''] = /^([^?#]*)([?#].*)?$/s.exec(given) ?? [];
  const folder = path.replace(/(^|[\\/])config\.json$/, '').replace(/[\\/]+$/, '');
  const open = (name: string) => openSource(`${folder}/${name}${query}`, { ...options, file: name });
  return { name: folder.slice(folder.lastIndexOf('/') + 1) || folder, names: null, open };
}

function listed(files: ReadonlyMap<string, FileSource>, options: OpenOptions): Folder {
  const names = [...files.keys()];
  const open = async (name: string) => {
    const found = files.get(name);
    if (found === undefined) throw missing(name, names);
    return openSource(found, { ...options, file: name });
  };
  return { name: 'files', names, open };
}

function missing(name: string, names: readonly string[]): FormatError {
  return new FormatError({
    op: 'fromPretrained',
    rule: `'${name}' is among the files.`,
    received: names.slice(0, 10).join(', ') || 'no files',
    hint: 'pass all files of the network.',
  });
}

/** The path of a file within the folder that all share: dropped folders have their own name in front. */
function nameIn(file: File, files: readonly File[]): string {
  const depth = Math.min(...files.map((other) => pathOf(other).split('/').length));
  return pathOf(file)
    .split('/')
    .slice(depth - 1)
    .join('/');
}

const pathOf = (file: File) => file.webkitRelativePath || file.name;

function isList(source: unknown): source is readonly File[] {
  return Array.isArray(source) && source[0] instanceof File && source.every((file) => file instanceof File);
}

function isHandle(source: unknown): source is FileSystemDirectoryHandle {
  return typeof (source as Partial<FileSystemDirectoryHandle> | null)?.getDirectoryHandle === 'function';
}
