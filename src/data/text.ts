/** @file Texts of files, read in parts, so that a file of any size takes little memory. */
import { rejectExtraArguments } from '../core/options.ts';
import { bytesSource, type ByteSource } from '../formats/byteSource.ts';
import { type FileSource, openSource } from '../storage/sources.ts';
import { Dataset } from './dataset.ts';

/**
 * A text: a path in Node, a URL, a File or Blob, bytes, a Response, a stream, a file handle; or the text itself, if it has a line
 * break.
 */
export type TextSource = FileSource;

const chunkBytes = 2 ** 20;

/** Texts that can be opened for each pass. Responses and streams are read once, and kept. */
export class TextFiles {
  readonly #opened = new Map<TextSource, Promise<ByteSource>>();

  /** `files`: one, or several in order. */
  constructor(private readonly files: TextSource | readonly TextSource[]) {}

  /** The texts, one after the other. */
  *[Symbol.iterator](): Iterator<AsyncGenerator<string>> {
    for (const file of listOf(this.files)) yield this.#textOf(file);
  }

  /** The text of a file in parts. UTF-8; a byte order mark is left out. */
  async *#textOf(file: TextSource): AsyncGenerator<string> {
    if (typeof file === 'string' && file.includes('\n')) {
      yield file;
      return;
    }
    const source = await this.#open(file);
    const decoder = new TextDecoder();
    try {
      for (let begin = 0; begin < source.size; begin += chunkBytes) {
        const bytes = await source.read(begin, Math.min(source.size, begin + chunkBytes));
        yield decoder.decode(bytes, { stream: true });
      }
      yield decoder.decode();
    } finally {
      if (!isOnce(file)) await source.close?.();
    }
  }

  #open(file: TextSource): Promise<ByteSource> {
    if (!isOnce(file)) return openSource(file);
    const opened = this.#opened.get(file) ?? readWhole(file);
    this.#opened.set(file, opened);
    return opened;
  }
}

function listOf(files: TextSource | readonly TextSource[]): readonly TextSource[] {
  return Array.isArray(files) ? (files as readonly TextSource[]) : [files as TextSource];
}

function isOnce(file: TextSource): file is Response | ReadableStream<Uint8Array<ArrayBuffer>> {
  return file instanceof Response || file instanceof ReadableStream;
}

async function readWhole(file: Response | ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ByteSource> {
  const source = await openSource(file);
  // A copy: what a source gives may be its own memory, which is freed when it is closed.
  const bytes = Uint8Array.from(await source.read(0, source.size));
  await source.close?.();
  return bytesSource(bytes, source.name);
}

/**
 * The lines of texts, without their ends. `files` is a text or several: see `TextSource`. A last line without an end counts.
 * Errors: in a pass, ValueError for what isn't a text, FormatError for files that can't be read.
 */
export function textLines(files: TextSource | readonly TextSource[], ...extra: []): Dataset<string> {
  rejectExtraArguments('textLines', extra, ['files']);
  const texts = new TextFiles(files);
  return new Dataset(async function* () {
    for (const text of texts) {
      // A line may span many parts: each is searched once.
      let line: string[] = [];
      for await (const part of text) {
        const [end, ...begins] = part.split('\n') as [string, ...string[]];
        line.push(end);
        for (const begin of begins) {
          yield withoutReturn(line.join(''));
          line = [begin];
        }
      }
      const last = line.join('');
      if (last !== '') yield withoutReturn(last);
    }
  });
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
