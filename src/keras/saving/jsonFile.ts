/** @file JSON files that refer to others next to them: a model.json of TF.js, the index of shards, config.json of a Keras model. */
import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import { type JsonObject, readDocument } from '../json/document.ts';

/** Far larger than the description of any model. */
const maxJsonBytes = 64 << 20;

/** Errors: FormatError for anything but a JSON object of reasonable size. */
export async function readJson(source: ByteSource): Promise<JsonObject> {
  if (source.size > maxJsonBytes) {
    throw new FormatError({
      op: source.name,
      rule: `a model is described in at most ${maxJsonBytes} bytes of JSON.`,
      received: `${source.size} bytes`,
      hint: 'no model needs more: the file is of something else.',
    });
  }
  return readDocument(await textOf(source), source.name);
}

/** Returns the text of a whole file. */
export async function textOf(source: ByteSource): Promise<string> {
  return new TextDecoder().decode(await source.read(0, source.size));
}

/** Returns what `open` makes of the files next to a JSON file. If it fails, the files are closed. */
export async function openSiblings<T>(
  source: ByteSource,
  open: (siblings: Siblings) => Promise<T>,
): Promise<T> {
  const siblings = new Siblings(source);
  try {
    return await open(siblings);
  } catch (error) {
    await siblings.close();
    throw error;
  }
}

/** Opens the files next to a JSON file, and closes them together. */
export class Siblings {
  readonly #opened: ByteSource[] = [];

  constructor(private readonly source: ByteSource) {}

  /** Errors: FormatError for a missing file, and where only the JSON file was passed. */
  async open(path: string): Promise<ByteSource> {
    const { source } = this;
    if (!source.sibling) {
      throw new FormatError({
        op: source.name,
        rule: 'a description or an index comes along with the shards and weights that it names.',
        received: `${source.name} alone, which names '${path}'`,
        hint: 'pass a URL, a path, a folder, or all files in a list.',
      });
    }
    const opened = await source.sibling(path);
    this.#opened.push(opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.splice(0)) await opened.close?.();
  }
}
