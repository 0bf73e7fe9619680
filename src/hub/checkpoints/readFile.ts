/** @file Reads a JSON file of a folder. */
import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { JsonObject } from '../../keras/json/document.ts';
import { readJson } from '../../keras/saving/jsonFile.ts';
import type { Folder } from './folder.ts';

/** Errors: FormatError for a file that is missing, or isn't a JSON object. */
export async function readFile(folder: Folder, name: string): Promise<JsonObject> {
  return read(await folder.open(name));
}

/** As `readFile`, for a file that folders may lack: null. Errors: FormatError for one that is there and isn't a JSON object. */
export async function readIfThere(folder: Folder, name: string): Promise<JsonObject | null> {
  const file = await folder.open(name).catch(onlyIfMissing);
  return file && (await isPage(file)) ? closed(file) : file && read(file);
}

/** A missing file isn't an error yet; others are, such as an aborted request. */
export function onlyIfMissing(error: unknown): null {
  if (error instanceof FormatError) return null;
  throw error;
}

/** Whether it is a page: servers of apps answer with one instead of a file that they don't have. */
async function isPage(file: ByteSource): Promise<boolean> {
  const [first] = await file.read(0, Math.min(1, file.size));
  return first === '<'.charCodeAt(0);
}

async function closed(file: ByteSource): Promise<null> {
  await file.close?.();
  return null;
}

async function read(file: ByteSource): Promise<JsonObject> {
  try {
    return await readJson(file);
  } finally {
    await file.close?.();
  }
}
