/** @file Reads a JSON file of a folder. */
import type { JsonObject } from '../../keras/json/document.ts';
import { readJson } from '../../keras/saving/jsonFile.ts';
import type { Folder } from './folder.ts';

/** Errors: FormatError for a file that is missing, or isn't a JSON object. */
export async function readFile(folder: Folder, name: string): Promise<JsonObject> {
  const file = await folder.open(name);
  try {
    return await readJson(file);
  } finally {
    await file.close?.();
  }
}
