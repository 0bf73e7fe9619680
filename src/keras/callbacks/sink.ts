/** @file The file storage of callbacks: a function of the app, or one of the sinks in sinks.ts. */
import { describe } from '../../core/shape.ts';
import { invalid } from './callbackOptions.ts';
import { defaultFiles, type FileSink } from './sinks.ts';

/** A sink, or only its `save` function. */
export type SinkLike = FileSink | FileSink['save'];

/** A sink with errors for operations that it does not support. */
export class Files {
  readonly #given: SinkLike | undefined;
  #sink: FileSink | null = null;

  /** Errors: ValueError for an invalid sink. Default: the environment's file storage. */
  constructor(
    private readonly op: string,
    sink: SinkLike | undefined,
  ) {
    const isSink =
      sink === undefined ||
      typeof sink === 'function' ||
      typeof (sink as FileSink | null)?.save === 'function';
    if (!isSink) {
      throw invalid(
        op,
        '`sink` is a function of a name and bytes, or an object with save, load and remove.',
        `sink: ${describe(sink)}`,
        'pass (name, bytes) => …, or leave it out.',
      );
    }
    this.#given = sink;
  }

  async save(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#open().save(name, bytes);
  }

  /** Null if there is no such file. Errors: ValueError if the sink cannot load. */
  async load(name: string): Promise<Uint8Array | null> {
    const sink = this.#open();
    if (sink.load) return sink.load(name);
    throw this.#unable('load');
  }

  /** Errors: ValueError if the sink cannot remove files. */
  async remove(name: string): Promise<void> {
    const sink = this.#open();
    if (!sink.remove) throw this.#unable('remove');
    await sink.remove(name);
  }

  #open(): FileSink {
    const given = this.#given;
    if (typeof given === 'function') return { save: given };
    if (given) return given;
    this.#sink ??= defaultFiles();
    return this.#sink;
  }

  #unable(what: string) {
    return invalid(
      this.op,
      `\`sink\` can ${what} files here.`,
      `a sink without \`${what}\``,
      `pass an object with save, load and remove, such as one of callbacks.sinks.`,
    );
  }
}
